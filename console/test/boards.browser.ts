/** Boards: the grid with its pictures, importing by drop, the viewer with live task cards, and who a board is shared with. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { whiteboard } from '../../server/src/demo/whiteboard.ts'
import { box, file } from '../../server/test/excalidraw.ts'
import { checkPage, checkQuiet, forgetShifts, settled } from './checks.ts'
import { openStage, password, type Stage } from './stage.ts'

/** Rectangles in rows of fifteen, as Excalidraw writes them. */
const drawing = file(
  Array.from({ length: 150 }, (_, i) => box(`box-${i}`, { x: (i % 15) * 120, y: Math.floor(i / 15) * 70 })),
).toString()
const hostile = '<img src=x onerror="document.title=1"><script>document.title=2</script>'

const element = (id: string, fields: object) => ({
  ...{ id, type: 'rectangle', x: 0, y: 0, width: 300, height: 80, angle: 0, strokeColor: '#1e1e1e' },
  ...{ backgroundColor: 'transparent', strokeWidth: 1, opacity: 100, groupIds: [], link: null },
  ...fields,
})
const scene = (...elements: object[]) => JSON.stringify({ type: 'excalidraw', version: 2, elements, files: {} })

/** What a drawing of somebody who means harm has. */
const hostileScene = scene(
  element('note', { type: 'text', text: hostile, originalText: hostile, fontSize: 20 }),
  element('colors', {
    y: 120,
    strokeColor: 'url(https://evil.example/a.svg#b)',
    backgroundColor: 'red;background:url(x)',
  }),
  element('script', { y: 240, link: 'javascript:document.title=3' }),
  element('plain', { y: 360, link: 'http://evil.example/' }),
  element('page', { type: 'embeddable', y: 480, link: 'https://maps.example/harbour' }),
  element('picture', { type: 'image', y: 600, fileId: 'gone' }),
  element('head', {
    type: 'arrow',
    y: 720,
    points: [
      [0, 0],
      [200, 0],
      [200, 60],
    ],
    endArrowhead: 'arrow',
  }),
  element('pen', {
    type: 'freedraw',
    y: 840,
    points: [
      [0, 0],
      [20, 10],
      [40, 5],
    ],
  }),
  element('frame', { type: 'frame', y: 960, name: 'Later' }),
  element('inside', { type: 'diamond', x: 20, y: 970, width: 90, height: 60, frameId: 'frame' }),
)

describe('the boards', () => {
  let stage: Stage
  let task: string
  let key: string
  before(async () => {
    stage = await openStage()
    const { id: workspace } = await stage.atrium.workspaces.create({ title: 'Harbour' })
    const made = await stage.atrium.tasks.create({ workspace, title: 'Paint the pier', assignee: stage.owner.user })
    task = made.id
    key = made.key
  })
  after(() => stage.close())

  const open = async (path: string) => {
    const watched = await stage.signedIn()
    await watched.page.goto(`${stage.url}/boards${path}`)
    await watched.page.getByRole('heading', { level: 1 }).waitFor()
    return watched
  }
  const idIn = (page: Page) => new URL(page.url()).pathname.split('/').at(-1) ?? ''
  const onBoard = (page: Page) => page.waitForURL(/\/boards\/brd_/)
  const confirm = async (page: Page): Promise<void> => {
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await dialog.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'hidden' })
  }
  const told = async (action: string) => {
    const { data } = await stage.atrium.auditLogs.list({ action, limit: 1 })
    return data[0]?.actor
  }
  const byOwner = () => ({ type: 'user', id: stage.owner.user })
  /** Drops a file in the middle of whatever is there, as somebody does from their desktop. */
  const drop = (page: Page, name: string, text: string) =>
    page.evaluate(
      ([fileName = '', content = '']) => {
        const dataTransfer = new DataTransfer()
        dataTransfer.items.add(new File([content], fileName))
        const target = document.querySelector('main') ?? document.body
        for (const type of ['dragenter', 'dragover', 'drop']) {
          target.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }))
        }
      },
      [name, text],
    )

  it('teaches what a board is, and makes one', async () => {
    const { page } = await open('')
    await page.getByText('No boards yet').waitFor()
    await page.getByRole('button', { name: 'New board' }).click()
    await page.getByLabel('Name').fill('Retrospective')
    await page.getByRole('button', { name: 'Make the board' }).click()
    await onBoard(page)
    await page.getByText('Nothing is drawn here yet').waitFor()
    const board = await stage.atrium.boards.retrieve(idIn(page))
    assert.equal(board.name, 'Retrospective')
    assert.equal(board.owner, stage.owner.user)
    assert.deepEqual(await told('boards.create'), byOwner())
  })

  it('makes a board of a drawing that is dropped anywhere, and shows its tasks as they are now', async () => {
    const watched = await open('')
    const { page } = watched
    const drawing = new TextDecoder().decode(whiteboard({ hold: `${stage.url}/work/tasks/${task}` }))
    await drop(page, 'How a booking goes.excalidraw', drawing)
    await onBoard(page)
    await page.getByRole('heading', { name: 'How a booking goes' }).waitFor()
    assert.deepEqual(await told('boards.import'), byOwner())
    const { data: events } = await stage.atrium.events.list({ limit: 50 })
    assert.deepEqual(
      events
        .filter(({ type }) => type === 'whiteboard.board.snapshot_published')
        .map(({ data }) => (data.object as { readonly id: string }).id),
      [idIn(page)],
    )
    const canvas = page.getByRole('region', { name: 'Drawing of How a booking goes' })
    await canvas.getByText('Pick a crossing').waitFor()
    const card = canvas.getByRole('link', { name: new RegExp(key) })
    await card.getByText('Paint the pier').waitFor()
    await stage.atrium.tasks.update(task, { title: 'Paint the long pier', status: 'in_progress' })
    await card.getByText('Paint the long pier').waitFor()
    await card.getByText('in progress').waitFor()
    await forgetShifts(page)
    await checkPage(watched, 'boards-board')
    await card.click()
    await page.waitForURL(`**/work/tasks/${task}`)
  })

  it('moves and zooms by keys, and shows all of it again', async () => {
    const { page } = await open('')
    await page.getByRole('link', { name: 'How a booking goes' }).click()
    const canvas = page.getByRole('region', { name: /^Drawing of/ })
    await canvas.getByText('Pick a crossing').waitFor()
    const place = () => canvas.locator('svg > g').first().getAttribute('transform')
    const whole = await place()
    await page.keyboard.press('+')
    assert.notEqual(await place(), whole)
    await page.keyboard.press('0')
    assert.equal(await place(), whole)
    await canvas.getByRole('group').first().focus()
    await page.keyboard.press('ArrowRight')
    assert.notEqual(await place(), whole)
    await page.keyboard.press('0')
    const box = (await canvas.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    await page.mouse.move(box.x + box.width / 2, box.y + 20)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width / 2 + 50, box.y + 60, { steps: 4 })
    await page.mouse.up()
    assert.notEqual(await place(), whole)
  })

  it('tells where a damaged file is damaged, and makes nothing of it', async () => {
    const { page } = await open('')
    await page.getByRole('link', { name: 'How a booking goes' }).waitFor()
    const before = (await stage.atrium.boards.list({ limit: 100 })).data.length
    await drop(page, 'damaged.excalidraw', scene(element('a', {}), element('b', { width: 'wide' })))
    const dialog = page.getByRole('dialog', { name: 'The drawing was not imported' })
    await dialog.getByText('elements[1].width', { exact: true }).waitFor()
    await dialog.getByText('damaged.excalidraw').waitFor()
    assert.equal((await stage.atrium.boards.list({ limit: 100 })).data.length, before)
  })

  it('keeps hostile text as text, and follows no link but those of the web over TLS', async () => {
    const watched = await open('')
    const { page } = watched
    await drop(page, 'hostile.excalidraw', hostileScene)
    await onBoard(page)
    const canvas = page.getByRole('region', { name: 'Drawing of hostile' })
    await canvas.getByText('Image (not in the file)').waitFor()
    assert.ok((await canvas.locator('.drawing-text').allTextContents()).join(' ').includes('<img src=x'))
    assert.equal(await page.locator('.drawing img, .drawing script, .drawing style').count(), 0)
    const links = await canvas.getByRole('link').evaluateAll((all) => all.map((each) => each.getAttribute('href')))
    assert.deepEqual(links, ['https://maps.example/harbour'])
    const link = canvas.getByRole('link')
    assert.equal(await link.getAttribute('rel'), 'noopener noreferrer')
    const paints = await page
      .locator('.drawing *')
      .evaluateAll((all) => all.flatMap((each) => [each.getAttribute('fill'), each.getAttribute('stroke')]))
    assert.deepEqual(
      paints.filter((paint) => paint?.includes('url') || paint?.includes(';')),
      [],
    )
    await page.getByRole('button', { name: 'Texts' }).click()
    await page.getByRole('list', { name: 'Texts of the drawing' }).getByText(hostile).waitFor()
    await settled(page)
    assert.match(await page.title(), /hostile/)
    await forgetShifts(page)
    await checkQuiet(watched)
  })

  it('publishes the next snapshot on the board that a file is dropped on', async () => {
    const { page } = await open('')
    await page.getByRole('link', { name: 'Retrospective' }).click()
    await page.getByText('Nothing is drawn here yet').waitFor()
    await drop(page, 'wireframes.excalidraw', drawing)
    await page.getByRole('region', { name: 'Drawing of Retrospective' }).waitFor()
    const board = await stage.atrium.boards.retrieve(idIn(page))
    assert.equal(board.snapshot.status, 'current')
    assert.equal(board.item_count, 150)
  })

  it('shares a board, changes the role, and takes the person out', async () => {
    const { user } = await stage.person('member')
    const watched = await open('')
    const { page } = watched
    await page.getByRole('link', { name: 'Retrospective' }).click()
    await onBoard(page)
    const board = idIn(page)
    const roles = async () => {
      const { data } = await stage.atrium.boards.members.list(board)
      return data.filter((member) => member.user === user).map(({ role }) => role)
    }
    await page.getByRole('button', { name: 'Members' }).click()
    await page.getByRole('button', { name: /Share with/ }).click()
    await page.getByRole('option', { name: /Mara Lindt/ }).click()
    await page.getByRole('button', { name: 'Share', exact: true }).click()
    const members = page.getByRole('list', { name: 'Members' })
    await members.getByText('Mara Lindt').waitFor()
    assert.deepEqual(await roles(), ['editor'])
    assert.deepEqual(await told('board_members.create'), byOwner())
    await members.getByLabel('Role of Mara Lindt').selectOption('viewer')
    await page.getByText('Mara Lindt is viewer now').waitFor()
    assert.deepEqual(await roles(), ['viewer'])
    await forgetShifts(page)
    await checkPage(watched, 'boards-members')
    await members.getByRole('button', { name: 'Remove Mara Lindt' }).click()
    await page.getByText('Mara Lindt removed').waitFor()
    assert.deepEqual(await roles(), [])
  })

  it('shows the boards, renames one, archives it, and brings it back by Undo', async () => {
    const watched = await open('')
    const { page } = watched
    await page.locator('.board-thumbnail').getByText('Pick a crossing').waitFor()
    await checkPage(watched, 'boards-grid')
    await page.getByRole('button', { name: 'More about Retrospective' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Retrospective, spring')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Retrospective, spring' }).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    const { data } = await stage.atrium.boards.list({ limit: 100 })
    const id = data.find(({ name }) => name === 'Retrospective, spring')?.id ?? ''
    const status = async () => (await stage.atrium.boards.retrieve(id)).status
    stage.later(11 * 60)
    await page.getByRole('button', { name: 'More about Retrospective, spring' }).click()
    await page.getByRole('menuitem', { name: 'Archive' }).click()
    await confirm(page)
    await page.getByText('Retrospective, spring archived').waitFor()
    assert.equal(await status(), 'archived')
    assert.deepEqual(await told('boards.delete'), byOwner())
    const link = page.getByRole('link', { name: 'Retrospective, spring' })
    await link.waitFor({ state: 'detached' })
    await page.getByRole('switch', { name: 'Archived' }).click()
    await link.waitFor()
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await page.waitForFunction(() => document.querySelector('.board-card[data-archived]') === null)
    assert.equal(await status(), 'active')
  })
})

/** Boards: the grid of thumbnails, import by drop, the viewer with live task cards, and sharing. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { whiteboard } from '../../server/src/demo/whiteboard.ts'
import { checkNoScriptRan, checkPage, checkQuiet, forgetShifts, settled } from './checks.ts'
import { element, hostile, hostileScene, rectangles, scene } from './drawings.ts'
import { confirmIdentity, stageOf } from './stage.ts'

describe('boards', () => {
  const stage = stageOf()
  let task: string
  let key: string
  before(async () => {
    const { id: workspace } = await stage.atrium.workspaces.create({ title: 'Harbour' })
    const created = await stage.atrium.tasks.create({ workspace, title: 'Paint the pier', assignee: stage.owner.user })
    task = created.id
    key = created.key
  })

  const openGrid = () => stage.visit('/boards')
  const idIn = (page: Page) => new URL(page.url()).pathname.split('/').at(-1) ?? ''
  const onBoard = (page: Page) => page.waitForURL(/\/boards\/brd_/)
  /** Drops a file on the page, as from the desktop. */
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

  it('explains boards on the empty page, and creates one, which opens ready to draw', async () => {
    const { page } = await openGrid()
    await page.getByText('No boards yet').waitFor()
    await page.getByRole('button', { name: 'New board' }).click()
    await page.getByLabel('Name').fill('Retrospective')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.waitForURL(/\/boards\/brd_\w+\/draw$/)
    await page.locator('.excalidraw canvas').first().waitFor()
    await page.getByRole('link', { name: 'View' }).click()
    await page.getByText('This board is empty').waitFor()
    const board = await stage.atrium.boards.retrieve(idIn(page))
    assert.equal(board.name, 'Retrospective')
    assert.equal(board.owner, stage.owner.user)
    assert.deepEqual(await stage.lastActor('boards.create'), stage.ownerActor)
  })

  it('creates a board from a drawing dropped anywhere, with live cards of its tasks', async () => {
    const watched = await openGrid()
    const { page } = watched
    const drawing = new TextDecoder().decode(whiteboard({ hold: `${stage.url}/work/tasks/${task}` }))
    await drop(page, 'How a booking goes.excalidraw', drawing)
    await onBoard(page)
    await page.getByRole('heading', { name: 'How a booking goes' }).waitFor()
    assert.deepEqual(await stage.lastActor('boards.import'), stage.ownerActor)
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
    await card.getByText('In progress').waitFor()
    await forgetShifts(page)
    await checkPage(watched, 'boards-board')
    await card.click()
    await page.waitForURL(`**/work/tasks/${task}`)
  })

  it('pans and zooms by keyboard and mouse, and resets the view', async () => {
    const { page } = await openGrid()
    await page.getByRole('link', { name: 'How a booking goes' }).click()
    const canvas = page.getByRole('region', { name: /^Drawing of/ })
    await canvas.getByText('Pick a crossing').waitFor()
    const view = () => canvas.locator('svg > g').first().getAttribute('transform')
    const initial = await view()
    await page.keyboard.press('+')
    assert.notEqual(await view(), initial)
    await page.keyboard.press('0')
    assert.equal(await view(), initial)
    await canvas.getByRole('group').first().focus()
    await page.keyboard.press('ArrowRight')
    assert.notEqual(await view(), initial)
    await page.keyboard.press('0')
    const box = (await canvas.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    await page.mouse.move(box.x + box.width / 2, box.y + 20)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width / 2 + 50, box.y + 60, { steps: 4 })
    await page.mouse.up()
    assert.notEqual(await view(), initial)
  })

  it('names the place where a dropped file is damaged, and creates no board', async () => {
    const { page } = await openGrid()
    await page.getByRole('link', { name: 'How a booking goes' }).waitFor()
    const before = (await stage.atrium.boards.list({ limit: 100 })).data.length
    await drop(page, 'damaged.excalidraw', scene(element('a', {}), element('b', { width: 'wide' })))
    const dialog = page.getByRole('dialog', { name: 'The drawing was not imported' })
    await dialog.getByText('elements[1].width', { exact: true }).waitFor()
    await dialog.getByText('damaged.excalidraw').waitFor()
    assert.equal((await stage.atrium.boards.list({ limit: 100 })).data.length, before)
  })

  it('shows hostile text as text, and makes only https links clickable', async () => {
    const watched = await openGrid()
    const { page } = watched
    await drop(page, 'hostile.excalidraw', hostileScene)
    await onBoard(page)
    const canvas = page.getByRole('region', { name: 'Drawing of hostile' })
    await canvas.getByText('Image (not in the file)').waitFor()
    assert.ok((await canvas.locator('.drawing-text').allTextContents()).join(' ').includes('<img src=x'))
    assert.equal(await page.locator('.drawing img, .drawing script, .drawing style').count(), 0)
    const link = canvas.getByRole('link')
    assert.deepEqual(await link.evaluateAll((all) => all.map((each) => each.getAttribute('href'))), [
      'https://maps.example/harbour',
    ])
    assert.equal(await link.getAttribute('rel'), 'noopener noreferrer')
    const colours = await page
      .locator('.drawing *')
      .evaluateAll((all) => all.flatMap((each) => [each.getAttribute('fill'), each.getAttribute('stroke')]))
    assert.deepEqual(
      colours.filter((colour) => colour?.includes('url') || colour?.includes(';')),
      [],
    )
    await page.getByRole('button', { name: 'Texts' }).click()
    await page.getByRole('list', { name: 'Texts of the drawing' }).getByText(hostile).first().waitFor()
    await settled(page)
    await checkNoScriptRan(page)
    await forgetShifts(page)
    await checkQuiet(watched)
  })

  it('publishes a file dropped on a board as its next snapshot', async () => {
    const { page } = await openGrid()
    await page.getByRole('link', { name: 'Retrospective' }).click()
    await page.getByText('This board is empty').waitFor()
    await drop(page, 'wireframes.excalidraw', rectangles)
    await page.getByRole('region', { name: 'Drawing of Retrospective' }).waitFor()
    const board = await stage.atrium.boards.retrieve(idIn(page))
    assert.equal(board.snapshot.status, 'current')
    assert.equal(board.item_count, 150)
  })

  it('shares a board, changes the role and removes the person', async () => {
    const { user } = await stage.person('member')
    const watched = await openGrid()
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
    assert.deepEqual(await stage.lastActor('board_members.create'), stage.ownerActor)
    await members.getByLabel('Role of Mara Lindt').selectOption('viewer')
    await page.getByText('Role of Mara Lindt changed to Viewer').waitFor()
    assert.deepEqual(await roles(), ['viewer'])
    await forgetShifts(page)
    await checkPage(watched, 'boards-members')
    await members.getByRole('button', { name: 'Remove Mara Lindt' }).click()
    await page.getByText('Mara Lindt removed').waitFor()
    assert.deepEqual(await roles(), [])
  })

  it('renames a board, archives it and restores it by Undo', async () => {
    const watched = await openGrid()
    const { page } = watched
    await page.locator('.board-thumbnail').getByText('Pick a crossing').waitFor()
    await checkPage(watched, 'boards-grid')
    await page.getByRole('button', { name: 'Actions for Retrospective' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Retrospective, spring')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Retrospective, spring' }).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    const { data } = await stage.atrium.boards.list({ limit: 100 })
    const id = data.find(({ name }) => name === 'Retrospective, spring')?.id ?? ''
    const status = async () => (await stage.atrium.boards.retrieve(id)).status
    stage.later(11 * 60)
    await page.getByRole('button', { name: 'Actions for Retrospective, spring' }).click()
    await page.getByRole('menuitem', { name: 'Archive' }).click()
    await confirmIdentity(page)
    await page.getByText('Retrospective, spring archived').waitFor()
    assert.equal(await status(), 'archived')
    assert.deepEqual(await stage.lastActor('boards.delete'), stage.ownerActor)
    const link = page.getByRole('link', { name: 'Retrospective, spring' })
    await link.waitFor({ state: 'detached' })
    await page.getByRole('switch', { name: 'Archived' }).click()
    await link.waitFor()
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await page.waitForFunction(() => document.querySelector('.board-card[data-archived]') === null)
    assert.equal(await status(), 'active')
  })
})

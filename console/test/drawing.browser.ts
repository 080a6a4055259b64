/** Drawing on a board in real browsers: Excalidraw under the console's policy, two people, tasks, and a stranger's flow chart. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { settled } from './checks.ts'
import { openStage, type Stage } from './stage.ts'

interface Shown {
  readonly id: string
  readonly type: string
  readonly version: number
  readonly isDeleted: boolean
  readonly text?: string
  readonly startBinding?: { readonly elementId: string } | null
  readonly endBinding?: { readonly elementId: string } | null
}

/** Runs in the page: without this function, files are saved by a download, which a test can follow. */
function saveByDownload(): void {
  Reflect.deleteProperty(window, 'showOpenFilePicker')
}

describe('drawing', () => {
  let stage: Stage
  before(async () => {
    stage = await openStage()
  })
  after(() => stage.close())

  const makeBoard = async (): Promise<string> => {
    const { id } = await stage.atrium.boards.create({ name: 'Plan' })
    await stage.atrium.boards.members.create(id, { user: stage.owner.user, role: 'editor' })
    return id
  }
  const opened = async (page: Page) => {
    await page.locator('.excalidraw canvas.interactive').waitFor()
    await page.getByText('Saved', { exact: true }).waitFor()
    await settled(page)
  }
  const saved = async (page: Page) => {
    await page.getByText('Saved', { exact: true }).waitFor()
  }
  const canvasOf = async (page: Page) => {
    const box = await page.locator('.excalidraw canvas.interactive').boundingBox()
    assert.ok(box)
    return box
  }
  const drag = async (page: Page, from: readonly [number, number], to: readonly [number, number]) => {
    const { x, y } = await canvasOf(page)
    await page.mouse.move(x + from[0], y + from[1])
    await page.mouse.down()
    await page.mouse.move(x + to[0], y + to[1], { steps: 4 })
    await page.mouse.up()
  }
  const quiet = (watched: { foreign: string[]; violations: string[]; errors: string[] }) => {
    assert.deepEqual([watched.foreign, watched.violations, watched.errors], [[], [], []])
  }
  /** The board as the server keeps it. */
  const elementsOf = async (board: string): Promise<Shown[]> => {
    const { readScene } = await import('../../server/src/resources/board_items/scene/log.ts')
    const { realm } = await realmOf()
    const scene = await readScene(stage.server.services.store.reader('system'), { realm, board })
    return (scene?.shownElements() ?? []) as unknown as Shown[]
  }
  const realmOf = async () => {
    const caller = await stage.server.services.credentials.find(stage.key, Date.now())
    assert.ok(caller)
    return caller
  }

  it('a stranger draws a chart of five boxes with arrows by mouse; it is kept, exported, and read by the API', async () => {
    const board = await makeBoard()
    const watched = await stage.visit(`/boards/${board}`)
    const { page } = watched
    await page.addInitScript(saveByDownload)
    await page.getByRole('link', { name: 'Draw' }).first().click()
    await page.reload()
    await opened(page)
    const names = ['Ask', 'Plan', 'Build', 'Check', 'Ship']
    for (const [i, name] of names.entries()) {
      const left = 300 + (i % 3) * 220
      const top = 120 + Math.floor(i / 3) * 220
      await page.locator('[data-testid="toolbar-rectangle"]').locator('..').click()
      await drag(page, [left, top], [left + 130, top + 80])
      const { x, y } = await canvasOf(page)
      await page.mouse.dblclick(x + left + 65, y + top + 40)
      await page.keyboard.type(name)
      await page.keyboard.press('Escape')
    }
    for (const [from, to] of [
      [425, 525],
      [645, 745],
    ] as const) {
      await page.locator('[data-testid="toolbar-arrow"]').locator('..').click()
      await drag(page, [from, 160], [to, 160])
    }
    await saved(page)
    const elements = await elementsOf(board)
    const count = (type: string) => elements.filter((element) => element.type === type).length
    assert.deepEqual([count('rectangle'), count('text'), count('arrow')], [5, 5, 2])
    assert.deepEqual(elements.flatMap(({ text }) => text ?? []).sort(), [...names].sort())
    for (const arrow of elements.filter(({ type }) => type === 'arrow')) {
      assert.ok(arrow.startBinding && arrow.endBinding, 'arrows hold on to the boxes')
    }
    await page.reload()
    await opened(page)
    assert.deepEqual(await elementsOf(board), elements)
    quiet(watched)
  })

  it('exports pictures and the file under the policy, with the fonts of the console', async () => {
    const board = await makeBoard()
    const watched = await stage.visit(`/boards/${board}/draw`)
    const { page } = watched
    await page.addInitScript(saveByDownload)
    await page.reload()
    await opened(page)
    const { x, y } = await canvasOf(page)
    await page.mouse.dblclick(x + 500, y + 300)
    await page.keyboard.type('Grüße')
    await page.keyboard.press('Escape')
    await saved(page)
    await page.keyboard.press('Control+Shift+E')
    const download = async (name: string) => {
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name, exact: true }).click(),
      ])
      return readFileSync(await file.path())
    }
    assert.equal((await download('Export to PNG')).toString('latin1', 1, 4), 'PNG')
    const svg = (await download('Export to SVG')).toString()
    assert.match(svg, /@font-face \{ font-family: Excalifont; src: url\(data:font\/woff2;base64,/)
    assert.match(svg, /Grüße/)
    assert.doesNotMatch(svg, /esm\.sh/)
    await page.keyboard.press('Escape')
    const fonts = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .map(({ name }) => name)
        .filter((name) => name.endsWith('.woff2')),
    )
    assert.ok(fonts.length > 0 && fonts.every((name) => name.startsWith(stage.url)), fonts.join(' '))
    quiet(watched)
  })

  it('two people see each other draw, and undo takes back only what is one’s own', async () => {
    const board = await makeBoard()
    const ben = await stage.person('member', 'Ben')
    await stage.atrium.boards.members.create(board, { user: ben.user, role: 'editor' })
    const one = await stage.visit(`/boards/${board}/draw`)
    const two = await stage.visit(`/boards/${board}/draw`, { person: ben })
    await opened(one.page)
    await opened(two.page)
    await one.page.getByRole('list', { name: 'On this board' }).getByRole('listitem').nth(1).waitFor()
    await one.page.keyboard.press('r')
    await drag(one.page, [300, 150], [400, 220])
    await saved(one.page)
    await two.page.keyboard.press('o')
    await drag(two.page, [500, 150], [600, 220])
    await saved(two.page)
    const types = async () => (await elementsOf(board)).map(({ type }) => type).sort()
    assert.deepEqual(await types(), ['ellipse', 'rectangle'])
    await one.page.keyboard.press('Control+z')
    await one.page.waitForFunction(() => document.querySelector('[role="status"]')?.textContent === 'Saved')
    await until(async () => (await types()).join() === 'ellipse')
    quiet(one)
    quiet(two)
  })

  it('a task placed from the search is a live card; a note becomes a task; a double click opens it', async () => {
    const { id: workspace } = await stage.atrium.workspaces.create({ title: 'Harbour' })
    const task = await stage.atrium.tasks.create({ workspace, title: 'Paint the pier' })
    const board = await makeBoard()
    const watched = await stage.visit(`/boards/${board}/draw?panel=tasks`)
    const { page } = watched
    await opened(page)
    await page.getByRole('list', { name: 'Tasks' }).getByText('Paint the pier').click()
    const card = page.locator('.live-card')
    await card.getByText('Paint the pier').waitFor()
    await stage.atrium.tasks.update(task.id, { title: 'Paint the long pier', status: 'in_progress' })
    await card.getByText('Paint the long pier').waitFor()
    await card.getByText('In progress').waitFor()
    await saved(page)
    // A note of its own, which becomes a task.
    await page.keyboard.press('Escape')
    await page.locator('[data-testid="toolbar-rectangle"]').locator('..').click()
    await drag(page, [300, 440], [460, 520])
    const { x, y } = await canvasOf(page)
    await page.mouse.dblclick(x + 380, y + 480)
    await page.keyboard.type('Buy rope')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Create task from note' }).click()
    await page.locator('.live-card').getByText('Buy rope').waitFor()
    await saved(page)
    const { data } = await stage.atrium.tasks.list({ workspace, filter: 'title = "Buy rope"' })
    assert.equal(data.length, 1)
    await page.mouse.dblclick(x + 380, y + 480)
    await page.waitForURL(`**/work/tasks/${data[0]?.id}`)
    quiet(watched)
  })

  it('a viewer sees the drawing and has no tools', async () => {
    const board = await makeBoard()
    const viewer = await stage.person('member', 'Vera')
    await stage.atrium.boards.members.create(board, { user: viewer.user, role: 'viewer' })
    const watched = await stage.visit(`/boards/${board}/draw`, { person: viewer })
    await watched.page.getByText('You can look at this board').waitFor()
    assert.equal(await watched.page.locator('[data-testid="toolbar-rectangle"]').count(), 0)
  })

  async function until(condition: () => Promise<boolean>): Promise<void> {
    while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20))
  }
})

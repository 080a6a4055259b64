/** What people do on the canvas of a board: present, follow, drop files, draw by hand and pen, connect tasks, go back in time. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CDPSession, Page } from 'playwright-core'
import { canvasOf, canvasOpened, chooseTool, dragOnCanvas, elementsOf, makeBoard } from './canvas.ts'
import { checkAxe, settled } from './checks.ts'
import { element, scene } from './drawings.ts'
import { stageOf } from './stage.ts'

/** Long enough for a busy machine. */
const wait_ms_max = 60_000

/** Excalidraw's own interface. */
const editor = ['.excalidraw']

describe('the canvas of a board', () => {
  const stage = stageOf()

  const quiet = (watched: { foreign: string[]; violations: string[]; errors: string[] }) =>
    assert.deepEqual([watched.foreign, watched.violations, watched.errors], [[], [], []])
  const saved = (page: Page) => page.getByText('Saved', { exact: true }).waitFor()
  const typesOn = async (board: string) => (await elementsOf(stage, board)).map(({ type }) => type).sort()
  const open = async (board: string, query = '') => {
    const watched = await stage.visit(`/boards/${board}/draw${query}`)
    await canvasOpened(watched.page)
    return watched
  }
  /** A project with tasks of these titles. */
  const makeTasks = async (...titles: string[]) => {
    const { id: workspace } = await stage.atrium.workspaces.create({ title: 'Harbour' })
    const { id: project } = await stage.atrium.projects.create({ workspace, name: 'Pier' })
    return await Promise.all(titles.map((title) => stage.atrium.tasks.create({ workspace, project, title })))
  }
  const cardAt = (task: string, x: number, y: number) =>
    ({ type: 'card', linked_task: task, position: { x, y } }) as const
  const boxOf = async (page: Page) => (await page.locator('.live-card').first().boundingBox()) ?? assert.fail()

  it('presents its frames in reading order over the whole window, by keys and buttons, and returns to where it was', async () => {
    const [task] = await makeTasks('Paint the pier')
    const board = await makeBoard(stage, 'Talk')
    const frame = (text: string, x: number, y: number) =>
      ({ type: 'frame', text, position: { x, y }, geometry: { width: 600, height: 400 } }) as const
    await stage.atrium.boards.items.create(board, {
      items: [frame('Below', 0, 3000), frame('Right', 3000, 20), frame('Left', 0, 0), cardAt(task?.id ?? '', 3000, 20)],
    })
    const watched = await open(board)
    const { page } = watched
    const before = await boxOf(page)
    await page.getByRole('button', { name: 'Present frames' }).click()
    const bar = page.getByRole('group', { name: 'Presentation' })
    const shows = (text: string) => bar.getByText(text, { exact: true }).waitFor()
    await shows('1 of 3 · Left')
    await settled(page)
    assert.deepEqual(await canvasOf(page), { x: 0, y: 0, width: 1440, height: 900 })
    assert.equal(await page.locator('[data-testid="toolbar-rectangle"]').isVisible(), false)
    assert.ok((await boxOf(page)).x > 1440, 'the card is on another slide')
    await checkAxe(page, 'a presentation', editor)
    await page.keyboard.press('ArrowRight')
    await shows('2 of 3 · Right')
    // The canvas follows the bar.
    await page.waitForFunction(() => {
      const card = document.querySelector('.live-card')?.getBoundingClientRect()
      return card !== undefined && Math.round(card.x + card.width / 2) === innerWidth / 2
    })
    const { x, y, width, height } = await boxOf(page)
    // A frame of 600 by 400 fills 94 % of the height.
    assert.deepEqual([x + width / 2, y + height / 2].map(Math.round), [720, 450])
    assert.equal(Math.round(width), Math.round((220 * 900 * 0.94) / 400))
    await bar.getByRole('button', { name: 'Next frame' }).click()
    await shows('3 of 3 · Below')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Home')
    await shows('1 of 3 · Left')
    await page.keyboard.press('Escape')
    await bar.waitFor({ state: 'detached' })
    await page.locator('[data-testid="toolbar-rectangle"]').waitFor()
    await page.waitForFunction(() => document.fullscreenElement === null)
    await settled(page)
    assert.deepEqual(await boxOf(page), before)
    assert.deepEqual(await typesOn(board), ['frame', 'frame', 'frame', 'rectangle'])
    quiet(watched)
  })

  it('says what to draw when there is nothing to present', async () => {
    const { page } = await open(await makeBoard(stage, 'Empty'))
    await page.getByRole('button', { name: 'Present frames' }).click()
    await page.getByText('Nothing to present', { exact: false }).waitFor()
  })

  it('a person who follows another sees what the other sees, moved by wheel or by keys', async () => {
    const [task] = await makeTasks('Follow me')
    const board = await makeBoard(stage, 'Tour')
    const ben = await stage.person('member', 'Ben')
    await stage.atrium.boards.members.create(board, { user: ben.user, role: 'viewer' })
    await stage.atrium.boards.items.create(board, { items: [cardAt(task?.id ?? '', 0, 0)] })
    const one = await open(board)
    const two = await stage.visit(`/boards/${board}/draw`, { person: ben })
    await canvasOpened(two.page)
    const people = two.page.getByRole('list', { name: 'On this board' })
    assert.equal(await people.getByRole('listitem').count(), 2)
    await two.page.locator('.UserList__collaborator').first().click()
    await two.page.locator('.follow-mode').waitFor()
    const sameAsOne = async () => {
      const [own, followed] = [await boxOf(one.page), await boxOf(two.page)]
      const [ofOne, ofTwo] = [await canvasOf(one.page), await canvasOf(two.page)]
      const share = (box: typeof own, canvas: typeof own) => [
        (box.x + box.width / 2 - canvas.x - canvas.width / 2) / box.width,
        (box.y + box.height / 2 - canvas.y - canvas.height / 2) / box.width,
      ]
      const [a, b] = [share(own, ofOne), share(followed, ofTwo)]
      return a.every((value, i) => Math.abs(value - (b[i] as number)) < 0.02)
    }
    await one.page.mouse.move(500, 400)
    await one.page.mouse.wheel(150, 120)
    await until(sameAsOne)
    await one.page.keyboard.press('Control+Equal')
    await one.page.keyboard.press('PageDown')
    await until(async () => (await boxOf(one.page)).y < 0 && (await sameAsOne()))
    quiet(one)
    quiet(two)
  })

  it('an arrow between two cards offers a dependency of their tasks, which can be undone', async () => {
    const [cut, saw] = await makeTasks('Cut planks', 'Buy a saw')
    assert.ok(cut && saw)
    const board = await makeBoard(stage, 'Order')
    await stage.atrium.boards.items.create(board, { items: [cardAt(saw.id, 0, 0), cardAt(cut.id, 500, 0)] })
    const watched = await open(board)
    const { page } = watched
    const [left, right] = [page.locator('.live-card').nth(0), page.locator('.live-card').nth(1)]
    await right.getByText('Cut planks').waitFor()
    const { x, y } = await canvasOf(page)
    const [from, to] = [await left.boundingBox(), await right.boundingBox()]
    assert.ok(from && to)
    await chooseTool(page, 'arrow')
    const middle = from.y + from.height / 2 - y
    await dragOnCanvas(page, [from.x + from.width - 10 - x, middle], [to.x + 10 - x, middle])
    const offer = page.getByText(`${saw.key} blocks ${cut.key}`)
    await offer.waitFor()
    const dependencies = async () =>
      (await stage.atrium.tasks.dependencies.list(saw.id)).data.map(({ to: blocked, kind }) => [blocked, kind])
    await page.getByRole('button', { name: 'Add dependency' }).click()
    await page.locator('.live-offer').getByText('Dependency', { exact: true }).waitFor()
    assert.deepEqual(await dependencies(), [[cut.id, 'blocks']])
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Add dependency' }).waitFor()
    assert.deepEqual(await dependencies(), [])
    await page.mouse.click(x + 700, y + 150)
    await offer.waitFor({ state: 'detached' })
    quiet(watched)
  })

  it('a task that is dragged from the search becomes a card where it is dropped', async () => {
    await makeTasks('Tar the hull')
    const board = await makeBoard(stage, 'Drop')
    const watched = await open(board, '?panel=tasks')
    const { page } = watched
    const found = page.getByRole('list', { name: 'Tasks' }).getByText('Tar the hull')
    await found.dragTo(page.locator('.excalidraw canvas.interactive'), { targetPosition: { x: 400, y: 300 } })
    await page.locator('.live-card').getByText('Tar the hull').waitFor()
    await saved(page)
    const { x, y } = await canvasOf(page)
    const box = await boxOf(page)
    assert.deepEqual([box.x + box.width / 2 - x, box.y + box.height / 2 - y].map(Math.round), [400, 300])
    quiet(watched)
  })

  /** Drops a file on the middle of the canvas. */
  const drop = (page: Page, name: string, text: string) =>
    page.evaluate(
      ([fileName = '', content = '']) => {
        const surface = document.querySelector('.excalidraw canvas.interactive') as HTMLCanvasElement
        const dataTransfer = new DataTransfer()
        dataTransfer.items.add(new File([content], fileName))
        const { left, top, width, height } = surface.getBoundingClientRect()
        const at = { clientX: left + width / 2, clientY: top + height / 2, bubbles: true, cancelable: true }
        surface.dispatchEvent(new DragEvent('drop', { ...at, dataTransfer }))
      },
      [name, text],
    )

  it('a drawing that is dropped is added for everyone, twice if dropped twice, and undone as a whole', async () => {
    const board = await makeBoard(stage, 'Parts')
    await stage.atrium.boards.items.create(board, { items: [{ type: 'text', text: 'Stays' }] })
    const watched = await open(board)
    const { page } = watched
    const frame = element('frame', { type: 'frame', name: 'Part', width: 300, height: 200 })
    const drawing = scene(frame, element('box', { frameId: 'frame' }), element('circle', { type: 'ellipse' }))
    await drop(page, 'part.excalidraw', drawing)
    await until(async () => (await typesOn(board)).length === 4)
    await drop(page, 'part.excalidraw', drawing)
    await until(async () => (await typesOn(board)).length === 7)
    const shown = await elementsOf(stage, board)
    const frames = shown.filter(({ type }) => type === 'frame').map(({ id }) => id)
    assert.deepEqual(
      shown.flatMap(({ type, frameId }) => (type === 'rectangle' ? [frameId] : [])).sort(),
      frames.toSorted(),
    )
    await page.locator('.excalidraw').focus()
    await page.keyboard.press('Control+z')
    await until(async () => (await typesOn(board)).length === 4)
    await saved(page)
    await page.reload()
    await canvasOpened(page)
    assert.deepEqual(await typesOn(board), ['ellipse', 'frame', 'rectangle', 'text'])
    quiet(watched)
  })

  it('a damaged drawing that is dropped is refused and changes nothing', async () => {
    const board = await makeBoard(stage, 'Damaged')
    await stage.atrium.boards.items.create(board, { items: [{ type: 'text', text: 'Stays' }] })
    const { page } = await open(board)
    await drop(page, 'damaged.excalidraw', '{"type": "excalidraw", "elements": [')
    await page.locator('.excalidraw .Modal').getByText('Couldn', { exact: false }).waitFor()
    assert.deepEqual(await typesOn(board), ['text'])
  })

  it('a library of shapes that is dropped is kept in the browser, and its shapes are placed by a click', async () => {
    const board = await makeBoard(stage, 'Shapes')
    const watched = await open(board)
    const { page } = watched
    page.on('dialog', (dialog) => void dialog.accept())
    const shape = element('buoy', { type: 'diamond' })
    const library = {
      type: 'excalidrawlib',
      version: 2,
      libraryItems: [{ id: 'one', status: 'unpublished', elements: [shape] }],
    }
    await drop(page, 'harbour.excalidrawlib', JSON.stringify(library))
    await page.waitForFunction(() => (localStorage.getItem('atrium.board-library') ?? '').includes('buoy'))
    await page.reload()
    await canvasOpened(page)
    await page.locator('.sidebar-trigger').click()
    await page.locator('.library-unit__active').first().click()
    await until(async () => (await typesOn(board)).join() === 'diamond')
    quiet(watched)
  })

  it('is dark when the console is', async () => {
    const { page } = await open(await makeBoard(stage, 'Night'))
    const background = () => page.locator('.excalidraw').evaluate((canvas) => canvas.classList.contains('theme--dark'))
    assert.equal(await background(), false)
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.locator('.excalidraw.theme--dark').waitFor()
    await page.emulateMedia({ colorScheme: 'light' })
    await page.locator('.excalidraw.theme--dark').waitFor({ state: 'detached' })
  })

  it('is drawn on by a finger, moved by two, and by a pen whose pressure is kept', async () => {
    const [task] = await makeTasks('Hold fast')
    const board = await makeBoard(stage, 'Hands')
    await stage.atrium.boards.items.create(board, { items: [cardAt(task?.id ?? '', 0, 0)] })
    const watched = await stage.visit(`/boards/${board}/draw`, { fresh: true, options: { hasTouch: true } })
    const { page } = watched
    await canvasOpened(page)
    const input = await page.context().newCDPSession(page)
    const { x, y } = await canvasOf(page)
    await chooseTool(page, 'ellipse')
    await swipe(input, [[[x + 300, y + 100]], [[x + 350, y + 140]], [[x + 420, y + 200]]])
    await until(async () => (await typesOn(board)).join() === 'ellipse,rectangle')
    await chooseTool(page, 'freedraw')
    await penStroke(input, [x + 600, y + 100])
    await until(async () => (await typesOn(board)).join() === 'ellipse,freedraw,rectangle')
    await saved(page)
    const stroke = (await elementsOf(stage, board)).find(({ type }) => type === 'freedraw')
    assert.equal(stroke?.simulatePressure, false)
    const pressures = stroke?.pressures as number[]
    assert.ok(new Set(pressures.map((value) => value.toFixed(1))).size > 2, `pressures: ${pressures}`)
    // Two touches within 300 ms are a double tap.
    await page.waitForFunction((since) => performance.now() > since + 300, await page.evaluate(() => performance.now()))
    const before = await boxOf(page)
    await swipe(input, [fingers(x + 300, y + 400), fingers(x + 320, y + 420), fingers(x + 360, y + 460)])
    await until(async () => (await boxOf(page)).x > before.x && (await boxOf(page)).y > before.y)
    assert.deepEqual(await typesOn(board), ['ellipse', 'freedraw', 'rectangle'])
    quiet(watched)
  })

  it('the history names a state and restores it for everyone', async () => {
    const board = await makeBoard(stage, 'Time')
    const watched = await open(board, '?panel=history')
    const { page } = watched
    await chooseTool(page, 'rectangle')
    await dragOnCanvas(page, [300, 200], [400, 260])
    await saved(page)
    await page.getByLabel('Name this version').fill('One box')
    await page.getByRole('button', { name: 'Keep' }).click()
    const versions = page.getByRole('list', { name: 'Versions' })
    await versions.getByText('One box').waitFor()
    await page.keyboard.press('Escape')
    await chooseTool(page, 'ellipse')
    await dragOnCanvas(page, [500, 200], [600, 260])
    await saved(page)
    assert.deepEqual(await typesOn(board), ['ellipse', 'rectangle'])
    await versions.getByRole('button', { name: 'Restore One box' }).click()
    await page.getByText('Version restored').waitFor()
    assert.deepEqual(await typesOn(board), ['rectangle'])
    quiet(watched)
  })
})

type Point = readonly [number, number]

/** Two fingers side by side. */
function fingers(x: number, y: number): readonly Point[] {
  return [
    [x, y],
    [x + 100, y],
  ]
}

/** Moves fingers through places: for each step the places of all. */
async function swipe(input: CDPSession, steps: readonly (readonly Point[])[]): Promise<void> {
  for (const [i, points] of steps.entries()) {
    const touchPoints = points.map(([x, y], id) => ({ x, y, id }))
    await input.send('Input.dispatchTouchEvent', { type: i === 0 ? 'touchStart' : 'touchMove', touchPoints })
  }
  await input.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
}

/** A stroke of a pen that is pressed more and more. */
async function penStroke(input: CDPSession, [x, y]: Point): Promise<void> {
  const pen = { pointerType: 'pen', button: 'left', clickCount: 1 } as const
  await input.send('Input.dispatchMouseEvent', { ...pen, type: 'mousePressed', x, y, force: 0.1 })
  for (let i = 1; i <= 8; i++)
    await input.send('Input.dispatchMouseEvent', {
      ...{ ...pen, type: 'mouseMoved', buttons: 1, x: x + i * 12, y: y + i * 6, force: i / 10 },
    })
  await input.send('Input.dispatchMouseEvent', { ...pen, type: 'mouseReleased', x: x + 100, y: y + 50 })
}

/** Waits for something that follows by itself. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + wait_ms_max
  while (!(await holds())) {
    assert.ok(Date.now() < end, `this never held: ${holds}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

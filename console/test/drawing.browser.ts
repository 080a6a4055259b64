/** Drawing on a board in real browsers: Excalidraw under the console's policy, two people, tasks, and a stranger's flow chart. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { whiteboard } from '../../server/src/demo/whiteboard.ts'
import { Drawer, rectangle } from '../../server/test/drawer.ts'
import { canvasOf, canvasOpened, chooseTool, dragOnCanvas, elementsOf, makeBoard } from './canvas.ts'
import { settled } from './checks.ts'
import { CountedHand } from './counted-hand.ts'
import { stageOf } from './stage.ts'
import { changesOf, saveByDownload } from './unchanged.ts'

interface Shown {
  readonly id: string
  readonly type: string
  readonly version: number
  readonly isDeleted: boolean
  readonly text?: string
  readonly containerId?: string | null
  readonly link: string | null
  readonly startBinding?: { readonly elementId: string } | null
  readonly endBinding?: { readonly elementId: string } | null
}

const attempts_max = 60
const attempt_ms = 500

describe('drawing', () => {
  const stage = stageOf()

  /** Selects all, until there is something. */
  const selected = async (page: Page) => {
    const actions = page.locator('.selected-shape-actions .App-menu__left')
    for (let attempt = 1; !(await actions.isVisible()); attempt++) {
      if (attempt > attempts_max) throw new Error('Nothing has arrived that could be selected.')
      await page.keyboard.press('Control+a')
      await actions.waitFor({ timeout: attempt_ms }).catch(() => {})
    }
  }
  const saved = async (page: Page) => {
    await page.getByText('Saved', { exact: true }).waitFor()
  }
  const shownOn = async (board: string) => (await elementsOf(stage, board)) as unknown as Shown[]
  const quiet = (watched: { foreign: string[]; violations: string[]; errors: string[] }) => {
    assert.deepEqual([watched.foreign, watched.violations, watched.errors], [[], [], []])
  }
  /** A newcomer's mouse and keyboard, with the steps on the canvas. */
  const handOf = (page: Page) => {
    const hand = new CountedHand(page)
    return {
      steps: () => hand.steps,
      click: hand.click.bind(hand),
      type: hand.type.bind(hand),
      tool: (name: string) => hand.step(() => chooseTool(page, name)),
      drag: (from: readonly [number, number], to: readonly [number, number]) =>
        hand.step(() => dragOnCanvas(page, from, to)),
      doubleClick: ([left, top]: readonly [number, number]) =>
        hand.step(async () => {
          const { x, y } = await canvasOf(page)
          await page.mouse.dblclick(x + left, y + top)
        }),
    }
  }

  it('a newcomer makes a whiteboard in a project and draws a chart of five boxes with arrows, in 32 steps by mouse', async () => {
    const { id: workspace } = await stage.atrium.workspaces.create({ title: 'Yard' })
    const { id: project } = await stage.atrium.projects.create({ workspace, name: 'Slipway' })
    const watched = await stage.visit(`/work/projects/${project}`)
    const { page } = watched
    const hand = handOf(page)
    await hand.click('link', 'Whiteboards')
    await page.getByText('No whiteboards yet').waitFor()
    await hand.click('button', 'New whiteboard')
    await hand.type('How a boat is launched')
    await hand.click('button', 'Create')
    await canvasOpened(page)
    const board = new URL(page.url()).pathname.split('/')[2] ?? ''
    const names = ['Ask', 'Plan', 'Build', 'Check', 'Ship']
    const places = names.map((_, i) => [300 + (i % 3) * 220, 120 + Math.floor(i / 3) * 220] as const)
    for (const [i, [left, top]] of places.entries()) {
      await hand.tool('rectangle')
      await hand.drag([left, top], [left + 130, top + 80])
      await hand.doubleClick([left + 65, top + 40])
      await hand.type(names[i] ?? '')
    }
    const arrows = [
      [0, 1],
      [1, 2],
      [3, 4],
    ] as const
    for (const [from, to] of arrows) {
      const [[left, top], [end]] = [places[from], places[to]] as [readonly [number, number], readonly [number, number]]
      await hand.tool('arrow')
      await hand.drag([left + 125, top + 40], [end + 5, top + 40])
    }
    await hand.tool('arrow')
    await hand.drag([780, 195], [380, 345])
    await saved(page)
    assert.equal(hand.steps(), 32)
    const elements = await shownOn(board)
    const count = (type: string) => elements.filter((element) => element.type === type).length
    assert.deepEqual([count('rectangle'), count('text'), count('arrow')], [5, 5, 4])
    assert.deepEqual(elements.flatMap(({ text }) => text ?? []).sort(), [...names].sort())
    const boxOf = (name: string) => elements.find(({ text }) => text === name)?.containerId
    assert.deepEqual(
      elements
        .filter(({ type }) => type === 'arrow')
        .map(({ startBinding, endBinding }) => [startBinding?.elementId, endBinding?.elementId])
        .sort(),
      names
        .slice(1)
        .map((name, i) => [boxOf(names[i] ?? ''), boxOf(name)])
        .sort(),
    )
    await page.reload()
    await canvasOpened(page)
    assert.deepEqual(await shownOn(board), elements)
    assert.equal((await stage.atrium.boards.retrieve(board)).project, project)
    quiet(watched)
  })

  it('a newcomer writes twelve notes and turns them into twelve tasks of the project at once, in 30 steps by mouse; one undo takes all back', async () => {
    const { id: workspace } = await stage.atrium.workspaces.create({ title: 'Docks' })
    const { id: project } = await stage.atrium.projects.create({ workspace, name: 'Workshop' })
    await stage.atrium.columns.create({ workspace, project, name: 'Ideas' })
    const { id: column } = await stage.atrium.columns.create({ workspace, project, name: 'Next' })
    const { id: board } = await stage.atrium.boards.create({ name: 'Brainstorm', project })
    await stage.atrium.boards.members.create(board, { user: stage.owner.user, role: 'editor' })
    const watched = await stage.visit(`/boards/${board}/draw`)
    const { page } = watched
    await canvasOpened(page)
    const hand = handOf(page)
    const names = Array.from({ length: 12 }, (_, i) => `Note ${i + 1}`)
    for (const [i, name] of names.entries()) {
      await hand.doubleClick([320 + (i % 4) * 130, 120 + Math.floor(i / 4) * 80])
      await hand.type(name)
    }
    await hand.tool('selection')
    await hand.drag([260, 80], [860, 340])
    await hand.click('button', 'Tasks')
    await hand.click('button', 'Column')
    await hand.click('option', 'Next')
    await hand.click('button', 'Create 12 tasks from notes')
    await page.getByText('12 tasks created').waitFor()
    assert.equal(hand.steps(), 30)
    const tasks = async () => (await stage.atrium.tasks.list({ project: [project], limit: 50 })).data
    assert.deepEqual(
      (await tasks()).map((task) => [task.title, task.column, task.status]).sort(),
      names.map((name) => [name, column, 'todo']).sort(),
    )
    await page.locator('.toast').filter({ hasText: '12 tasks created' }).getByRole('button', { name: 'Undo' }).click()
    await page.locator('.live-card').first().waitFor({ state: 'detached' })
    assert.deepEqual(await tasks(), [])
    const convert = async () => {
      await hand.tool('selection')
      await hand.drag([260, 80], [860, 340])
      await page.getByRole('button', { name: 'Create 12 tasks from notes' }).click()
      await page.locator('.live-card').nth(11).waitFor()
    }
    await convert()
    await saved(page)
    await page.locator('.excalidraw').focus()
    await page.keyboard.press('Control+z')
    await page.locator('.live-card').first().waitFor({ state: 'detached' })
    await saved(page)
    assert.deepEqual(await tasks(), [])
    // Neither another undo nor a redo brings back cards of tasks that are gone.
    for (const keys of ['Control+z', 'Control+Shift+z']) await page.keyboard.press(keys)
    assert.deepEqual(
      (await shownOn(board)).flatMap(({ type, text }) => (type === 'text' ? [text] : [type])).sort(),
      [...names].sort(),
    )
    await page.getByRole('button', { name: 'Labels' }).click()
    await page.getByRole('combobox', { name: 'Search labels' }).fill('pier')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await convert()
    await saved(page)
    const made = await tasks()
    assert.deepEqual(
      made.map(({ labels }) => labels),
      names.map(() => ['pier']),
    )
    const shown = await shownOn(board)
    assert.deepEqual(
      shown.map(({ type, link }) => [type, link]).sort(),
      made.map(({ id }) => ['rectangle', `/work/tasks/${id}`]).sort(),
    )
    await page.getByRole('link', { name: 'Workshop' }).click()
    await page.waitForURL(`**/work/projects/${project}`)
    await page.getByLabel('Tasks in Next').getByText('Note 1', { exact: true }).waitFor()
    // Until the cards are gone, they ask for their deleted tasks.
    quiet({ ...watched, errors: watched.errors.filter((text) => !text.includes('410 (Gone)')) })
  })

  it('exports pictures and the file under the policy, with the fonts of the console', async () => {
    const board = await makeBoard(stage, 'Plan')
    const watched = await stage.visit(`/boards/${board}/draw`)
    const { page } = watched
    await page.addInitScript(saveByDownload)
    await page.reload()
    await canvasOpened(page)
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

  it('a drawing that is opened and saved without an edit stays as it is, on the board and in the file', async () => {
    const watched = await stage.visit('/boards')
    await watched.page.addInitScript(saveByDownload)
    assert.deepEqual(await changesOf(stage, watched.page, 'How a booking goes', whiteboard({})), [])
    quiet(watched)
  })

  it('elements at one place of the drawing order keep it, and a page that shows them changes none', async () => {
    const board = await makeBoard(stage, 'Quay')
    const server = stage.url
    const other = await new Drawer({ server, board, key: stage.key }).joined()
    const { page, ...watched } = await stage.visit(`/boards/${board}/draw`)
    await canvasOpened(page)
    const drawn = [
      rectangle('top', { x: 400, y: 300, index: 'a5' }),
      rectangle('same', { x: 400, y: 360, index: 'a5' }),
      rectangle('bottom', { x: 400, y: 420, index: 'a1' }),
    ]
    other.draw(...drawn)
    for (const [i, look] of [async () => {}, () => page.reload()].entries()) {
      await look()
      await canvasOpened(page)
      // The actions for what is selected show that the elements have arrived.
      await selected(page)
      await chooseTool(page, 'rectangle')
      await dragOnCanvas(page, [500, 200 + i * 100], [600, 260 + i * 100])
      await page.keyboard.press('Escape')
      await other.until(() => other.scene().length === drawn.length + i + 1)
    }
    const states = drawn.map(({ id }) => other.elements.get(id))
    assert.deepEqual(states, drawn)
    other.leave()
    quiet(watched)
  })

  it('two people see each other draw, and undo takes back only what is one’s own', async () => {
    const board = await makeBoard(stage, 'Plan')
    const ben = await stage.person('member', 'Ben')
    await stage.atrium.boards.members.create(board, { user: ben.user, role: 'editor' })
    const one = await stage.visit(`/boards/${board}/draw`)
    const two = await stage.visit(`/boards/${board}/draw`, { person: ben })
    await canvasOpened(one.page)
    await canvasOpened(two.page)
    await one.page.getByRole('list', { name: 'On this board' }).getByRole('listitem').nth(1).waitFor()
    await one.page.keyboard.press('r')
    await dragOnCanvas(one.page, [300, 150], [400, 220])
    await saved(one.page)
    await two.page.keyboard.press('o')
    await dragOnCanvas(two.page, [500, 150], [600, 220])
    await saved(two.page)
    const types = async () => (await shownOn(board)).map(({ type }) => type).sort()
    assert.deepEqual(await types(), ['ellipse', 'rectangle'])
    await one.page.keyboard.press('Control+z')
    await one.page.waitForFunction(() => document.querySelector('[role="status"]')?.textContent === 'Saved')
    await until(async () => (await types()).join() === 'ellipse' || null)
    quiet(one)
    quiet(two)
  })

  it('a task placed from the search is a live card; a note becomes a task; a double click opens it beside the board', async () => {
    const { id: workspace } = await stage.atrium.workspaces.create({ title: 'Harbour' })
    const task = await stage.atrium.tasks.create({ workspace, title: 'Paint the pier' })
    const board = await makeBoard(stage, 'Plan')
    const watched = await stage.visit(`/boards/${board}/draw?panel=tasks`)
    const { page } = watched
    await canvasOpened(page)
    await page.getByRole('list', { name: 'Tasks' }).getByText('Paint the pier').click()
    const card = page.locator('.live-card')
    await card.getByText('Paint the pier').waitFor()
    await saved(page)
    await settled(page)
    await card.getByText('Unassigned').waitFor()
    const due_at = Math.floor(Date.now() / 1000) + 5.5 * 86_400
    const assignee = stage.owner.user
    await stage.atrium.tasks.update(task.id, { title: 'Paint the long pier', status: 'in_progress', assignee, due_at })
    await card.getByText('Paint the long pier').waitFor()
    await card.getByText('In progress').waitFor()
    await card.getByText('Due in 5 days').waitFor()
    await card.locator('.avatar').waitFor()
    await stage.atrium.tasks.update(task.id, { assignee: null, due_at: null })
    await card.getByText('Unassigned').waitFor()
    await card.getByText('Due').waitFor({ state: 'detached' })
    await saved(page)
    // A note of its own, which becomes a task.
    await page.keyboard.press('Escape')
    await chooseTool(page, 'rectangle')
    await dragOnCanvas(page, [300, 440], [460, 520])
    const { x, y } = await canvasOf(page)
    await page.mouse.dblclick(x + 380, y + 480)
    await page.keyboard.type('Buy rope')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Create task from note' }).click()
    await page.locator('.live-card').getByText('Buy rope').waitFor()
    await saved(page)
    const { data } = await stage.atrium.tasks.list({ filter: 'title = "Buy rope"' })
    assert.equal(data.length, 1)
    await page.mouse.dblclick(x + 380, y + 480)
    const panel = page.getByRole('dialog', { name: `${data[0]?.key} Buy rope` })
    await panel.waitFor()
    assert.equal(new URL(page.url()).pathname, `/boards/${board}/draw`)
    await page.locator('.excalidraw canvas.interactive').waitFor()
    await panel.getByRole('button', { name: 'Close' }).click()
    await panel.waitFor({ state: 'detached' })
    quiet(watched)
  })

  it('a comment on a shape moves with it; the person mentioned finds it in the inbox and replies; resolved it leaves the canvas', async () => {
    const board = await makeBoard(stage, 'Plan')
    const carl = await stage.person('member', 'Carl')
    await stage.atrium.boards.members.create(board, { user: carl.user, role: 'commenter' })
    const shape = { source: { element_id: 'shed' }, type: 'shape', text: 'Shed', position: { x: 0, y: 0 } } as const
    await stage.atrium.boards.items.create(board, { items: [shape] })
    const one = await stage.visit(`/boards/${board}/draw`)
    await canvasOpened(one.page)
    const { x, y, width, height } = await canvasOf(one.page)
    await one.page.getByRole('button', { name: 'Comments' }).click()
    await one.page.getByRole('button', { name: 'Add comment' }).click()
    await one.page.mouse.click(x + width / 2, y + height / 2)
    await one.page.getByRole('textbox', { name: 'Write a comment' }).pressSequentially('Too small? @Carl')
    await one.page.getByRole('option', { name: /Carl/ }).click()
    await one.page.keyboard.press('Control+Enter')
    const pin = one.page.getByRole('button', { name: /^Comment of .*Too small\? @/ })
    await pin.waitFor()
    const before = await pin.boundingBox()
    await stage.atrium.boards.items.create(board, { items: [{ ...shape, position: { x: 100, y: 50 } }] })
    const moved = await until(async () => {
      const now = await pin.boundingBox()
      return now !== null && before !== null && now.x !== before.x ? [now.x - before.x, now.y - before.y] : null
    })
    assert.deepEqual(moved.map(Math.round), [100, 50])

    const two = await stage.visit('/inbox', { person: carl })
    await two.page.getByRole('button', { name: 'Unread: Plan' }).click()
    await canvasOpened(two.page)
    await two.page.getByRole('textbox', { name: 'Write a reply' }).pressSequentially('By a metre.')
    await two.page.keyboard.press('Control+Enter')
    await one.page.getByRole('list', { name: 'Comments' }).getByText('By a metre.').waitFor()
    await one.page.getByRole('button', { name: 'Resolve', exact: true }).click()
    await two.page.getByText('This thread is resolved.').waitFor()
    await one.page.getByRole('button', { name: 'All comments' }).click()
    await pin.waitFor({ state: 'detached' })
    const { data } = await stage.atrium.boards.comments.list(board)
    assert.deepEqual(
      data.map(({ body, element, author }) => [body.replace(/\[@.*/, '@Carl'), element, author.id]),
      [
        ['By a metre.', null, carl.user],
        ['Too small? @Carl', 'shed', stage.owner.user],
      ],
    )
    quiet(one)
    quiet(two)
  })

  it('a board is attached to a project, undone, attached again, and detached in a dialog', async () => {
    const { id: workspace } = await stage.atrium.workspaces.create({ title: 'Lighthouse' })
    const { id: project } = await stage.atrium.projects.create({ workspace, name: 'Lamp' })
    const { id: board } = await stage.atrium.boards.create({ name: 'Lenses' })
    const projectOf = async () => (await stage.atrium.boards.retrieve(board)).project
    const watched = await stage.visit(`/boards/${board}`)
    const { page } = watched
    const dialog = page.getByRole('dialog', { name: 'Attach to project' })
    const choose = async (name: string, action: string) => {
      await page.getByRole('button', { name: 'Actions for Lenses' }).click()
      await page.getByRole('menuitem', { name: 'Attach to project…' }).click()
      assert.ok(await dialog.locator('button[type=submit]').isDisabled())
      await dialog.getByRole('button', { name: 'Project' }).click()
      await page.getByRole('option', { name }).click()
      await dialog.getByRole('button', { name: action, exact: true }).click()
      await dialog.waitFor({ state: 'detached' })
    }
    await choose('Lamp', 'Attach')
    const toast = page.locator('.toast').filter({ hasText: 'Attached to Lamp' })
    await toast.getByRole('button', { name: 'Undo' }).click()
    await until(async () => ((await projectOf()) === null ? true : null))
    await choose('Lamp', 'Attach')
    assert.equal(await projectOf(), project)
    await page.goto(`${stage.url}/work/projects/${project}/whiteboards`)
    await page.getByText('Lenses').waitFor()
    await page.goto(`${stage.url}/boards/${board}`)
    await choose('No project', 'Detach')
    assert.equal(await projectOf(), null)
    quiet(watched)
  })

  it('a viewer sees the drawing and has no tools', async () => {
    const board = await makeBoard(stage, 'Plan')
    const viewer = await stage.person('member', 'Vera')
    await stage.atrium.boards.members.create(board, { user: viewer.user, role: 'viewer' })
    const watched = await stage.visit(`/boards/${board}/draw`, { person: viewer })
    await watched.page.getByText('You can look at this board').waitFor()
    assert.equal(await watched.page.locator('[data-testid="toolbar-rectangle"]').count(), 0)
  })

  async function until<T>(find: () => Promise<T | null>): Promise<T> {
    for (;;) {
      const found = await find()
      if (found !== null) return found
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
})

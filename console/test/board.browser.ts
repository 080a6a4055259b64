/** The order of cards by hand, with mouse, finger and keyboard, on a board that reads its columns page by page. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import type { Project } from '../../sdk/typescript/src/index.ts'
import { checkPage, settled } from './checks.ts'
import { stageOf } from './stage.ts'

describe('the order of a board', () => {
  const stage = stageOf()
  let workspace: string
  let project: Project
  let columns: Map<string, string>
  before(async () => {
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
  })

  /** A project with tasks A, B, C in its first column, unless others are named. */
  const arrange = async (titles: readonly string[] = ['A', 'B', 'C']) => {
    project = await stage.atrium.projects.create({ workspace, name: 'Ferries' })
    columns = new Map()
    for (const [name, status] of [
      ['To do', null],
      ['Review', 'in_review'],
      ['Done', 'done'],
    ] as const) {
      columns.set(name, (await stage.atrium.columns.create({ workspace, project: project.id, name, status })).id)
    }
    const made = []
    for (let from = 0; from < titles.length; from += 100) {
      const data = titles
        .slice(from, from + 100)
        .map((title) => ({ title, project: project.id, column: columns.get('To do') ?? null }))
      made.push(...(await stage.atrium.tasks.batch({ workspace, data })).data)
    }
    return made
  }
  const path = () => `/work/projects/${project.id}`
  const card = (page: Page, title: string) =>
    page.locator('.kanban-card', { has: page.getByRole('link', { name: title, exact: true }) })
  const kept = async (column: string) => {
    const filter = `column = ${columns.get(column)}`
    return (await stage.atrium.tasks.list({ filter, sort: 'position', limit: 100 })).data.map(({ title }) => title)
  }
  const waitForOrder = async (page: Page, column: string, titles: readonly string[]) => {
    await page.waitForFunction(
      ({ column, titles }) => {
        const found = document.querySelectorAll(`ul[aria-label="Tasks in ${column}"] a`)
        return [...found].map((link) => link.textContent).join() === titles.join()
      },
      { column, titles: [...titles] },
    )
  }
  const box = async (target: Locator) =>
    (await target.boundingBox()) as { x: number; y: number; width: number; height: number }
  /** Drags a card to the place before or behind another one, without dropping it. */
  const hold = async (page: Page, title: string, side: 'before' | 'behind', other: string) => {
    const from = await box(card(page, title))
    const to = await box(card(page, other))
    await page.mouse.move(from.x + 40, from.y + 20)
    await page.mouse.down()
    await page.mouse.move(to.x + 60, to.y + to.height / 2, { steps: 4 })
    await page.mouse.move(to.x + 60, side === 'before' ? to.y + 8 : to.y + to.height - 8)
    await page.locator('.board-line').waitFor()
  }
  const drag = async (...given: Parameters<typeof hold>) => {
    await hold(...given)
    await given[0].mouse.up()
  }

  it('reads each part of a board once when it is opened', async () => {
    await arrange()
    const { page } = await stage.signedIn()
    const asked: string[] = []
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url())
      if (/^\/(?:v1|app)\//.test(pathname) && pathname !== '/v1/events') asked.push(`${pathname}${search}`)
    })
    await page.goto(`${stage.url}${path()}`)
    await card(page, 'A').waitFor()
    await settled(page)
    assert.deepEqual(
      asked.filter((each, at) => asked.indexOf(each) !== at),
      [],
    )
    // What was asked for ahead of the program is what the program asks for.
    assert.deepEqual(await page.evaluate('[...(globalThis.firstAnswers ?? []).keys()]'), [])
  })

  it('keeps all marks of a task within its card, also in a narrow column', async () => {
    const [task, other, last] = (await arrange()).map(({ id }) => id) as [string, string, string]
    // Five columns are as narrow as columns become.
    for (const name of ['Later', 'Never']) await stage.atrium.columns.create({ workspace, project: project.id, name })
    const data = Array.from({ length: 12 }, (_, at) => ({ title: `Part ${at}`, project: project.id, parent: task }))
    await stage.atrium.tasks.batch({ workspace, data })
    await stage.atrium.tasks.dependencies.create(task, { workspace, to: other })
    await stage.atrium.tasks.dependencies.create(last, { workspace, to: task })
    const yesterday = Math.floor(Date.now() / 1000) - 86_400
    await stage.atrium.tasks.update(task, { priority: 'urgent', due_at: yesterday, assignee: stage.owner.user })
    const { page } = await stage.visit(path())
    const shown = card(page, 'A')
    await shown.locator('[data-kind=blocking]').waitFor()
    await settled(page)
    assert.equal(await shown.locator('.board-foot > *').count(), 6)
    assert.deepEqual(
      await shown.evaluate((element) => {
        const { right, bottom } = element.getBoundingClientRect()
        const isOutside = (box: DOMRect) => box.right > right || box.bottom > bottom
        const marks = [...element.querySelectorAll('.board-foot > *, .board-foot svg, .task-due, .task-person')]
        return marks.filter((mark) => isOutside(mark.getBoundingClientRect())).map((mark) => mark.className)
      }),
      [],
    )
  })

  it('follows the mouse within a column and into others; Undo puts a card back with its status', async () => {
    const [a] = await arrange()
    const watched = await stage.visit(path())
    const { page } = watched
    await drag(page, 'C', 'before', 'A')
    await waitForOrder(page, 'To do', ['C', 'A', 'B'])
    await page.getByText('moved within To do').waitFor()
    assert.deepEqual(await kept('To do'), ['C', 'A', 'B'])
    await drag(page, 'C', 'behind', 'A')
    await waitForOrder(page, 'To do', ['A', 'C', 'B'])
    await card(page, 'A').dragTo(page.getByRole('region', { name: 'Done', exact: true }))
    await waitForOrder(page, 'Done', ['A'])
    await page.getByText(`${a?.key} moved to Done, completed`).waitFor()
    assert.equal((await stage.atrium.tasks.retrieve(a?.id ?? '')).status, 'done')
    await page.keyboard.press('Control+z')
    await waitForOrder(page, 'To do', ['A', 'C', 'B'])
    await page.getByText('Undone').waitFor()
    const back = await stage.atrium.tasks.retrieve(a?.id ?? '')
    assert.deepEqual([back.status, back.column, back.completed_at], ['todo', columns.get('To do'), null])
    assert.deepEqual(await kept('To do'), ['A', 'C', 'B'])
    await checkPage(watched, 'work-board-order')
  })

  it('follows the keyboard, with the place announced; Escape writes nothing', async () => {
    const [, b] = await arrange()
    const { page } = await stage.visit(path())
    await card(page, 'B').getByRole('link').focus()
    for (const key of ['Space', 'ArrowDown']) await page.keyboard.press(key)
    await page.getByText('Position 3 of 3 in To do', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await waitForOrder(page, 'To do', ['A', 'B', 'C'])
    for (const key of ['Space', 'ArrowUp', 'Space']) await page.keyboard.press(key)
    await waitForOrder(page, 'To do', ['B', 'A', 'C'])
    await page.getByText('moved within To do').waitFor()
    for (const key of ['Space', 'ArrowRight']) await page.keyboard.press(key)
    await page.getByText('Position 1 of 1 in Review', { exact: true }).waitFor()
    assert.deepEqual(await kept('To do'), ['B', 'A', 'C'])
    await page.keyboard.press('Space')
    await page.getByText(`${b?.key} moved to Review, now in review`).waitFor()
    assert.deepEqual([await kept('To do'), await kept('Review')], [['A', 'C'], ['B']])
    assert.equal(
      await card(page, 'B')
        .getByRole('link')
        .evaluate((link) => link === document.activeElement),
      true,
    )
  })

  it('follows a finger after a long press, and scrolls without one', async () => {
    await arrange()
    const { page } = await stage.visit(path())
    const touch = await page.context().newCDPSession(page)
    const from = await box(card(page, 'A'))
    const to = await box(card(page, 'C'))
    const at = (x: number, y: number) => [{ x, y }]
    const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', points: { x: number; y: number }[]) =>
      touch.send('Input.dispatchTouchEvent', { type, touchPoints: points })
    await send('touchStart', at(from.x + 40, from.y + 20))
    await send('touchMove', at(from.x + 40, from.y + 60))
    await send('touchEnd', [])
    assert.equal(await page.locator('.drag-copy').count(), 0)
    await send('touchStart', at(from.x + 40, from.y + 20))
    await page.locator('.drag-copy').waitFor()
    await send('touchMove', at(to.x + 60, to.y + 20))
    await send('touchMove', at(to.x + 60, to.y + to.height - 6))
    await send('touchEnd', [])
    await waitForOrder(page, 'To do', ['B', 'C', 'A'])
    await page.getByText('moved within To do').waitFor()
    assert.deepEqual(await kept('To do'), ['B', 'C', 'A'])
    assert.equal(await page.getByRole('dialog').count(), 0)
    await touch.detach()
  })

  it('follows the keyboard at 2560 pixels and a finger at 390 pixels', async () => {
    const [, b] = await arrange()
    const { page } = await stage.visit(path())
    await page.setViewportSize({ width: 2560, height: 1300 })
    await card(page, 'B').getByRole('link').focus()
    for (const key of ['Space', 'ArrowRight']) await page.keyboard.press(key)
    await page.getByText('Position 1 of 1 in Review', { exact: true }).waitFor()
    await page.keyboard.press('Space')
    await page.getByText(`${b?.key} moved to Review, now in review`).waitFor()
    await page.setViewportSize({ width: 390, height: 844 })
    await settled(page)
    const touch = await page.context().newCDPSession(page)
    const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: { x: number; y: number }[]) =>
      touch.send('Input.dispatchTouchEvent', { type, touchPoints })
    const from = await box(card(page, 'A'))
    const to = await box(card(page, 'C'))
    await send('touchStart', { x: from.x + 40, y: from.y + 20 })
    await page.locator('.drag-copy').waitFor()
    await send('touchMove', { x: to.x + 60, y: to.y + 20 })
    await send('touchMove', { x: to.x + 60, y: to.y + to.height - 6 })
    await send('touchEnd')
    await waitForOrder(page, 'To do', ['C', 'A'])
    await page.getByText('moved within To do').waitFor()
    assert.deepEqual([await kept('To do'), await kept('Review')], [['C', 'A'], ['B']])
    await touch.detach()
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  it('is the same in two browsers that move at once', async () => {
    await arrange(['A', 'B', 'C', 'D'])
    const { page } = await stage.visit(path())
    const other = (await stage.visit(path(), { person: await stage.person('member') })).page
    await waitForOrder(other, 'To do', ['A', 'B', 'C', 'D'])
    await Promise.all([hold(page, 'D', 'before', 'A'), hold(other, 'B', 'behind', 'D')])
    await Promise.all([page.mouse.up(), other.mouse.up()])
    for (const each of [page, other]) await each.getByText('moved within To do').waitFor()
    // B stands last, or directly after D if D was moved first.
    const order = await kept('To do')
    assert.ok(['D,A,C,B', 'D,B,A,C'].includes(order.join()), order.join())
    for (const each of [page, other]) await waitForOrder(each, 'To do', order)
  })

  it('goes back with a message if the server refuses, and waits without a connection', async () => {
    await arrange()
    const { page } = await stage.visit(path())
    const refuse = {
      status: 409,
      json: {
        error: {
          type: 'conflict',
          code: 'resource_conflict',
          message: 'Not now.',
          param: null,
          request_id: 'req_1',
          doc_url: null,
        },
      },
    }
    await page.route('**/v1/tasks/*/move', (route) => route.fulfill(refuse))
    await drag(page, 'C', 'before', 'A')
    await page.getByText('Not now.').waitFor()
    await waitForOrder(page, 'To do', ['A', 'B', 'C'])
    await page.unroute('**/v1/tasks/*/move')
    await page.context().setOffline(true)
    await page.locator('.connection-bar').getByText('No connection since').waitFor()
    await drag(page, 'C', 'before', 'B')
    await waitForOrder(page, 'To do', ['A', 'C', 'B'])
    await page.getByText('1 change is kept and will be sent.').waitFor()
    assert.deepEqual(await kept('To do'), ['A', 'B', 'C'])
    await page.context().setOffline(false)
    await page.getByText('moved within To do').waitFor()
    assert.deepEqual(await kept('To do'), ['A', 'C', 'B'])
  })

  it('holds in a long column, of which a part is read; a new task is shown at once, and the count is true', async () => {
    const titles = Array.from({ length: 130 }, (_, at) => `Crossing ${at}`)
    await arrange(titles)
    const { page } = await stage.visit(path())
    const head = page.getByRole('region', { name: 'To do', exact: true }).locator('header')
    await head.getByText('130 tasks').waitFor()
    assert.ok((await page.locator('.kanban-card').count()) < 40)
    await page.getByRole('button', { name: 'Add task to To do' }).click()
    await page.getByLabel('New task in To do').fill('Night crossing')
    await page.keyboard.press('Enter')
    await card(page, 'Night crossing').waitFor()
    await page.getByRole('button', { name: 'Show more tasks' }).waitFor()
    await page.keyboard.press('Escape')
    await page
      .locator('.board-cards')
      .first()
      .evaluate((list) => list.scrollTo(0, 0))
    await drag(page, 'Crossing 0', 'behind', 'Crossing 2')
    await page.getByText('moved within To do').waitFor()
    assert.deepEqual((await kept('To do')).slice(0, 3), ['Crossing 1', 'Crossing 2', 'Crossing 0'])
    const frame = page.locator('.board-cards').first()
    await frame.hover()
    while ((await card(page, 'Crossing 129').count()) === 0) {
      await page.mouse.wheel(0, 1500)
      await settled(page)
    }
    await page.getByRole('button', { name: 'Add task to To do' }).click()
    await page.getByLabel('New task in To do').fill('Late crossing')
    await page.keyboard.press('Enter')
    await card(page, 'Late crossing').waitFor()
    await head.getByText('132 tasks').waitFor()
    assert.ok((await page.locator('.kanban-card').count()) < 40)
  })

  it('hides what was done long ago in a long column, until it is asked for', async () => {
    const made = await arrange(Array.from({ length: 110 }, (_, at) => `Trip ${at}`))
    const tasks = made.map(({ id }) => id)
    const now = Math.floor(Date.now() / 1000)
    await stage.atrium.tasks.bulk({ workspace, tasks, set: { column: columns.get('Done') ?? null } })
    await stage.atrium.tasks.bulk({ workspace, tasks: tasks.slice(3), set: { completed_at: now - 40 * 86_400 } })
    const { page } = await stage.visit(path())
    await waitForOrder(page, 'Done', ['Trip 0', 'Trip 1', 'Trip 2'])
    const done = page.getByRole('region', { name: 'Done', exact: true })
    await done.getByText('110 tasks').waitFor()
    await done.getByRole('button', { name: 'Show done older than 14 days' }).click()
    await card(page, 'Trip 3').waitFor()
    assert.equal(new URL(page.url()).searchParams.get('done'), 'all')
    await done.getByRole('button', { name: 'Hide done older than 14 days' }).click()
    await waitForOrder(page, 'Done', ['Trip 0', 'Trip 1', 'Trip 2'])
  })

  const statuses = async () =>
    Object.fromEntries(
      (await stage.atrium.columns.list({ project: project.id })).data.map(({ name, status }) => [name, status]),
    )

  it('begins with columns that have a status; a new status is offered to the tasks of its column', async () => {
    project = await stage.atrium.projects.create({ workspace, name: 'Tugs' })
    const { page } = await stage.visit(path())
    await page.getByRole('button', { name: 'Create To do, In progress, Done' }).click()
    await page.getByRole('heading', { name: 'In progress' }).waitFor()
    assert.deepEqual(await statuses(), { 'To do': 'todo', 'In progress': 'in_progress', Done: 'done' })
    const column = (await stage.atrium.columns.list({ project: project.id })).data.find(({ name }) => name === 'To do')
    const data = ['A', 'B'].map((title) => ({ title, project: project.id, column: column?.id ?? null }))
    await stage.atrium.tasks.batch({ workspace, data })
    await card(page, 'B').waitFor()
    await page.getByRole('button', { name: 'Actions for To do' }).click()
    await page.getByRole('menuitem', { name: 'Edit…' }).click()
    await page.getByRole('dialog').getByLabel('Status').selectOption('blocked')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('2 tasks in To do are not Blocked.').waitFor()
    await page.getByRole('button', { name: 'Change to Blocked' }).click()
    await page.getByText('2 tasks changed to Blocked').waitFor()
    const { data: changed } = await stage.atrium.tasks.list({ project: project.id })
    assert.deepEqual(
      changed.map(({ status }) => status),
      ['blocked', 'blocked'],
    )
  })

  it('offers statuses by name to a board whose columns have none, once', async () => {
    project = await stage.atrium.projects.create({ workspace, name: 'Barges' })
    for (const name of ['Ideas', 'Doing', 'Misc', 'Shipped']) {
      await stage.atrium.columns.create({ workspace, project: project.id, name })
    }
    const shipped = (await stage.atrium.columns.list({ project: project.id })).data.find(
      ({ name }) => name === 'Shipped',
    )
    const task = await stage.atrium.tasks.create({
      workspace,
      project: project.id,
      column: shipped?.id ?? null,
      title: 'A',
    })
    const watched = await stage.visit(path())
    const { page } = watched
    await page.getByRole('button', { name: 'Set statuses' }).click()
    await checkPage(watched, 'work-board-statuses')
    await page.getByRole('dialog').getByRole('button', { name: 'Set statuses' }).click()
    await page.getByText('3 columns have a status now').waitFor()
    assert.deepEqual(await statuses(), { Ideas: 'backlog', Doing: 'in_progress', Misc: null, Shipped: 'done' })
    assert.equal((await stage.atrium.tasks.retrieve(task.id)).status, 'done')
    assert.equal(await page.getByText('The columns of this board have no status').count(), 0)
  })
})

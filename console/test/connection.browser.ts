/** A network that goes away in the middle of the work: what is shown stays, and each change is made once. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Locator, Page, Route } from 'playwright-core'
import type { Project, Task } from '../../sdk/typescript/src/index.ts'
import { checkPage, settled } from './checks.ts'
import { stageOf } from './stage.ts'

const wait_ms_max = 60_000

type Ask = (given: unknown) => Promise<boolean>

/** In the page: what the browser has room for, and the files that it keeps. */
async function storage(): Promise<object> {
  const names = await caches.keys()
  const kept = await Promise.all(names.map(async (name) => (await (await caches.open(name)).keys()).length))
  return { ...(await navigator.storage.estimate()), kept, loaded: performance.getEntriesByType('resource').length }
}

/** In the page: whether the browser has every file that the page has loaded. */
async function hasItsFiles(): Promise<boolean> {
  await navigator.serviceWorker.ready
  const loaded = performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)
  const files = loaded.filter((path) => path.startsWith('/assets/'))
  const kept = await Promise.all(files.map((path) => caches.match(path, { ignoreVary: true })))
  return kept.every((file) => file !== undefined)
}

/** In the page: whether it is as said that what the browser keeps of its reads matches this pattern. */
async function keeps([pattern, isKept]: readonly [string, boolean]): Promise<boolean> {
  if (!(await indexedDB.databases()).some(({ name }) => name === 'atrium')) return !isKept
  const result = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
  const database = await result(indexedDB.open('atrium'))
  const all = await result(database.transaction('kept').objectStore('kept').getAll())
  database.close()
  return new RegExp(pattern).test(JSON.stringify(all)) === isKept
}

/** Waits until an answer of the page is true: `waitForFunction` takes the promise of an answer for true. */
async function until<T>(page: Page, ask: (given: T) => Promise<boolean>, given: T): Promise<void> {
  for (const end = Date.now() + wait_ms_max; !(await page.evaluate(ask as Ask, given)); ) {
    assert.ok(Date.now() < end, `${ask.name} stays false: ${JSON.stringify([given, await page.evaluate(storage)])}`)
  }
}

describe('without a connection', () => {
  const stage = stageOf({ serviceWorker: true })
  let workspace: string
  let project: Project
  const columns = new Map<string, string>()
  before(async () => {
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
    project = await stage.atrium.projects.create({ workspace, name: 'Timetable' })
    for (const name of ['To do', 'Doing', 'Done']) {
      columns.set(name, (await stage.atrium.columns.create({ workspace, project: project.id, name })).id)
    }
  })

  const createTask = (title: string) =>
    stage.atrium.tasks.create({ workspace, title, project: project.id, column: columns.get('To do') ?? null })
  const board = (task?: Task) => `/work/projects/${project.id}${task === undefined ? '' : `?task=${task.key}`}`
  const bar = (page: Page) => page.locator('.connection-bar')
  /** Cards stay although a panel hides them from screen readers. */
  const cards = (page: Page) => page.locator('.kanban-card')
  const actionsOn = async (target: string) =>
    (await stage.atrium.auditLogs.list({ target, limit: 100 })).data.map(({ action }) => action).toReversed()
  const isSent = (page: Page) => bar(page).locator('.connection-text').waitFor({ state: 'detached' })

  async function retitle(page: Page, panel: Locator, title: string): Promise<void> {
    await panel.getByRole('button', { name: /edit title/ }).click()
    await panel.getByLabel('Title').fill(title)
    await page.keyboard.press('Enter')
  }

  it('keeps the page, says since when, and sends the changes once and in order', async () => {
    const task = await createTask('Winter timetable')
    const watched = await stage.visit(board(task))
    const { page } = watched
    const panel = page.getByRole('dialog', { name: /Winter timetable/ })
    await panel.getByLabel('Write a comment').waitFor()
    await settled(page)
    // A service worker that starts later might still have a connection.
    await until(page, hasItsFiles, undefined)
    const shown = await cards(page).count()
    await page.context().setOffline(true)
    await bar(page).getByText('No connection since').waitFor()
    await panel.getByLabel('Status').selectOption('in_progress')
    await bar(page).getByText('1 change is kept and will be sent.').waitFor()
    await panel.getByLabel('Priority').selectOption('high')
    await panel.getByLabel('Status').selectOption('in_review')
    await panel.getByLabel('Column').selectOption({ label: 'Doing' })
    await bar(page).getByText('4 changes are kept and will be sent.').waitFor()
    await panel.getByLabel('Write a comment').fill('Sent later')
    await panel.getByLabel('Write a comment').press('Control+Enter')
    await bar(page).getByText('5 changes are kept and will be sent.').waitFor()
    assert.equal(await panel.getByLabel('Status').inputValue(), 'in_review')
    assert.equal(await cards(page).count(), shown)
    assert.equal(await page.getByText('Cannot connect').count(), 0)
    assert.deepEqual(await actionsOn(task.id), ['tasks.create'])
    await page.context().setOffline(false)
    await isSent(page)
    await panel.getByRole('list', { name: 'Comments' }).getByText('Sent later').waitFor()
    const { status, priority, column } = await stage.atrium.tasks.retrieve(task.id)
    assert.deepEqual([status, priority, column], ['in_review', 'high', columns.get('Doing')])
    const made = ['tasks.create', 'tasks.update', 'tasks.update', 'tasks.update', 'tasks.move']
    assert.deepEqual(await actionsOn(task.id), made)
    assert.equal((await stage.atrium.tasks.comments.list(task.id)).data.length, 1)
    // The browser reports each request that it could not send. What waited arrives without an input of the person.
    watched.errors.length = 0
    await page.evaluate('window.__shifts.length = 0')
    await checkPage(watched, 'connection-back')
  })

  describe('makes each of thirty-two kinds of changes once', () => {
    /** What the page has done, by the audit log, since this was called. */
    const watchAudit = async () => {
      const from = await lastSequence()
      return async () => {
        const { data } = await stage.atrium.auditLogs.list({ actor: stage.owner.user, limit: 100 })
        return data
          .filter(({ sequence }) => sequence > from)
          .map(({ action }) => action)
          .toReversed()
      }
    }
    const lastSequence = async () => (await stage.atrium.auditLogs.list({ limit: 1 })).data[0]?.sequence ?? 0

    /** A change on the page, and its actions in the audit log. `round` makes its value differ from that of the round before. */
    type Kind = readonly [change: (round: number) => Promise<unknown>, ...actions: string[]]

    /** Loses the request of the first attempt on the way to the server, or the answer on the way back. */
    const losing = (part: 'request' | 'answer') => {
      let lost = 0
      return async (route: Route) => {
        if (route.request().method() === 'GET' || lost++ > 0) return await route.fallback()
        if (part === 'answer') await route.fetch()
        await route.abort()
      }
    }

    /** Makes each change twice, with another part lost, and returns the actions that the audit log must have. */
    const makeAll = async (page: Page, kinds: Readonly<Record<string, Kind>>) => {
      const expected: string[] = []
      for (const [round, part] of (['request', 'answer'] as const).entries()) {
        for (const [change, ...actions] of Object.values(kinds)) {
          const lose = losing(part)
          await page.route('**/v1/**', lose)
          const answered = page.waitForResponse(
            (answer) => answer.request().method() !== 'GET' && answer.url().includes('/v1/') && answer.ok(),
          )
          await change(round)
          const { 'idempotent-replayed': replayed } = (await answered).headers()
          assert.equal(replayed === 'true', part === 'answer')
          await page.unroute('**/v1/**', lose)
          expected.push(...actions)
        }
      }
      await isSent(page)
      return expected
    }

    /** Records each moment at which one of these parts of the page is missing. */
    const watchViews = async (page: Page, ...parts: readonly string[]) => {
      for (const part of parts) await page.locator(part).first().waitFor()
      await page.evaluate((selectors) => {
        const gone: string[] = []
        const look = () => gone.push(...selectors.filter((each) => document.querySelector(each) === null))
        new MutationObserver(look).observe(document.body, { childList: true, subtree: true })
        Object.assign(window, { __gone: gone })
      }, parts)
      return () => page.evaluate('window.__gone')
    }

    it('on a task, in its panel over a board', async () => {
      const other = await createTask('Spring timetable')
      const task = await createTask('Summer timetable')
      await stage.atrium.customFields.create({ workspace, key: 'pages', name: 'Pages', type: 'number' })
      const { page } = await stage.visit(board(task))
      const done = await watchAudit()
      await page.setViewportSize({ width: 1440, height: 1600 })
      const panel = page.getByRole('dialog', { name: /ummer timetable/ })
      await panel.getByLabel('Status').waitFor()
      const gone = await watchViews(page, '.kanban-card', '[role=dialog] .task', '[role=tablist]')
      const part = (name: string) => panel.getByRole('tab', { name }).click()
      const choose = async (field: RegExp, search: string, text: string, option: RegExp) => {
        await panel.getByRole('button', { name: field }).click()
        await page.getByRole('combobox', { name: `Search ${search}` }).fill(text)
        await page.getByRole('option', { name: option }).click()
      }
      const date = async (label: string, day: string) => {
        await panel.getByLabel(label).fill(day)
        await panel.getByLabel(label).blur()
      }
      const comment = panel.getByRole('list', { name: 'Comments', exact: true }).getByRole('listitem').last()
      const commentAction = async (name: string) => {
        await comment.getByRole('button', { name: 'Comment actions' }).click()
        await page.getByRole('menuitem', { name }).click()
      }
      const kinds: Readonly<Record<string, Kind>> = {
        status: [(n) => panel.getByLabel('Status').selectOption(n ? 'in_review' : 'blocked'), 'tasks.update'],
        priority: [(n) => panel.getByLabel('Priority').selectOption(n ? 'high' : 'low'), 'tasks.update'],
        title: [(n) => retitle(page, panel, `Summer timetable, ${n ? 'final' : 'draft'}`), 'tasks.update'],
        assignee: [(n) => choose(/^Assignee:/, 'assignee', '', n ? /Unassigned/ : /owner/), 'tasks.update'],
        'start date': [(n) => date('Start date', `2030-01-0${1 + n}`), 'tasks.update'],
        'due date': [(n) => date('Due date', `2030-02-0${1 + n}`), 'tasks.update'],
        labels: [(n) => choose(/^Labels:/, 'labels', `label ${n}`, /Create/), 'tasks.update'],
        'a custom field': [
          async (n) => {
            await panel.getByLabel('Pages', { exact: true }).fill(String(n + 1))
            await page.keyboard.press('Enter')
          },
          'tasks.update',
        ],
        description: [
          async (n) => {
            await panel.getByRole('button', { name: /(Add|Edit) description/ }).click()
            await panel.getByLabel('Description').fill(`Text ${n}`)
            await page.keyboard.press('Control+Enter')
          },
          'tasks.update',
        ],
        column: [(n) => panel.getByLabel('Column').selectOption({ label: n ? 'Done' : 'Doing' }), 'tasks.move'],
        'a subtask': [
          async (n) => {
            await panel.getByRole('button', { name: 'Add subtask' }).click()
            await panel.getByLabel(/^New subtask of/).fill(`Print ${n}`)
            await page.keyboard.press('Enter')
            await page.keyboard.press('Escape')
          },
          'tasks.create',
        ],
        'a dependency': [
          async () => {
            await part('Dependencies')
            await panel.getByRole('button', { name: 'Add dependency' }).click()
            await page.getByRole('combobox', { name: 'Search task' }).fill('Spring')
            await page.getByRole('option', { name: /Spring/ }).click()
          },
          'task_dependencies.create',
        ],
        'the end of a dependency': [
          () => panel.getByRole('button', { name: `Remove ${other.key}` }).click(),
          'task_dependencies.delete',
        ],
        time: [
          async (n) => {
            await part('Time')
            await panel.getByRole('button', { name: 'Log time' }).click()
            await page.getByLabel('Time spent').fill(`1:0${n}`)
            await page.keyboard.press('Enter')
          },
          'time_entries.create',
        ],
        'a timer': [() => panel.getByRole('button', { name: 'Start timer' }).click(), 'time_entries.start'],
        'the end of a timer': [() => panel.getByRole('button', { name: 'Stop timer' }).click(), 'time_entries.stop'],
        'a comment': [
          async (n) => {
            await part('Comments')
            await panel.getByLabel('Write a comment').fill(`Once ${n}`)
            await page.keyboard.press('Control+Enter')
          },
          'task_comments.create',
        ],
        'an edited comment': [
          async () => {
            await commentAction('Edit')
            await comment.getByRole('textbox').fill('Once, edited')
            await page.keyboard.press('Control+Enter')
          },
          'task_comments.update',
        ],
        'a deleted comment': [() => commentAction('Delete'), 'task_comments.delete'],
        completion: [() => panel.getByRole('button', { name: 'Complete', exact: true }).click(), 'tasks.update'],
        reopening: [() => panel.getByRole('button', { name: 'Reopen', exact: true }).click(), 'tasks.update'],
      }
      const expected = await makeAll(page, kinds)
      assert.deepEqual(await done(), expected)
      assert.deepEqual(await gone(), [])
    })

    it('on a board, in lists and of other objects', async () => {
      project = await stage.atrium.projects.create({ workspace, name: 'Boats' })
      for (const name of ['To do', 'Doing', 'Done']) {
        columns.set(name, (await stage.atrium.columns.create({ workspace, project: project.id, name })).id)
      }
      for (const title of ['Hull', 'Mast', 'Sail', 'Keel']) await createTask(title)
      const { page } = await stage.visit(board())
      const done = await watchAudit()
      const gone = await watchViews(page, '.kanban-card', '.board-column')
      const keysOn = async (title: string, ...names: readonly string[]) => {
        await page.getByRole('link', { name: title, exact: true }).focus()
        for (const name of names) await page.keyboard.press(name)
      }
      const onColumn = async (column: string, item: string) => {
        await page.getByRole('button', { name: `Actions for ${column}` }).click()
        await page.getByRole('menuitem', { name: item }).click()
      }
      const named = async (name: string) => {
        await page.getByLabel('Name', { exact: true }).fill(name)
        await page.keyboard.press('Enter')
      }
      const onBoard: Readonly<Record<string, Kind>> = {
        'a task': [
          async (n) => {
            await page.getByRole('button', { name: 'Add task to To do' }).click()
            await page.getByLabel('New task in To do').fill(`Oar ${n}`)
            await page.keyboard.press('Enter')
            await page.keyboard.press('Escape')
          },
          'tasks.create',
        ],
        'order in a column': [(n) => keysOn('Sail', 'Space', n ? 'ArrowUp' : 'ArrowDown', 'Space'), 'tasks.move'],
        'a move to another column': [
          (n) => keysOn('Hull', 'Space', n ? 'ArrowLeft' : 'ArrowRight', 'Space'),
          'tasks.move',
        ],
        'a column': [
          async (n) => {
            await onColumn('To do', 'New column…')
            await named(`Later ${n}`)
          },
          'columns.create',
        ],
        'the name of a column': [
          async (n) => {
            await onColumn(n ? 'Finished' : 'Done', 'Edit…')
            await named(n ? 'Done' : 'Finished')
          },
          'columns.update',
        ],
        'the order of columns': [(n) => onColumn('Doing', n ? 'Move left' : 'Move right'), 'columns.reorder'],
      }
      const expected = await makeAll(page, onBoard)
      assert.deepEqual(await gone(), [])
      await stage.visit(`/work/tasks?${new URLSearchParams({ filter: `project = ${project.id}` })}`)
      const selected = page.getByRole('region', { name: 'Selected tasks' })
      const goneList = await watchViews(page, '.task-row-link')
      const inList: Readonly<Record<string, Kind>> = {
        'many tasks': [
          async (n) => {
            for (const title of ['Mast', 'Sail'])
              await page.getByRole('listitem').filter({ hasText: title }).getByRole('checkbox').check()
            await selected.getByRole('button', { name: 'Priority' }).click()
            await page.getByRole('menuitem', { name: n ? 'Low' : 'Urgent' }).click()
            await selected.getByRole('button', { name: 'Clear selection' }).click()
          },
          // One entry for each task.
          'tasks.bulk',
          'tasks.bulk',
        ],
        'the deletion of many': [
          async (n) => {
            await page
              .getByRole('listitem')
              .filter({ hasText: `Oar ${n}` })
              .getByRole('checkbox')
              .check()
            await selected.getByRole('button', { name: 'Delete 1 task' }).click()
            await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
          },
          'tasks.bulk',
        ],
        'a saved filter': [
          async (n) => {
            await page.getByRole('button', { name: /^Views|^Mine/ }).click()
            await page.getByRole('menuitem', { name: 'Save view…' }).click()
            await named(`Mine ${n}`)
          },
          'saved_filters.create',
        ],
      }
      expected.push(...(await makeAll(page, inList)))
      assert.deepEqual(await goneList(), [])
      await stage.visit('/money/expenses')
      const ofMoney: Readonly<Record<string, Kind>> = {
        'an expense': [
          async (n) => {
            await page.getByRole('button', { name: 'New expense' }).first().click()
            await page.getByLabel('Category').fill('travel')
            await page.getByLabel('Gross').fill(`1${n}.00`)
            await page.keyboard.press('Enter')
          },
          'expenses.create',
        ],
      }
      expected.push(...(await makeAll(page, ofMoney)))
      await stage.visit('/work')
      const ofWork: Readonly<Record<string, Kind>> = {
        'a workspace': [
          async (n) => {
            await page.getByRole('button', { name: 'New workspace' }).click()
            await named(`Dock ${n}`)
            await page.getByRole('heading', { name: `Dock ${n}` }).waitFor()
            await stage.visit('/work')
          },
          'workspaces.create',
        ],
      }
      expected.push(...(await makeAll(page, ofWork)))
      assert.deepEqual(await done(), expected)
    })
  })

  it('closes forms whose change waits, shows what they created, and keeps bulk changes', async () => {
    project = await stage.atrium.projects.create({ workspace, name: 'Tugs' })
    const column = await stage.atrium.columns.create({ workspace, project: project.id, name: 'To do' })
    columns.set('To do', column.id)
    const [rope, chain] = [await createTask('Rope'), await createTask('Chain')]
    const { page } = await stage.visit(board(rope))
    await page.setViewportSize({ width: 1440, height: 900 })
    const panel = page.getByRole('dialog', { name: /Rope/ })
    await panel.getByLabel('Write a comment').waitFor()
    await page.context().setOffline(true)
    await bar(page).getByText('No connection since').waitFor()
    for (const text of ['First', 'Second']) {
      await panel.getByLabel('Write a comment').fill(text)
      await page.keyboard.press('Control+Enter')
      await panel.getByRole('list', { name: 'Comments not sent yet' }).getByText(text).waitFor()
    }
    await panel.getByRole('button', { name: 'Add subtask' }).click()
    await panel.getByLabel(/^New subtask of/).fill('Splice')
    await page.keyboard.press('Enter')
    await panel.getByRole('list', { name: 'Subtasks not sent yet' }).getByText('Splice').waitFor()
    await panel.getByRole('button', { name: 'Close' }).click()
    await panel.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Add task to To do' }).click()
    await page.getByLabel('New task in To do').fill('Anchor')
    await page.keyboard.press('Enter')
    await page.getByRole('list', { name: 'Tasks not sent yet' }).getByText('Anchor').waitFor()
    await page.getByRole('button', { name: 'Actions for To do' }).click()
    await page.getByRole('menuitem', { name: 'New column…' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Docked')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'New column' }).waitFor({ state: 'detached' })
    await bar(page).getByText('5 changes are kept and will be sent.').waitFor()
    await page.context().setOffline(false)
    await isSent(page)
    const titles = async () => (await stage.atrium.tasks.list({ project: project.id })).data.map(({ title }) => title)
    assert.deepEqual((await titles()).toSorted(), ['Anchor', 'Chain', 'Rope', 'Splice'])
    const comments = (await stage.atrium.tasks.comments.list(rope.id)).data.map(({ body }) => body)
    assert.deepEqual(comments.toSorted(), ['First', 'Second'])
    assert.equal((await stage.atrium.columns.list({ project: project.id })).data.length, 2)
    await stage.visit(`/work/tasks?${new URLSearchParams({ filter: `project = ${project.id}` })}`)
    const row = (title: string) =>
      page
        .getByRole('list', { name: 'Tasks' })
        .getByRole('listitem')
        .filter({ has: page.getByRole('link', { name: title, exact: true }) })
    const selected = page.getByRole('region', { name: 'Selected tasks' })
    for (const title of ['Rope', 'Chain']) await row(title).getByRole('checkbox').check()
    await selected.getByText('2 selected').waitFor()
    await page.context().setOffline(true)
    await bar(page).getByText('No connection since').waitFor()
    await selected.getByRole('button', { name: 'Status' }).click()
    await page.getByRole('menuitem', { name: 'Blocked' }).click()
    await row('Rope').getByText('Blocked').waitFor()
    await selected.getByRole('button', { name: 'Labels' }).click()
    await page.getByRole('combobox', { name: 'Search labels' }).fill('deck')
    await page.keyboard.press('Enter')
    await row('Chain').getByText('deck').waitFor()
    await page.keyboard.press('Escape')
    await row('Splice').getByRole('checkbox').check()
    await row('Rope').getByRole('checkbox').uncheck()
    await row('Chain').getByRole('checkbox').uncheck()
    await selected.getByRole('button', { name: 'Delete 1 task' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await row('Splice').waitFor({ state: 'detached' })
    await bar(page).getByText('3 changes are kept and will be sent.').waitFor()
    await page.context().setOffline(false)
    await isSent(page)
    assert.deepEqual(await actionsOn(chain.id), ['tasks.create', 'tasks.bulk', 'tasks.bulk'])
    const { status, labels } = await stage.atrium.tasks.retrieve(chain.id)
    assert.deepEqual([status, labels], ['blocked', ['deck']])
    assert.deepEqual((await titles()).toSorted(), ['Anchor', 'Chain', 'Rope'])
  })

  it('sends after a reload what the page had kept', async () => {
    const task = await createTask('Autumn timetable')
    const { page } = await stage.visit(board(task))
    const panel = page.getByRole('dialog', { name: /Autumn timetable/ })
    await panel.getByLabel('Priority').waitFor()
    await page.context().setOffline(true)
    await panel.getByLabel('Priority').selectOption('urgent')
    await bar(page).getByText('1 change is kept and will be sent.').waitFor()
    page.once('dialog', (asked) => void asked.accept())
    await page.context().setOffline(false)
    await page.reload()
    await panel.getByLabel('Priority').waitFor()
    await isSent(page)
    assert.equal((await stage.atrium.tasks.retrieve(task.id)).priority, 'urgent')
    assert.deepEqual(await actionsOn(task.id), ['tasks.create', 'tasks.update'])
  })

  it('shows a page that is opened again without a connection, with what it had shown and what waits', async () => {
    const task = await createTask('Ferry timetable')
    const other = await createTask('Tram timetable')
    const { page } = await stage.visit(board(task))
    const panel = page.getByRole('dialog', { name: /Ferry timetable/ })
    await panel.getByLabel('Priority').waitFor()
    await settled(page)
    await until(page, hasItsFiles, undefined)
    const titles = () => cards(page).locator('a').allTextContents()
    const shown = await titles()
    await page.context().setOffline(true)
    await panel.getByLabel('Priority').selectOption('low')
    await bar(page).getByText('1 change is kept and will be sent.').waitFor()
    // Other tasks that were shown before have the same priority.
    await until(page, keeps, [`"id":"${task.id}"[^}]*"priority":"low"`, true])
    page.once('dialog', (asked) => void asked.accept())
    await page.reload()
    await panel.getByLabel('Priority').waitFor()
    assert.equal(await panel.getByLabel('Priority').inputValue(), 'low')
    assert.deepEqual(await titles(), shown)
    await bar(page).getByText('1 change is kept and will be sent.').waitFor()
    assert.equal((await stage.atrium.tasks.retrieve(task.id)).priority, 'none')
    await stage.atrium.tasks.update(other.id, { title: 'Bus timetable' })
    await page.context().setOffline(false)
    await isSent(page)
    await cards(page).getByText('Bus timetable').waitFor()
    assert.equal((await stage.atrium.tasks.retrieve(task.id)).priority, 'low')
    assert.deepEqual(await actionsOn(task.id), ['tasks.create', 'tasks.update'])
    const policy = (await page.request.get(`${stage.url}/service-worker.js`)).headers()['content-security-policy']
    assert.equal(policy, "default-src 'none'; connect-src 'self'")
  })

  it('keeps nothing of an account that has signed out', async () => {
    const person = await stage.person('member', 'Wera', 'Boje')
    const { page } = await stage.visit(board(), { person })
    await until(page, hasItsFiles, undefined)
    await cards(page).first().waitFor()
    await page.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    })
    await until(page, keeps, ['timetable', true])
    await page.getByRole('button', { name: /Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByLabel('Email').waitFor()
    assert.equal(await page.evaluate('globalThis.firstAnswers'), undefined)
    await until(page, keeps, ['timetable', false])
  })

  it('asks which value stays when another person has changed the same field', async () => {
    const task = await createTask('Night timetable')
    const { page } = await stage.visit(board(task))
    const panel = page.getByRole('dialog', { name: /Night timetable/ })
    await panel.getByLabel('Status').waitFor()
    await page.context().setOffline(true)
    await panel.getByLabel('Status').selectOption('in_review')
    await panel.getByLabel('Priority').selectOption('high')
    await bar(page).getByText('2 changes are kept').waitFor()
    await stage.atrium.tasks.update(task.id, { status: 'blocked' })
    await page.context().setOffline(false)
    await bar(page).getByText('1 change needs your decision.', { exact: true }).waitFor()
    assert.equal((await stage.atrium.tasks.retrieve(task.id)).status, 'blocked')
    assert.equal((await stage.atrium.tasks.retrieve(task.id)).priority, 'high')
    await bar(page).getByRole('button', { name: 'Decide' }).click()
    const dialog = page.getByRole('dialog', { name: 'Changes not sent yet' })
    await dialog.getByText(`Change status of ${task.key} Night timetable`).waitFor()
    await dialog.getByText('Another person changed status to “Blocked” meanwhile.').waitFor()
    await dialog.getByRole('button', { name: 'Apply mine' }).click()
    await isSent(page)
    assert.equal((await stage.atrium.tasks.retrieve(task.id)).status, 'in_review')
    assert.equal(await panel.getByLabel('Status').inputValue(), 'in_review')
  })

  it('asks about a change that alone gets no answer, makes it once, and sends the others meanwhile', async () => {
    const task = await createTask('Ferry to the island')
    const { page } = await stage.visit(board(task))
    const panel = page.getByRole('dialog', { name: /Ferry to the island/ })
    await panel.getByLabel('Status').waitFor()
    let attempts = 0
    const loseAnswer = async (route: Route): Promise<void> => {
      if (route.request().method() !== 'PATCH') return await route.fallback()
      if (attempts++ === 0) await route.fetch()
      await route.abort()
    }
    await page.context().route(`**/v1/tasks/${task.id}`, loseAnswer)
    await panel.getByLabel('Status').selectOption('in_review')
    await panel.getByLabel('Write a comment').fill('Behind it')
    await panel.getByLabel('Write a comment').press('Control+Enter')
    await bar(page).getByText('1 change needs your decision.', { exact: true }).waitFor()
    assert.equal(attempts, 5)
    await panel.getByRole('list', { name: 'Comments' }).getByText('Behind it').waitFor()
    await page.context().unroute(`**/v1/tasks/${task.id}`, loseAnswer)
    await bar(page).getByRole('button', { name: 'Decide' }).click()
    const dialog = page.getByRole('dialog', { name: 'Changes not sent yet' })
    await dialog.getByText('There was no answer to it, although the server can be reached.').waitFor()
    await dialog.getByRole('button', { name: 'Try again' }).click()
    await isSent(page)
    assert.deepEqual(await actionsOn(task.id), ['tasks.create', 'tasks.update'])
    assert.equal((await stage.atrium.tasks.comments.list(task.id)).data.length, 1)
  })
})

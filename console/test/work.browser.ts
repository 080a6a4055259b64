/** The board of a project, by mouse and keyboard, and the panel of a task. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { Project, Task } from '../../sdk/typescript/src/index.ts'
import { checkPage, forgetShifts } from './checks.ts'
import { stageOf } from './stage.ts'

const hostile = '<img src=x onerror=alert(1)>'

describe('the board', () => {
  const stage = stageOf()
  let workspace: string
  let project: Project
  const columns = new Map<string, string>()
  before(async () => {
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
    project = await stage.atrium.projects.create({ workspace, name: 'Seat map', description: hostile })
    for (const name of ['To do', 'Doing', 'Done']) {
      columns.set(name, (await stage.atrium.columns.create({ workspace, project: project.id, name })).id)
    }
  })

  const createTask = (title: string, fields: Partial<Task> = {}) =>
    stage.atrium.tasks.create({
      workspace,
      title,
      project: project.id,
      column: columns.get('To do') ?? null,
      ...(fields as object),
    })
  const board = () => `/work/projects/${project.id}`
  const card = (page: Page, title: string, column: string) =>
    page.getByRole('list', { name: `Tasks in ${column}` }).getByRole('link', { name: title })
  /** The actors of the latest audit entry and event about an object, and the event's type. */
  const lastWrite = async (id: string, action: string) => {
    const audit = await stage.atrium.auditLogs.list({ target: id, action, limit: 1 })
    const events = await stage.atrium.events.list({ limit: 20 })
    const event = events.data.find(({ data }) => (data.object as { id?: string }).id === id)
    return { audit: audit.data[0]?.actor.id, event: event?.actor.id, type: event?.type }
  }
  const owner = () => stage.owner.user

  it('moves a card by keyboard alone; event and audit entry name the person', async () => {
    const task = await createTask('Draw the decks', { labels: ['deck'], priority: 'high' })
    const watched = await stage.visit(board())
    const { page } = watched
    await card(page, 'Draw the decks', 'To do').focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowRight')
    await page.getByText('Position 1 of 1 in Doing', { exact: true }).waitFor()
    assert.equal((await stage.atrium.tasks.retrieve(task.id)).column, columns.get('To do'))
    await page.keyboard.press('Space')
    await page.getByText(`${task.key} moved to Doing`).waitFor()
    assert.equal((await stage.atrium.tasks.retrieve(task.id)).column, columns.get('Doing'))
    assert.deepEqual(await lastWrite(task.id, 'tasks.move'), {
      audit: owner(),
      event: owner(),
      type: 'workflow.task.moved',
    })
    assert.equal(await card(page, 'Draw the decks', 'Doing').evaluate((link) => link === document.activeElement), true)
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Escape')
    await card(page, 'Draw the decks', 'Doing').waitFor()
    await page.keyboard.press('Control+z')
    await card(page, 'Draw the decks', 'To do').waitFor()
    await page.waitForFunction(() => document.querySelector('.toast') !== null)
    assert.equal((await stage.atrium.tasks.retrieve(task.id)).column, columns.get('To do'))
    await checkPage(watched, 'work-board')
  })

  it('moves a card by mouse, live in another browser', async () => {
    const task = await createTask('Price the seats')
    const { page } = await stage.visit(board())
    const other = await stage.signedIn(await stage.person('member'))
    await other.page.goto(`${stage.url}${board()}`)
    await card(other.page, 'Price the seats', 'To do').waitFor()
    const done = page.getByRole('region', { name: 'Done', exact: true })
    await card(page, 'Price the seats', 'To do').dragTo(done)
    await card(page, 'Price the seats', 'Done').waitFor()
    await card(other.page, 'Price the seats', 'Done').waitFor()
    assert.equal((await stage.atrium.tasks.retrieve(task.id)).column, columns.get('Done'))
    const doing = other.page.getByRole('region', { name: 'Doing', exact: true })
    await card(other.page, 'Price the seats', 'Done').dragTo(doing)
    await card(page, 'Price the seats', 'Doing').waitFor()
    assert.equal((await stage.atrium.tasks.retrieve(task.id)).column, columns.get('Doing'))
  })

  it('returns a card to its column if the server refuses the move', async () => {
    const task = await createTask('Hold a seat')
    const deleted = await stage.atrium.columns.create({ workspace, project: project.id, name: 'Soon gone' })
    const watched = await stage.visit(board())
    const { page } = watched
    // The column is deleted while the move is under way.
    await page.route('**/v1/tasks/*/move', async (route) => {
      await stage.atrium.columns.delete(deleted.id)
      await route.continue()
    })
    await page.getByRole('button', { name: `Move ${task.key} to…` }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Soon gone' }).click()
    await page.getByText('Invalid input').waitFor()
    await card(page, 'Hold a seat', 'To do').waitFor()
    await page.unroute('**/v1/tasks/*/move')
  })

  it('is set up and filled by keyboard alone: first columns, tasks in short words, the way to the cards', async () => {
    const { id } = await stage.atrium.projects.create({ workspace, name: 'Winter sprint' })
    const { page } = await stage.visit(`/work/projects/${id}`)
    const focused = (name: string | RegExp, role: 'button' | 'link' = 'button') =>
      page.getByRole(role, { name }).and(page.locator(':focus')).waitFor()
    await page.getByRole('button', { name: 'Create To do, In progress, Done' }).press('Enter')
    await focused('Add task to To do')
    await page.keyboard.press('Enter')
    await page.getByLabel('New task in To do').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('Renew insurance @owner #papers !high tomorrow')
    await page.getByText(/^Assignee owner.* · Label papers · Priority high · Due /).waitFor()
    await page.keyboard.press('Enter')
    await card(page, 'Renew insurance', 'To do').waitFor()
    await page.keyboard.press('Escape')
    await focused('Add task to To do')
    const [made] = (await stage.atrium.tasks.list({ project: id })).data
    assert.deepEqual(
      [made?.title, made?.assignee, made?.labels, made?.priority, typeof made?.due_at],
      ['Renew insurance', owner(), ['papers'], 'high', 'number'],
    )
    await page.locator('#main').focus()
    await page.keyboard.press('j')
    await focused('Renew insurance', 'link')
    // One task is named in the message about it, and a column that is called like its status says it once.
    await page.keyboard.press('d')
    await page.getByLabel('Due date in words').fill('5 dec')
    await page.keyboard.press('Enter')
    await page.getByText(`${made?.key} due`).waitFor()
    for (const key of ['Space', 'ArrowRight', 'Space']) await page.keyboard.press(key)
    await page.getByText(`${made?.key} moved to In progress`, { exact: true }).waitFor()
  })

  it('creates and reorders columns', async () => {
    const { page } = await stage.visit(board())
    await page.getByRole('button', { name: 'New column' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Review')
    await page.locator('label', { hasText: 'Violet' }).click()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Review' }).waitFor()
    await page.getByRole('button', { name: 'Actions for Review' }).click()
    await page.getByRole('menuitem', { name: 'Move left' }).click()
    await page.getByText('Columns reordered').waitFor()
    const kept = await stage.atrium.columns.list({ project: project.id })
    const names = kept.data.toSorted((a, b) => a.position - b.position).map(({ name, color }) => [name, color])
    assert.deepEqual(names, [
      ['To do', null],
      ['Doing', null],
      ['Review', '#8a5cc2'],
      ['Done', null],
    ])
  })

  it('edits a task in its panel: texts, fields, comments, time', async () => {
    const task = await createTask(hostile, { description: 'Twelve decks' })
    const watched = await stage.signedIn()
    const { page } = watched
    await page.goto(`${stage.url}${board()}?task=${task.key}`)
    const panel = page.getByRole('dialog')
    await panel.getByRole('button', { name: /edit title/ }).click()
    await panel.getByLabel('Title').fill('Refund a crossing')
    await page.keyboard.press('Enter')
    await page.getByText(`${task.key} updated: title`).waitFor()
    await panel.getByLabel('Status').selectOption('in_review')
    await page.getByText(`${task.key} changed to In review`).waitFor()
    await panel.getByRole('button', { name: 'Edit description' }).click()
    // The editor puts the caret at the end when it opens: text that is filled in earlier is added to the old one.
    await panel.locator('[aria-label="Description"]:focus').waitFor()
    await panel.getByLabel('Description').fill(`Thirteen decks ${hostile}`)
    await page.keyboard.press('Control+Enter')
    await panel.getByText('Thirteen decks').waitFor()
    await panel.getByLabel('Write a comment').fill(`Looks good ${hostile}`)
    await page.keyboard.press('Control+Enter')
    await panel.getByRole('list', { name: 'Comments' }).getByText('Looks good').waitFor()
    // Toasts have made room for one another.
    await forgetShifts(page)
    await checkPage(watched, 'work-task')
    await panel.getByRole('tab', { name: 'Time' }).click()
    await panel.getByRole('button', { name: 'Start timer' }).click()
    await panel.getByRole('button', { name: 'Stop timer' }).waitFor()
    // What is typed is text, so the editor escapes what Markdown would read as HTML or emphasis.
    const typed = hostile.replaceAll(/<(?=[a-z/])/g, '\\<').replaceAll('.__', '.\\__')
    const updated = await stage.atrium.tasks.retrieve(task.id)
    assert.deepEqual(
      [updated.title, updated.status, updated.description],
      ['Refund a crossing', 'in_review', `Thirteen decks ${typed}`],
    )
    const { audit, event } = await lastWrite(task.id, 'tasks.update')
    assert.deepEqual([audit, event], [owner(), owner()])
    const comments = await stage.atrium.tasks.comments.list(task.id)
    assert.deepEqual(
      comments.data.map(({ body }) => body),
      [`Looks good ${typed}`],
    )
    const comment = await lastWrite(comments.data[0]?.id ?? '', 'task_comments.create')
    assert.deepEqual(comment, { audit: owner(), event: owner(), type: 'workflow.comment.created' })
    const { data: entries } = await stage.atrium.timeEntries.list({ task: task.id })
    assert.deepEqual(
      entries.map(({ user, status }) => [user, status]),
      [[owner(), 'running']],
    )
    await panel.getByRole('button', { name: 'Stop timer' }).click()
    await page.getByText('Timer stopped').waitFor()
  })
})

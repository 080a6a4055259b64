/** The board of a project, by mouse and keyboard, and the panel of a task. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { Project, Task } from '../../sdk/typescript/src/index.ts'
import { checkPage, settled } from './checks.ts'
import { openStage, type Stage } from './stage.ts'

const hostile = '<img src=x onerror=alert(1)>'

describe('the board', () => {
  let stage: Stage
  let workspace: string
  let project: Project
  const columns = new Map<string, string>()
  before(async () => {
    stage = await openStage()
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
    project = await stage.atrium.projects.create({ workspace, name: 'Seat map', description: hostile })
    for (const name of ['To do', 'Doing', 'Done']) {
      columns.set(name, (await stage.atrium.columns.create({ workspace, project: project.id, name })).id)
    }
  })
  after(() => stage.close())

  const make = (title: string, fields: Partial<Task> = {}) =>
    stage.atrium.tasks.create({
      workspace,
      title,
      project: project.id,
      column: columns.get('To do') ?? null,
      ...(fields as object),
    })
  const open = async (path: string) => {
    const watched = await stage.signedIn()
    await watched.page.goto(`${stage.url}/work${path}`)
    await watched.page.getByRole('heading', { level: 1 }).waitFor()
    await settled(watched.page)
    return watched
  }
  const board = () => `/projects/${project.id}`
  const card = (page: Page, title: string, column: string) =>
    page.getByRole('list', { name: `Tasks in ${column}` }).getByRole('link', { name: title })
  /** The newest event and audit entry about an object: who did what. */
  const written = async (id: string, action: string) => {
    const audit = await stage.atrium.auditLogs.list({ target: id, action, limit: 1 })
    const events = await stage.atrium.events.list({ limit: 20 })
    const event = events.data.find(({ data }) => (data.object as { id?: string }).id === id)
    return { audit: audit.data[0]?.actor.id, event: event?.actor.id, type: event?.type }
  }
  const owner = () => stage.owner.user

  it('moves a card by the keyboard alone, which stands in event and audit under the person’s name', async () => {
    const task = await make('Draw the decks', { labels: ['deck'], priority: 'high' })
    const watched = await open(board())
    const { page } = watched
    await card(page, 'Draw the decks', 'To do').focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowRight')
    await page.getByText(`${task.key} over Doing.`).waitFor()
    assert.equal((await stage.atrium.tasks.retrieve(task.id)).column, columns.get('To do'))
    await page.keyboard.press('Space')
    await page.getByText(`${task.key} moved to Doing`).waitFor()
    assert.equal((await stage.atrium.tasks.retrieve(task.id)).column, columns.get('Doing'))
    assert.deepEqual(await written(task.id, 'tasks.move'), {
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

  it('moves a card by the mouse, and two browsers see what the other does', async () => {
    const task = await make('Price the seats')
    const { page } = await open(board())
    const other = await stage.signedIn(await stage.person('member'))
    await other.page.goto(`${stage.url}/work/projects/${project.id}`)
    await card(other.page, 'Price the seats', 'To do').waitFor()
    const place = page.getByRole('region', { name: 'Done', exact: true })
    await card(page, 'Price the seats', 'To do').dragTo(place)
    await card(page, 'Price the seats', 'Done').waitFor()
    await card(other.page, 'Price the seats', 'Done').waitFor()
    assert.equal((await stage.atrium.tasks.retrieve(task.id)).column, columns.get('Done'))
    const back = other.page.getByRole('region', { name: 'Doing', exact: true })
    await card(other.page, 'Price the seats', 'Done').dragTo(back)
    await card(page, 'Price the seats', 'Doing').waitFor()
    assert.equal((await stage.atrium.tasks.retrieve(task.id)).column, columns.get('Doing'))
  })

  it('puts a card back where the server refuses the move', async () => {
    const task = await make('Hold a seat')
    const gone = await stage.atrium.columns.create({ workspace, project: project.id, name: 'Soon gone' })
    const watched = await open(board())
    const { page } = watched
    // Somebody deletes the column while the card is on its way.
    await page.route('**/v1/tasks/*/move', async (route) => {
      await stage.atrium.columns.delete(gone.id)
      await route.continue()
    })
    await page.getByRole('button', { name: `Move ${task.key} to…` }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Soon gone' }).click()
    await page.getByText('This cannot be done as it stands').waitFor()
    await card(page, 'Hold a seat', 'To do').waitFor()
    await page.unroute('**/v1/tasks/*/move')
    watched.errors.length = 0
  })

  it('makes, renames and orders columns', async () => {
    const { page } = await open(board())
    await page.getByRole('button', { name: 'New column' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Review')
    await page.locator('label', { hasText: 'Violet' }).click()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Review' }).waitFor()
    await page.getByRole('button', { name: 'More about Review' }).click()
    await page.getByRole('menuitem', { name: 'Move left' }).click()
    await page.getByText('Columns put in order').waitFor()
    const kept = await stage.atrium.columns.list({ project: project.id })
    const names = kept.data.toSorted((a, b) => a.position - b.position).map(({ name, color }) => [name, color])
    assert.deepEqual(names, [
      ['To do', null],
      ['Doing', null],
      ['Review', '#8a5cc2'],
      ['Done', null],
    ])
  })

  it('edits a task in its panel: text, fields, comment, time', async () => {
    const task = await make(hostile, { description: 'Twelve decks' })
    const watched = await stage.signedIn()
    const { page } = watched
    await page.goto(`${stage.url}/work${board()}?task=${task.key}`)
    const panel = page.getByRole('dialog')
    await panel.getByRole('button', { name: /edit the title/ }).click()
    await panel.getByLabel('Title').fill('Refund a crossing')
    await page.keyboard.press('Enter')
    await page.getByText(`${task.key}: title changed`).waitFor()
    await panel.getByLabel('Status').selectOption('in_review')
    await page.getByText(`${task.key}: in review`).waitFor()
    await panel.getByRole('button', { name: 'Edit the description' }).click()
    await panel.getByLabel('Description').fill(`Thirteen decks ${hostile}`)
    await page.keyboard.press('Control+Enter')
    await panel.getByText('Thirteen decks').waitFor()
    await panel.getByLabel('Write a comment').fill(`Looks good ${hostile}`)
    await page.keyboard.press('Control+Enter')
    await panel.getByRole('list', { name: 'Comments' }).getByText('Looks good').waitFor()
    await checkPage(watched, 'work-task')
    await panel.getByRole('tab', { name: 'Time' }).click()
    await panel.getByRole('button', { name: 'Start the timer' }).click()
    await panel.getByRole('button', { name: 'Stop the timer' }).waitFor()
    const now = await stage.atrium.tasks.retrieve(task.id)
    assert.deepEqual(
      [now.title, now.status, now.description],
      ['Refund a crossing', 'in_review', `Thirteen decks ${hostile}`],
    )
    const { audit, event } = await written(task.id, 'tasks.update')
    assert.deepEqual([audit, event], [owner(), owner()])
    const comments = await stage.atrium.tasks.comments.list(task.id)
    assert.deepEqual(
      comments.data.map(({ body }) => body),
      [`Looks good ${hostile}`],
    )
    const comment = await written(comments.data[0]?.id ?? '', 'task_comments.create')
    assert.deepEqual(comment, { audit: owner(), event: owner(), type: 'workflow.comment.created' })
    const { data: entries } = await stage.atrium.timeEntries.list({ task: task.id })
    assert.deepEqual(
      entries.map(({ user, status }) => [user, status]),
      [[owner(), 'running']],
    )
    await panel.getByRole('button', { name: 'Stop the timer' }).click()
    await page.getByText('Timer stopped').waitFor()
  })
})

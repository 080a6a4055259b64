/** A network that goes away in the middle of the work: what is shown stays, and each change is made once. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Locator, Page, Route } from 'playwright-core'
import type { Project, Task } from '../../sdk/typescript/src/index.ts'
import { checkPage } from './checks.ts'
import { openStage, type Stage } from './stage.ts'

describe('without a connection', () => {
  let stage: Stage
  let workspace: string
  let project: Project
  const columns = new Map<string, string>()
  before(async () => {
    stage = await openStage()
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
    project = await stage.atrium.projects.create({ workspace, name: 'Timetable' })
    for (const name of ['To do', 'Doing', 'Done']) {
      columns.set(name, (await stage.atrium.columns.create({ workspace, project: project.id, name })).id)
    }
  })
  after(() => stage.close())

  const createTask = (title: string) =>
    stage.atrium.tasks.create({ workspace, title, project: project.id, column: columns.get('To do') ?? null })
  const board = (task?: Task) => `/work/projects/${project.id}${task === undefined ? '' : `?task=${task.key}`}`
  const bar = (page: Page) => page.locator('.connection-bar')
  /** Cards stay although a panel hides them from screen readers. */
  const cards = (page: Page) => page.locator('.board-card')
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
    await panel.getByLabel('Status').waitFor()
    const shown = await cards(page).count()
    await page.context().setOffline(true)
    await bar(page).getByText('No connection since').waitFor()
    await panel.getByLabel('Status').selectOption('in_progress')
    await panel.getByLabel('Priority').selectOption('high')
    await panel.getByLabel('Status').selectOption('in_review')
    await panel.getByLabel('Column').selectOption({ label: 'Doing' })
    await panel.getByLabel('Write a comment').fill('Sent later')
    await page.keyboard.press('Control+Enter')
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

  it('makes each kind of change once when its answer is lost', async () => {
    const other = await createTask('Spring timetable')
    const task = await createTask('Summer timetable')
    const { page } = await stage.visit(board(task))
    const panel = page.getByRole('dialog', { name: /timetable/ })
    await panel.getByLabel('Status').waitFor()
    const kinds: Readonly<Record<string, () => Promise<unknown>>> = {
      'a status': () => panel.getByLabel('Status').selectOption('blocked'),
      'a priority': () => panel.getByLabel('Priority').selectOption('low'),
      'a move': () => panel.getByLabel('Column').selectOption({ label: 'Done' }),
      'a title': () => retitle(page, panel, 'Summer timetable, final'),
      'a comment': async () => {
        await panel.getByLabel('Write a comment').fill('Once')
        await page.keyboard.press('Control+Enter')
      },
      'a completion': () => panel.getByRole('button', { name: 'Complete', exact: true }).click(),
      'a reopening': () => panel.getByRole('button', { name: 'Reopen', exact: true }).click(),
    }
    for (const change of Object.values(kinds)) {
      let lost = 0
      const lose = async (route: Route) => {
        if (route.request().method() === 'GET' || lost++ > 0) return await route.fallback()
        await route.fetch()
        await route.abort()
      }
      await page.route('**/v1/**', lose)
      const answered = page.waitForResponse((answer) => answer.headers()['idempotent-replayed'] === 'true')
      await change()
      await answered
      await page.unroute('**/v1/**', lose)
    }
    await isSent(page)
    assert.deepEqual(await actionsOn(task.id), [
      'tasks.create',
      ...['tasks.update', 'tasks.update', 'tasks.move', 'tasks.update', 'tasks.update', 'tasks.update'],
    ])
    assert.equal((await stage.atrium.tasks.comments.list(task.id)).data.length, 1)
    assert.deepEqual(await actionsOn(other.id), ['tasks.create'])
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
    await bar(page).getByText('1 change needs your decision.').waitFor()
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
})

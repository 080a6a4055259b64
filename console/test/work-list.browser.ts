/** The list of tasks with its filter, templates, and what work adds to every page. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Project } from '../../sdk/typescript/src/index.ts'
import { checkPage, settled } from './checks.ts'
import { openStage, type Stage } from './stage.ts'

describe('lists of tasks', () => {
  let stage: Stage
  let workspace: string
  let project: Project
  before(async () => {
    stage = await openStage()
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
    project = await stage.atrium.projects.create({ workspace, name: 'Seat map' })
  })
  after(() => stage.close())

  const make = (title: string, status: 'todo' | 'blocked' = 'todo') =>
    stage.atrium.tasks.create({ workspace, title, status, project: project.id })
  const open = async (path: string) => {
    const watched = await stage.signedIn()
    await watched.page.goto(`${stage.url}/work${path}`)
    await watched.page.getByRole('heading', { level: 1 }).waitFor()
    await settled(watched.page)
    return watched
  }
  const owner = () => stage.owner.user

  it('says in place what is wrong with a filter, and where', async () => {
    await make('Tickets without a network', 'blocked')
    const watched = await open('/tasks')
    const { page } = watched
    const filter = page.getByRole('combobox', { name: 'Filter' })
    await filter.fill('stat')
    await page.getByRole('option', { name: /^status/ }).click()
    await page.getByRole('option', { name: /^status = / }).click()
    await page.getByRole('option', { name: /^Blocked/ }).click()
    assert.equal(await filter.inputValue(), 'status = blocked ')
    await page.keyboard.press('Enter')
    const rows = page.getByRole('list', { name: 'Tasks' }).getByRole('listitem')
    await page.getByText('1 task', { exact: true }).waitFor()
    assert.equal(await rows.count(), 1)
    await checkPage(watched, 'work-tasks')
    await filter.fill('status = = done')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'at character 10' }).waitFor()
    assert.equal(await page.locator('.filter-place mark').innerText(), '=')
    assert.equal(await filter.getAttribute('aria-invalid'), 'true')
    watched.errors.length = 0
  })

  it('saves a filter for the team, and changes several tasks at once', async () => {
    const [one, two] = [await make('Bulk one'), await make('Bulk two')]
    const { page } = await open(`/tasks?${new URLSearchParams({ filter: 'title:bulk' })}`)
    await page.getByRole('button', { name: 'Saved filters' }).click()
    await page.getByRole('menuitem', { name: 'Save this filter…' }).click()
    await page.getByLabel('Name', { exact: true }).fill('In bulk')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'In bulk' }).waitFor()
    const { data } = await stage.atrium.savedFilters.list()
    assert.deepEqual(
      data.map(({ name, filter, created_by }) => [name, filter, created_by]),
      [['In bulk', 'title:bulk', owner()]],
    )
    assert.match(page.url(), new RegExp(`saved=${data[0]?.id}`))
    await page.getByText('2 tasks', { exact: true }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.getByText('2 selected').waitFor()
    await page.getByRole('region', { name: 'Selected tasks' }).getByRole('button', { name: 'Status' }).click()
    await page.getByRole('menuitem', { name: 'Done' }).click()
    await page.getByText('2 tasks: done').waitFor()
    for (const { id } of [one, two]) assert.equal((await stage.atrium.tasks.retrieve(id)).status, 'done')
  })

  it('deletes a task with time to take it back', async () => {
    const task = await make('Throw away')
    const { page } = await open(`/tasks/${task.key}`)
    await page.getByRole('button', { name: `More about ${task.key}` }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByText(`${task.key} deleted`).waitFor()
    const shown = page.getByRole('link', { name: 'Throw away' })
    assert.equal(await shown.count(), 0)
    await page.getByRole('button', { name: 'Undo' }).click()
    await shown.waitFor()
    assert.equal((await stage.atrium.tasks.retrieve(task.id)).title, 'Throw away')
  })

  it('makes tasks from anywhere with c, and finds them with the palette', async () => {
    const watched = await open('')
    const { page } = watched
    await checkPage(watched, 'work')
    await page.keyboard.press('c')
    const dialog = page.getByRole('dialog', { name: 'New task' })
    await dialog.getByLabel('Title').fill('Print the tickets')
    await checkPage(watched, 'work-new-task')
    await page.keyboard.press('Enter')
    await page.getByText(/^\w+-\d+ made$/).waitFor()
    const made = await stage.atrium.tasks.list({ filter: 'title = "Print the tickets"' })
    assert.deepEqual(
      made.data.map(({ creator, project: place }) => [creator.id, place]),
      [[owner(), project.id]],
    )
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder(/paste any id/).fill('Print the tick')
    await page.getByRole('option', { name: /Print the tickets/ }).click()
    await page.getByRole('button', { name: /Print the tickets/ }).waitFor()
  })

  it('writes a template and makes a task of it', async () => {
    const watched = await open('/templates')
    const { page } = watched
    await page.getByRole('button', { name: 'New template' }).first().click()
    await page.getByLabel('Name of the template').fill('Weekly check')
    await page.getByLabel('Title of the task').fill('Check the life vests')
    await page.keyboard.press('Enter')
    await page.getByText('Weekly check saved').waitFor()
    await page.getByRole('button', { name: 'Use Weekly check' }).click()
    await page.getByRole('dialog').getByText('Check the life vests').first().waitFor()
    const { data } = await stage.atrium.taskTemplates.list()
    const made = await stage.atrium.tasks.list({ filter: 'title = "Check the life vests"' })
    assert.deepEqual(
      made.data.map(({ template, creator }) => [template, creator.id]),
      [[data[0]?.id, owner()]],
    )
    await page.keyboard.press('Escape')
    await checkPage(watched, 'work-templates')
  })
})

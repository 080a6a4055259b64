/** The task list with its filter, bulk changes and deletion, task creation from any page, and templates. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Project } from '../../sdk/typescript/src/index.ts'
import { checkPage } from './checks.ts'
import { stageOf } from './stage.ts'

describe('lists of tasks', () => {
  const stage = stageOf()
  let workspace: string
  let project: Project
  before(async () => {
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
    project = await stage.atrium.projects.create({ workspace, name: 'Seat map' })
  })

  const createTask = (title: string, status: 'todo' | 'blocked' = 'todo') =>
    stage.atrium.tasks.create({ workspace, title, status, project: project.id })
  const open = (path: string) => stage.visit(`/work${path}`)
  const owner = () => stage.owner.user

  it('marks what is wrong with a filter, and where', async () => {
    await createTask('Tickets without a network', 'blocked')
    const watched = await open('/tasks')
    const { page } = watched
    await page.getByRole('button', { name: 'Advanced' }).click()
    const filter = page.getByRole('combobox', { name: 'Filter text' })
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
  })

  it('saves a filter for the team and changes several tasks at once', async () => {
    const [first, second] = [await createTask('Bulk one'), await createTask('Bulk two')]
    const { page } = await open(`/tasks?${new URLSearchParams({ filter: 'title:bulk' })}`)
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Save view…' }).click()
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
    await page.getByText('2 tasks changed to Done').waitFor()
    for (const { id } of [first, second]) assert.equal((await stage.atrium.tasks.retrieve(id)).status, 'done')
  })

  it('saves "This week" as days that move along, edits the saved filter and deletes it', async () => {
    const watched = await open('/tasks')
    const { page } = watched
    const choose = (name: string) => page.getByRole('listbox').getByRole('option', { name, exact: true }).click()
    await page.getByRole('button', { name: 'Add filter' }).click()
    await choose('Due date')
    await choose('is within')
    await page
      .getByRole('listbox')
      .getByRole('option', { name: /^This week/ })
      .click()
    await page
      .getByRole('group', { name: /^Due date is within This week/ })
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Save view…' }).click()
    await page.getByText('“This week” is saved as “Next 7 days”').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Soon')
    await checkPage(watched, 'work-save-filter')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('group', { name: 'Due date is within Next 7 days' }).first().waitFor()
    const saved = async () =>
      (await stage.atrium.savedFilters.list()).data.filter(({ name }) => name.startsWith('Soon'))
    assert.deepEqual(
      (await saved()).map(({ filter }) => filter),
      ['due_at >= today due_at <= today+6d'],
    )
    await page.getByRole('button', { name: 'Soon', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Edit…' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Soon due')
    await page.getByLabel('Description').fill('For the Monday round')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Soon due saved').waitFor()
    assert.deepEqual(
      (await saved()).map(({ name, description }) => [name, description]),
      [['Soon due', 'For the Monday round']],
    )
    await page.getByRole('button', { name: 'Soon due', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('View deleted').waitFor()
    assert.deepEqual(await saved(), [])
  })

  it('deletes a workspace with everything in it, after its title was typed', async () => {
    const { id } = await stage.atrium.workspaces.create({ title: 'Old pier' })
    const [pier, shed] = [
      await stage.atrium.projects.create({ workspace: id, name: 'Pier' }),
      await stage.atrium.projects.create({ workspace: id, name: 'Shed' }),
    ]
    const plank = await stage.atrium.tasks.create({ workspace: id, title: 'Plank', project: pier.id })
    await stage.atrium.tasks.create({ workspace: id, title: 'Nail', parent: plank.id })
    const lock = await stage.atrium.tasks.create({ workspace: id, title: 'Lock', project: shed.id })
    const times = { started_at: 1_760_000_000, ended_at: 1_760_003_600 }
    await stage.atrium.timeEntries.create({ workspace: id, task: lock.id, ...times })
    await stage.atrium.savedFilters.create({ workspace: id, name: 'All', filter: 'status = todo' })
    await stage.atrium.customFields.create({ workspace: id, key: 'wood', name: 'Wood', type: 'text' })
    await stage.atrium.projects.archive(shed.id)
    const { page } = await open(`/workspaces/${id}`)
    await page.getByRole('button', { name: 'Delete Old pier' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('2 tasks, 2 projects, 1 time entry, 1 saved filter, and 1 custom field').waitFor()
    const confirm = dialog.getByRole('button', { name: 'Delete', exact: true })
    assert.equal(await confirm.isDisabled(), true)
    await dialog.getByLabel('Type Old pier to confirm').fill('Old pier')
    await confirm.click()
    await page.getByText('Old pier deleted').waitFor()
    assert.equal(new URL(page.url()).pathname, '/work')
    await assert.rejects(stage.atrium.workspaces.retrieve(id), { code: 'resource_deleted' })
    await assert.rejects(stage.atrium.tasks.retrieve(lock.id), { code: 'resource_deleted' })
  })

  it('deletes a task, and restores it by Undo', async () => {
    const task = await createTask('Throw away')
    const { page } = await open(`/tasks/${task.key}`)
    await page.getByRole('button', { name: `Actions for ${task.key}` }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByText(`${task.key} deleted`).waitFor()
    const shown = page.getByRole('link', { name: 'Throw away' })
    assert.equal(await shown.count(), 0)
    await page.getByRole('button', { name: 'Undo' }).click()
    await shown.waitFor()
    assert.equal((await stage.atrium.tasks.retrieve(task.id)).title, 'Throw away')
  })

  it('creates a task from any page with c and finds it with the palette', async () => {
    const watched = await open('')
    const { page } = watched
    await checkPage(watched, 'work')
    await page.keyboard.press('c')
    const dialog = page.getByRole('dialog', { name: 'New task' })
    await dialog.getByLabel('Title').fill('Print the tickets')
    await checkPage(watched, 'work-new-task')
    await page.keyboard.press('Enter')
    await page.getByText(/^\w+-\d+ created$/).waitFor()
    const created = await stage.atrium.tasks.list({ filter: 'title = "Print the tickets"' })
    assert.deepEqual(
      created.data.map(({ creator, project: parent }) => [creator.id, parent]),
      [[owner(), project.id]],
    )
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder(/paste an ID/).fill('Print the tick')
    await page.getByRole('option', { name: /Print the tickets/ }).click()
    await page.getByRole('button', { name: /Print the tickets/ }).waitFor()
  })

  it('creates a template and a task from it', async () => {
    const watched = await open('/templates')
    const { page } = watched
    await page.getByRole('button', { name: 'New template' }).first().click()
    await page.getByLabel('Template name').fill('Weekly check')
    await page.getByLabel('Task title').fill('Check the life vests')
    await page.keyboard.press('Enter')
    await page.getByText('Template saved').waitFor()
    await page.getByRole('button', { name: 'Use Weekly check' }).click()
    await page.getByRole('dialog').getByText('Check the life vests').first().waitFor()
    const { data } = await stage.atrium.taskTemplates.list()
    const created = await stage.atrium.tasks.list({ filter: 'title = "Check the life vests"' })
    assert.deepEqual(
      created.data.map(({ template, creator }) => [template, creator.id]),
      [[data[0]?.id, owner()]],
    )
    await page.keyboard.press('Escape')
    await checkPage(watched, 'work-templates')
  })
})

/** Subtasks in the panel of a task, by keyboard and by mouse, at the width of a phone and of a desk. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Project, Task } from '../../sdk/typescript/src/index.ts'
import { checkPage, forgetShifts } from './checks.ts'
import { stageOf } from './stage.ts'

describe('subtasks', () => {
  const stage = stageOf()
  let workspace: string
  let project: Project
  before(async () => {
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
    project = await stage.atrium.projects.create({ workspace, name: 'Seat map' })
  })

  const createTask = (title: string, fields: { parent?: string; project?: string | null } = {}) =>
    stage.atrium.tasks.create({ workspace, title, project: project.id, ...fields })
  const childrenOf = async ({ id }: Task) => {
    const { data } = await stage.atrium.tasks.list({ parent: id, sort: 'position' })
    return data.map(({ title, status }) => `${title}: ${status}`)
  }

  it('are added, pasted, reordered and completed by keyboard alone; the last one offers to complete the parent', async () => {
    const task = await createTask('Draw the decks')
    const watched = await stage.visit(`/work/tasks?task=${task.key}`)
    const { page } = watched
    await page.setViewportSize({ width: 1440, height: 900 })
    const panel = page.getByRole('dialog')
    await panel.getByRole('button', { name: 'Add subtask' }).waitFor()
    await page.keyboard.press('Shift+c')
    await page.keyboard.type('Upper deck')
    await page.keyboard.press('Enter')
    await page.keyboard.type('Lower deck')
    await page.keyboard.press('Enter')
    const rows = panel.getByRole('list', { name: `Subtasks of ${task.key}` }).getByRole('listitem')
    await rows.filter({ hasText: 'Lower deck' }).waitFor()
    assert.deepEqual(await childrenOf(task), ['Upper deck: todo', 'Lower deck: todo'])
    await panel.getByLabel(`New subtask of ${task.key}`).evaluate((field) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', '- Bow\n- [ ] Stern\n')
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    })
    await panel.getByText('Create 2 subtasks, one per line?').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('2 subtasks created').waitFor()
    await rows.filter({ hasText: 'Stern' }).waitFor()
    await page.keyboard.press('Escape')
    // The button gets the focus back a frame after the field is closed.
    await page.waitForFunction(() => document.activeElement?.textContent === 'Add subtask')
    await rows.getByRole('link', { name: /Stern/ }).focus()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Alt+ArrowUp')
    await page.getByText(/moved before/).waitFor()
    assert.deepEqual(await childrenOf(task), ['Upper deck: todo', 'Bow: todo', 'Lower deck: todo', 'Stern: todo'])
    await panel.getByText('0 of 4 done').waitFor()
    for (const name of ['Upper deck', 'Bow', 'Lower deck', 'Stern']) {
      await rows
        .filter({ hasText: name })
        .getByRole('button', { name: /^Complete/ })
        .press('Enter')
      await rows
        .filter({ hasText: name })
        .getByRole('button', { name: /^Reopen/ })
        .waitFor()
    }
    await panel.getByText('4 of 4 done').waitFor()
    await checkPage(watched, 'subtasks-panel')
    await panel.getByRole('button', { name: `Complete ${task.key}` }).press('Enter')
    await page.getByText(`${task.key} changed to Done`).waitFor()
    const { status, subtask_done_count } = await stage.atrium.tasks.retrieve(task.id)
    assert.deepEqual({ status, subtask_done_count }, { status: 'done', subtask_done_count: 4 })
  })

  it('are attached, opened and detached by mouse, and a parent below the task is refused in words', async () => {
    const task = await createTask('Price the seats')
    const child = await createTask('Ask the captain')
    const watched = await stage.visit(`/work/tasks?task=${task.key}`)
    const { page } = watched
    await page.setViewportSize({ width: 390, height: 844 })
    const panel = page.getByRole('dialog')
    await panel.getByRole('button', { name: 'Add existing task' }).click()
    await page.getByRole('combobox', { name: 'Search existing task' }).fill('captain')
    await page.getByRole('option', { name: /Ask the captain/ }).click()
    await page.getByText(`${child.key} is a subtask of ${task.key}`).waitFor()
    const other = await createTask('Count the seats', { parent: task.id })
    const rows = panel.getByRole('list', { name: `Subtasks of ${task.key}` }).getByRole('listitem')
    await rows.nth(1).dragTo(rows.nth(0), { targetPosition: { x: 60, y: 2 } })
    await page.getByText(`${other.key} moved before ${child.key}`).waitFor()
    assert.deepEqual(await childrenOf(task), ['Count the seats: todo', 'Ask the captain: todo'])
    await stage.atrium.tasks.delete(other.id)
    await rows.nth(1).waitFor({ state: 'detached' })
    // What was added and deleted has moved the rest.
    await forgetShifts(page)
    await panel.getByRole('link', { name: /Ask the captain/ }).click()
    const trail = panel.getByRole('navigation', { name: 'Parent tasks' })
    await trail.getByRole('link', { name: /Price the seats/ }).waitFor()
    await checkPage(watched, 'subtasks-child')
    await trail.getByRole('link', { name: /Price the seats/ }).click()
    await panel.getByRole('button', { name: /^Parent:/ }).click()
    await page.getByRole('combobox', { name: 'Search parent' }).fill(child.key)
    await page.getByRole('option', { name: /Ask the captain/ }).click()
    await panel.getByText(`${child.key} is below ${task.key}, so it cannot be the parent`).waitFor()
    assert.equal((await stage.atrium.tasks.retrieve(task.id)).parent, null)
    await panel.getByRole('button', { name: `Actions for ${child.key}` }).click()
    await page.getByRole('menuitem', { name: /^Detach/ }).click()
    await page.getByText(`${child.key} is no longer a subtask`).waitFor()
    assert.equal((await stage.atrium.tasks.retrieve(child.id)).parent, null)
    assert.deepEqual(await childrenOf(task), [])
  })

  it('go along to another project if the person says so', async () => {
    const parent = await createTask('Sell tickets')
    const child = await createTask('Print tickets', { parent: parent.id })
    const below = await createTask('Buy paper', { parent: child.id })
    const other = await stage.atrium.projects.create({ workspace, name: 'Ticket office' })
    const { page } = await stage.visit(`/work/tasks/${parent.key}`)
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.getByRole('button', { name: /^Project:/ }).click()
    await page.getByRole('option', { name: 'Ticket office' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click()
    await page.getByText(`${parent.key} and 2 tasks below it moved to Ticket office`).waitFor()
    const projects = await Promise.all([parent, child, below].map(({ id }) => stage.atrium.tasks.retrieve(id)))
    assert.deepEqual(
      projects.map((task) => task.project),
      [other.id, other.id, other.id],
    )
  })

  it('change in bulk with the other selected tasks, and Undo writes all former values back', async () => {
    const [first, second] = [await createTask('Bulk: sails'), await createTask('Bulk: ropes')]
    await stage.atrium.tasks.update(first.id, { priority: 'low', labels: ['deck'] })
    const parent = await createTask('Rigging')
    const watched = await stage.visit(`/work/tasks?${new URLSearchParams({ filter: 'title:"Bulk:"' })}`)
    const { page } = watched
    await page.setViewportSize({ width: 1440, height: 900 })
    for (const { key } of [first, second]) await page.getByRole('checkbox', { name: `Select ${key}` }).check()
    const bar = page.getByRole('region', { name: 'Selected tasks' })
    await bar.getByText('2 selected').waitFor()
    await checkPage(watched, 'bulk-bar')
    const now = async () => {
      const tasks = await Promise.all([first, second].map(({ id }) => stage.atrium.tasks.retrieve(id)))
      return tasks.map((task) => [task.priority, task.labels.join(), task.parent])
    }
    const former = await now()
    /** The toast offers Undo for a few seconds, so each change is undone at once. */
    const undone = async (text: string, changed: unknown) => {
      const undo = page.locator('.toast').filter({ hasText: text }).getByRole('button', { name: 'Undo' })
      await undo.hover()
      assert.deepEqual(await now(), changed)
      await undo.click()
      const done = page.locator('.toast').filter({ hasText: 'Undone' })
      await done.getByRole('button', { name: 'Dismiss' }).click()
      await done.waitFor({ state: 'detached' })
      assert.deepEqual(await now(), former)
    }
    await bar.getByRole('button', { name: 'Priority' }).click()
    await page.getByRole('menuitem', { name: 'Urgent' }).click()
    await undone('2 tasks changed to urgent', [
      ['urgent', 'deck', null],
      ['urgent', '', null],
    ])
    await bar.getByRole('button', { name: 'Labels' }).click()
    await page.getByRole('combobox', { name: 'Search labels' }).fill('rig')
    await page.keyboard.press('Enter')
    await undone('2 tasks labeled rig', [
      ['low', 'deck,rig', null],
      ['none', 'rig', null],
    ])
    await bar.getByRole('button', { name: 'Parent' }).click()
    await page.getByRole('combobox', { name: 'Search parent' }).fill('Rigging')
    await page.getByRole('option', { name: /Rigging/ }).click()
    await undone(`2 tasks made subtasks of ${parent.key}`, [
      ['low', 'deck', parent.id],
      ['none', '', parent.id],
    ])
    await bar.getByRole('button', { name: 'Delete 2 tasks' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('2 tasks deleted').waitFor()
    await page.getByText('No tasks match').waitFor()
  })

  it('block each other by dependencies; a task of another project is refused in words', async () => {
    const [hull, mast] = [await createTask('Paint the hull'), await createTask('Set the mast')]
    const other = await stage.atrium.projects.create({ workspace, name: 'Crew' })
    const foreign = await createTask('Hire a cook', { project: other.id })
    const watched = await stage.visit(`/work/tasks?${new URLSearchParams({ task: mast.key, part: 'dependencies' })}`)
    const { page } = watched
    await page.setViewportSize({ width: 1440, height: 900 })
    const panel = page.getByRole('dialog')
    const choose = async (text: string, option: RegExp) => {
      await page.getByRole('combobox', { name: 'Search task' }).fill(text)
      await page.getByRole('option', { name: option }).click()
    }
    await panel.getByRole('button', { name: 'Add dependency' }).click()
    await choose(foreign.key, /Hire a cook/)
    await panel.getByText(`${foreign.key} is in another project.`).waitFor()
    await panel.getByRole('button', { name: /^Task:/ }).click()
    await choose('hull', /Paint the hull/)
    await panel.getByText('Blocked by an open task').waitFor()
    const { data } = await stage.atrium.tasks.dependencies.list(hull.id)
    assert.deepEqual(
      data.map(({ kind, to }) => [kind, to]),
      [['blocks', mast.id]],
    )
    await checkPage(watched, 'dependencies-panel')
    await page.keyboard.press('Escape')
    const rows = page.getByRole('list', { name: 'Tasks' }).getByRole('listitem')
    const marked = rows.filter({ hasText: `Blocked by ${hull.key} Paint the hull` })
    await marked.filter({ hasText: 'Set the mast' }).waitFor()
    await rows
      .filter({ hasText: `Blocks ${mast.key} Set the mast` })
      .filter({ hasText: 'Paint the hull' })
      .waitFor()
    const bolt = await createTask('Bolt it down', { parent: mast.id })
    await stage.visit(`/work/projects/${project.id}`)
    const cards = page.locator('.kanban-card')
    await cards.first().waitFor()
    // Cards far below the view are not rendered.
    await page.locator('.board-cards').evaluate((list) => list.scrollTo(0, list.scrollHeight))
    const blocked = cards.filter({ hasText: `Blocked by ${hull.key} Paint the hull` })
    await blocked.filter({ hasText: 'Set the mast' }).waitFor()
    await cards.filter({ hasText: bolt.key }).filter({ hasText: 'Subtask of Set the mast' }).waitFor()
    await checkPage(watched, 'board-marks')
    await stage.atrium.tasks.complete(hull.id)
    await blocked.waitFor({ state: 'detached' })
  })

  it('stand under their parent in a grouped list, which the keyboard expands, walks and selects', async () => {
    const first = await createTask('Group: harbour')
    const child = await createTask('Group: pier', { parent: first.id })
    await createTask('Bollard', { parent: child.id })
    const filter = { filter: 'title:"Group:"' }
    const watched = await stage.visit(`/work/tasks?${new URLSearchParams(filter)}`)
    const { page } = watched
    await page.setViewportSize({ width: 1440, height: 900 })
    const rows = page.getByRole('list', { name: 'Tasks' }).getByRole('listitem')
    await rows.filter({ hasText: 'Subtask of Group: harbour' }).filter({ hasText: 'Group: pier' }).waitFor()
    await page.getByRole('button', { name: 'Group subtasks' }).click()
    await page.getByRole('button', { name: `Subtasks of ${first.key}` }).waitFor()
    const titles = () => rows.locator('.task-row-link').allInnerTexts()
    assert.deepEqual(await titles(), ['Group: harbour', 'Group: pier'])
    await checkPage(watched, 'tasks-grouped')
    await rows.getByRole('link', { name: 'Group: harbour', exact: true }).focus()
    await page.keyboard.press('ArrowLeft')
    await rows.nth(1).waitFor({ state: 'detached' })
    await stage.visit('/work/tasks')
    const toggle = page.getByRole('button', { name: `Subtasks of ${first.key}` })
    await toggle.waitFor()
    assert.equal((await titles()).includes('Group: pier'), false)
    await rows.getByRole('link', { name: 'Group: harbour', exact: true }).focus()
    await page.keyboard.press('ArrowRight')
    const pier = rows.getByRole('link', { name: 'Group: pier', exact: true })
    await pier.waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowRight')
    await rows.getByRole('link', { name: 'Bollard' }).waitFor()
    await pier.focus()
    await page.keyboard.press('Shift+ArrowDown')
    const bar = page.getByRole('region', { name: 'Selected tasks' })
    await bar.getByText('2 selected').waitFor()
    await page.keyboard.press('Control+a')
    await bar.getByText(`${await rows.count()} selected`).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Enter')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Bollard/ })
      .waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Group subtasks' }).click()
  })

  it('of a list longer than a portion are all selected and changed portion by portion', async () => {
    for (let made = 0; made < 501; made += 100) {
      const data = Array.from({ length: Math.min(100, 501 - made) }, (_, i) => ({ title: `Crate ${made + i}` }))
      await stage.atrium.tasks.batch({ workspace, data })
    }
    const { page } = await stage.visit(`/work/tasks?${new URLSearchParams({ filter: 'title:crate' })}`)
    await page.getByText('501 tasks', { exact: true }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    const bar = page.getByRole('region', { name: 'Selected tasks' })
    await bar.getByRole('button', { name: 'Select all 501' }).click()
    await bar.getByText('501 selected').waitFor()
    await bar.getByRole('button', { name: 'Priority' }).click()
    await page.getByRole('menuitem', { name: 'High' }).click()
    await page.getByText('501 tasks changed to high').waitFor()
    const changed = await stage.atrium.tasks.count({ filter: 'title:crate priority = high' })
    assert.equal(changed.count, 501)
    await page.context().setOffline(true)
    const connection = page.locator('.connection-bar')
    await connection.getByText('No connection since').waitFor()
    await bar.getByRole('button', { name: 'Priority' }).click()
    await page.getByRole('menuitem', { name: 'Low' }).click()
    await connection.getByText('2 changes are kept and will be sent.').waitFor()
    await page.context().setOffline(false)
    await connection.locator('.connection-text').waitFor({ state: 'detached' })
    assert.equal((await stage.atrium.tasks.count({ filter: 'title:crate priority = low' })).count, 501)
    const parent = await createTask('Hold')
    const tasks = (await stage.atrium.tasks.list({ filter: 'title:crate', limit: 100 }).toArray({ max: 501 })).map(
      ({ id }) => id,
    )
    for (const part of [tasks.slice(0, 500), tasks.slice(500)]) {
      await stage.atrium.tasks.bulk({ workspace, tasks: part, set: { parent: parent.id } })
    }
    await stage.visit(`/work/tasks/${parent.key}`)
    const rows = page.getByRole('list', { name: `Subtasks of ${parent.key}` }).getByRole('listitem')
    await rows.nth(499).waitFor()
    assert.equal(await rows.count(), 500)
    await page.getByRole('button', { name: 'Show all 501 subtasks' }).click()
    await rows.nth(500).waitFor()
    await page.getByRole('button', { name: 'Show all 501 subtasks' }).waitFor({ state: 'detached' })
  })
})

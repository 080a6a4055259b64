/** Tasks by keyboard, by context menu and by finger, and their undo. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { Project, Task } from '../../sdk/typescript/src/index.ts'
import { checkPage, settled } from './checks.ts'
import { stageOf } from './stage.ts'

const task_count = 30

describe('tasks by hand', () => {
  const stage = stageOf()
  let workspace: string
  let project: Project
  let column: string
  before(async () => {
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
    project = await stage.atrium.projects.create({ workspace, name: 'Seat map' })
    column = (await stage.atrium.columns.create({ workspace, project: project.id, name: 'To do', status: 'todo' })).id
    await stage.atrium.columns.create({ workspace, project: project.id, name: 'Done', status: 'done' })
  })

  const shown = (task: Task) => stage.atrium.tasks.retrieve(task.id)
  const choose = async (page: Page, key: string, title: string, words: string) => {
    await page.keyboard.press(key)
    await page.getByRole('dialog', { name: title }).waitFor()
    await page.keyboard.type(words)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  const done = (page: Page, text: string) => page.locator('.toast').filter({ hasText: text }).last().waitFor()

  it('triages thirty tasks by keyboard alone, and undoes a step', async () => {
    const data = Array.from({ length: task_count }, (_, i) => ({ title: `Triage ${i + 1}`, project: project.id }))
    const made = await stage.atrium.tasks.batch({ workspace, data })
    const sorted = new URLSearchParams({ filter: 'title:triage', sort: 'created' })
    const { page } = await stage.visit(`/work/tasks?${sorted}`)
    await page.getByText(`${task_count} tasks`, { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Triage 1', exact: true }).waitFor()
    // The first ten are urgent, and two of them have an assignee.
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('x')
    for (let i = 0; i < 9; i++) await page.keyboard.press('Shift+ArrowDown')
    await page.getByText('10 selected').waitFor()
    await choose(page, 'p', 'Set priority', 'urgent')
    await done(page, '10 tasks changed to urgent')
    await page.keyboard.press('Escape')
    await choose(page, 'd', 'Set due date', 'tomorrow')
    await done(page, 'due')
    await settled(page)
    await page.keyboard.press('Control+a')
    await page.getByText(`${task_count} selected`).waitFor()
    await choose(page, 'a', 'Set assignee', 'owner')
    await done(page, `${task_count} tasks assigned to`)
    const tasks = await Promise.all(made.data.map(shown))
    assert.deepEqual(
      tasks.map(({ priority, assignee }) => [priority, assignee]),
      tasks.map((_, i) => [i < 10 ? 'urgent' : 'none', stage.owner.user]),
    )
    await page.keyboard.press('Control+z')
    await page.getByText('Undone', { exact: true }).first().waitFor()
    const back = await Promise.all(made.data.map(shown))
    assert.ok(back.every(({ assignee }) => assignee === null))
  })

  it('says what happened to one task in the words for one, in English and in German', async () => {
    const make = (title: string) => stage.atrium.tasks.create({ workspace, project: project.id, title })
    const [parent, task] = [await make('Rig the mast'), await make('Splice the rope')]
    const { page } = await stage.visit(`/work/tasks?${new URLSearchParams({ filter: 'title:splice' })}`)
    const row = page.locator(`[data-task="${task.id}"]`).getByRole('link')
    await row.focus()
    await page.keyboard.press('Shift+u')
    await page.getByRole('dialog', { name: 'Set parent' }).waitFor()
    // The list shows keys, so a key finds its task.
    await page.keyboard.type(parent.key)
    await page.getByRole('option', { name: parent.title }).click()
    await done(page, `made a subtask of ${parent.key}`)
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const speak = (language: string | null) =>
      page.evaluate(async (chosen) => {
        const { csrf } = await (await fetch('/app/api/session')).json()
        const headers = { 'x-csrf': csrf, 'content-type': 'application/json' }
        await fetch('/app/api/preferences', { method: 'PATCH', headers, body: JSON.stringify({ language: chosen }) })
      }, language)
    await speak('de')
    await page.reload()
    await page.locator('html[lang=de]').waitFor({ state: 'attached' })
    await row.focus()
    await choose(page, 'e', 'Titel bearbeiten', 'Splice the new rope')
    await done(page, 'umbenannt')
    await page.getByText('Splice the new rope').waitFor()
    await row.focus()
    await page.keyboard.press('Control+Enter')
    await done(page, 'erledigt')
    await row.focus()
    await page.keyboard.press('Shift+u')
    await page.getByRole('option', { name: 'Keine übergeordnete Aufgabe' }).click()
    await done(page, 'von ihrer übergeordneten Aufgabe gelöst')
    await speak(null)
  })

  it('offers the actions of a card by right click and by finger, and lists the own changes', async () => {
    const task = await stage.atrium.tasks.create({ workspace, project: project.id, column, title: 'Paint the hull' })
    const watched = await stage.visit(`/work/projects/${project.id}`)
    const { page } = watched
    const card = page.locator(`[data-task="${task.id}"]`)
    await card.click({ button: 'right' })
    await page.getByRole('menu', { name: task.key }).waitFor()
    await checkPage(watched, 'work-context-menu')
    await page.getByRole('menuitem', { name: /^Labels…/ }).click()
    await page.getByRole('dialog', { name: 'Change labels' }).waitFor()
    await page.keyboard.type('paint')
    await page.keyboard.press('Enter')
    await done(page, 'labeled paint')
    await page.keyboard.press('Control+Alt+z')
    const dialog = page.getByRole('dialog', { name: 'My recent changes' })
    await dialog.locator('.recent-change-text', { hasText: `${task.key} Paint the hull: labels` }).waitFor()
    await checkPage(watched, 'recent-changes')
    await stage.atrium.tasks.update(task.id, { labels: ['paint', 'blue'] })
    await dialog.getByRole('button', { name: /^Undo KEP-\d+ Paint|^Undo .*Paint the hull: labels/ }).click()
    await dialog.getByRole('alert').filter({ hasText: 'its labels has changed since' }).waitFor()
    await stage.atrium.tasks.update(task.id, { labels: ['paint'] })
    await dialog.getByRole('button', { name: /Paint the hull: labels/ }).click()
    await dialog
      .getByRole('button', { name: /^Undone/ })
      .first()
      .waitFor()
    assert.deepEqual((await shown(task)).labels, [])
  })

  it('keeps the draft of a new task over a reload, and makes a task of each pasted line', async () => {
    const { page } = await stage.visit('/work/tasks')
    await page.getByRole('button', { name: 'New task' }).first().waitFor()
    await page.keyboard.press('c')
    const dialog = page.getByRole('dialog', { name: 'New task' })
    await dialog.getByLabel('Title').fill('Weigh the anchor #deck !high tomorrow')
    await dialog.getByText('Label deck · Priority high · Due').waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'New task' }).first().waitFor()
    await page.keyboard.press('c')
    assert.equal(await dialog.getByLabel('Title').inputValue(), 'Weigh the anchor #deck !high tomorrow')
    await dialog.getByLabel('Description').press('ControlOrMeta+Enter')
    await done(page, 'created')
    const [made] = (await stage.atrium.tasks.list({ filter: 'title = "Weigh the anchor"' })).data
    assert.deepEqual([made?.labels, made?.priority, typeof made?.due_at], [['deck'], 'high', 'number'])
    await page.keyboard.press('c')
    const text = '- [ ] Rope #deck\n- Chain\n\n3. Buoy'
    await dialog.getByLabel('Title').evaluate((field, pasted) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text', pasted)
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    }, text)
    await dialog.getByRole('button', { name: 'Create 3 tasks' }).click()
    await done(page, '3 tasks created')
    const { data } = await stage.atrium.tasks.list({ filter: 'title IN ("Rope", "Chain", "Buoy")' })
    assert.deepEqual(data.map(({ title, labels }) => [title, labels]).toSorted(), [
      ['Buoy', []],
      ['Chain', []],
      ['Rope', ['deck']],
    ])
  })
})

/** Tasks on a calendar: planned by mouse, finger and keyboard, and a month with more tasks than are read at once. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Task } from '@atrium/sdk'
import type { Page } from 'playwright-core'
import { checkPage, forgetShifts } from './checks.ts'
import { stageOf } from './stage.ts'

const at = (day: string, time = '09:30:00') => Math.floor(new Date(`${day}T${time}`).getTime() / 1000)

describe('the calendar', () => {
  const stage = stageOf()
  let workspace: string
  let project: string
  before(async () => {
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
    project = (await stage.atrium.projects.create({ workspace, name: 'Winter' })).id
  })

  const create = (title: string, fields: object = {}): Promise<Task> =>
    stage.atrium.tasks.create({ workspace, project, title, ...fields })
  const cell = (page: Page, day: string) => page.locator(`li[data-day="${day}"]`)
  const due = async ({ id }: Task) => (await stage.atrium.tasks.retrieve(id)).due_at

  it('moves a task by mouse to another day at the same time, and back by Undo', async () => {
    const task = await create('Paint the hull', { due_at: at('2027-03-10') })
    const other = await create('Launch', { due_at: at('2027-03-10'), project: null })
    const watched = await stage.visit(
      `/work/calendar?at=2027-03-01&filter=${encodeURIComponent(`project = ${project}`)}`,
    )
    const { page } = watched
    await cell(page, '2027-03-10').getByText('Paint the hull').waitFor()
    assert.equal(await page.getByText('Launch').count(), 0)
    await cell(page, '2027-03-10').getByText('Paint the hull').dragTo(cell(page, '2027-03-18'))
    await cell(page, '2027-03-18').getByText('Paint the hull').waitFor()
    await page.getByText(`${task.key} updated: due date`).waitFor()
    assert.equal(await due(task), at('2027-03-18'))
    await page.getByRole('button', { name: 'Undo' }).click()
    await cell(page, '2027-03-10').getByText('Paint the hull').waitFor()
    await page.getByText('Undone').waitFor()
    assert.equal(await due(task), at('2027-03-10'))
    await stage.atrium.tasks.delete(other.id)
    await forgetShifts(page)
    await checkPage(watched, 'calendar-month')
    await page.getByRole('navigation', { name: 'Layout' }).getByRole('link', { name: 'Board', exact: true }).click()
    await page.getByRole('heading', { name: 'Winter' }).waitFor()
    await page.goBack()
    await cell(page, '2027-03-10').getByText('Paint the hull').waitFor()
  })

  it('moves a task by keyboard into the next month', async () => {
    const task = await create('Order rope', { due_at: at('2027-04-28') })
    const { page } = await stage.visit('/work/calendar?at=2027-04-15')
    await cell(page, '2027-04-28').getByRole('link', { name: 'Order rope' }).focus()
    for (const key of [' ', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key)
    await page.getByRole('status').filter({ hasText: 'Thursday, May 6' }).waitFor()
    await page.getByRole('heading', { name: 'May 2027' }).waitFor()
    await page.keyboard.press(' ')
    await cell(page, '2027-05-06').getByRole('link', { name: 'Order rope' }).waitFor()
    await page.getByText(`${task.key} updated: due date`).waitFor()
    assert.equal(await due(task), at('2027-05-06'))
    await page.keyboard.press('p')
    await page.getByRole('heading', { name: 'April 2027' }).waitFor()
  })

  it('plans a task without a date, takes a date away, and creates one on a day', async () => {
    const task = await create('Ask for quotes')
    const { page } = await stage.visit('/work/calendar?at=2027-06-15&span=week&unplanned=on')
    const tray = page.getByRole('region', { name: 'No due date' })
    await tray.getByText('Ask for quotes').dragTo(cell(page, '2027-06-17'))
    await cell(page, '2027-06-17').getByText('Ask for quotes').waitFor()
    await tray.getByText('Ask for quotes').waitFor({ state: 'detached' })
    assert.equal(await due(task), at('2027-06-17', '23:59:00'))
    await cell(page, '2027-06-17').getByText('Ask for quotes').dragTo(tray)
    await tray.getByText('Ask for quotes').waitFor()
    await cell(page, '2027-06-17').getByText('Ask for quotes').waitFor({ state: 'detached' })
    assert.equal(await due(task), null)
    await cell(page, '2027-06-18').hover()
    await page.getByRole('button', { name: 'New task on Friday, June 18' }).click()
    const dialog = page.getByRole('dialog', { name: 'New task' })
    await dialog.getByLabel('Title').fill('Sign the lease')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await cell(page, '2027-06-18').getByText('Sign the lease').waitFor()
  })

  it('shows true counts of a full month, and the panel beside it on a phone', async () => {
    for (let made = 0; made < 450; made += 50) {
      const data = Array.from({ length: 50 }, (_, i) => ({ title: `Check ${made + i}`, due_at: at('2027-08-04') }))
      await stage.atrium.tasks.batch({ workspace, data })
    }
    const last = await create('Close the season', { due_at: at('2027-08-31') })
    const watched = await stage.visit('/work/calendar?at=2027-08-10')
    const { page } = watched
    await cell(page, '2027-08-31').getByText('Close the season').waitFor()
    await cell(page, '2027-08-04')
      .getByRole('button', { name: /^44\d more$/ })
      .click()
    await page.getByRole('link', { name: 'All 450 in the list' }).waitFor()
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 390, height: 844 })
    await cell(page, '2027-08-31').getByText('Close the season').click()
    await page
      .getByRole('dialog', { name: `${last.key} Close the season` })
      .getByLabel('Priority')
      .waitFor()
    await page.goBack()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await checkPage(watched, 'calendar-phone')
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  it('follows the first day of the week, the time zone and the language of the person, as the timesheet and date fields do', async () => {
    const task = await create('Night watch', { due_at: Date.parse('2027-09-01T23:30:00Z') / 1000 })
    const { page } = await stage.visit('/settings/dates')
    await page.getByLabel('First day of the week').selectOption('7')
    await page.getByLabel('Language').selectOption('fr')
    await page.getByLabel('Time zone').click()
    await page.getByRole('combobox', { name: 'Search time zone' }).fill('Auckland')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Dates saved').waitFor()
    await page.goto(`${stage.url}/work/calendar?at=2027-09-15`)
    await page.getByRole('heading', { name: 'septembre 2027' }).waitFor()
    await cell(page, '2027-09-02').getByText('Night watch').waitFor()
    assert.equal(await page.locator('li[data-day]').first().getAttribute('data-day'), '2027-08-29')
    await page.goto(`${stage.url}/work/tasks/${task.key}`)
    const field = page.locator('input[type=date]').and(page.getByLabel('Due'))
    assert.equal(await field.inputValue(), '2027-09-02')
    await page.goto(`${stage.url}/money/time?week=2027-09-01`)
    await page.getByText('29 août – 4 sept. 2027').waitFor()
  })
})

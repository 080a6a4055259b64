/** Invoices and time entries: opened, looked at, changed and brought on, with the keyboard where somebody would use it. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { checkPage, forgetShifts, withoutStatus } from './checks.ts'
import { openStage, type Stage } from './stage.ts'

const hour_s = 3600
const day_s = 24 * hour_s

describe('time and money', () => {
  let stage: Stage
  let workspace: string
  let project: string
  let task: string
  before(async () => {
    stage = await openStage()
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
    project = (await stage.atrium.projects.create({ workspace, name: 'Booking' })).id
    task = (await stage.atrium.tasks.create({ workspace, project, title: 'Draw the decks' })).id
  })
  after(() => stage.close())

  const open = async (path: string) => {
    const watched = await stage.signedIn()
    await watched.page.goto(`${stage.url}${path}`)
    await watched.page.locator('h1').first().waitFor({ state: 'attached' })
    return watched
  }
  /** Who the audit log and the event log say it was that did it last. */
  const told = async (action: string, type: string) => {
    const [entry] = (await stage.atrium.auditLogs.list({ action, limit: 1 })).data
    const { data } = await stage.atrium.events.list({ limit: 50 })
    return [entry?.actor, data.find((event) => event.type === type)?.actor]
  }
  const byMe = () => Array(2).fill({ type: 'user', id: stage.owner.user })
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.id ?? '')

  describe('an invoice', () => {
    const amounts = { currency: 'EUR', net_amount_minor: 10_000, tax_amount_minor: 1900, gross_amount_minor: 11_900 }
    const make = (status: 'draft' | 'ready' = 'draft') =>
      stage.atrium.invoiceDrafts.create({ workspace, project, ...amounts, status })

    it('opens from its row, says who made it, and gives the focus back', async () => {
      const watched = await open('/money/invoices')
      const { page } = watched
      await page.getByRole('button', { name: 'New draft' }).click()
      await page.getByRole('dialog').getByLabel('Project').click()
      await page.getByRole('option', { name: 'Booking' }).click()
      await page.getByLabel('Net').fill('100')
      await page.getByLabel('Tax').fill('19')
      await page.getByRole('button', { name: 'Make the draft' }).click()
      const row = page.getByRole('row').getByRole('link', { name: 'Booking' }).first()
      await row.focus()
      await page.keyboard.press('Enter')
      const sheet = page.getByRole('dialog', { name: 'Invoice over €119.00' })
      await sheet.getByText('owner', { exact: true }).waitFor()
      await forgetShifts(page)
      await checkPage(watched, 'money-invoice')
      await page.keyboard.press('Escape')
      await sheet.waitFor({ state: 'hidden' })
      assert.equal(new URL(page.url()).pathname, '/money/invoices')
      assert.ok(await row.evaluate((link) => link === document.activeElement))
    })

    it('takes other amounts while it is a draft, and says at once what is none', async () => {
      const { id } = await make()
      const { page } = await open(`/money/invoices/${id}`)
      await page.getByRole('button', { name: 'Change the amounts' }).click()
      const dialog = page.getByRole('dialog', { name: 'Change the amounts' })
      await dialog.getByLabel('Net').fill('a lot')
      await dialog.getByText('This is no amount.').waitFor()
      assert.ok(await dialog.getByRole('button', { name: 'Save the amounts' }).isDisabled())
      await dialog.getByLabel('Net').fill('200.50')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: 'Invoice over €219.50' }).waitFor()
      const now = await stage.atrium.invoiceDrafts.retrieve(id)
      assert.deepEqual([now.net_amount_minor, now.tax_amount_minor, now.gross_amount_minor], [20_050, 1900, 21_950])
      assert.deepEqual(await told('invoice_drafts.update', 'workflow.invoice_draft.updated'), byMe())
    })

    it('keeps what somebody else has changed meanwhile, and says so in the dialog', async () => {
      const { id } = await make()
      const watched = await open(`/money/invoices/${id}`)
      const { page } = watched
      await page.getByRole('button', { name: 'Change the amounts' }).click()
      const dialog = page.getByRole('dialog', { name: 'Change the amounts' })
      await dialog.getByLabel('Net').fill('1')
      await stage.atrium.invoiceDrafts.update(id, { tax_amount_minor: 0, gross_amount_minor: 10_000 })
      await dialog.getByRole('button', { name: 'Save the amounts' }).click()
      await dialog.getByText('Something is in the way').waitFor()
      assert.equal((await stage.atrium.invoiceDrafts.retrieve(id)).gross_amount_minor, 10_000)
      assert.deepEqual(withoutStatus(watched.errors, 409), [])
      watched.errors.length = 0
    })

    it('is made ready, taken back, and final only after a warning; then it can only be voided', async () => {
      const { id } = await make()
      const { page } = await open(`/money/invoices/${id}`)
      const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
      const is = async (status: string) => {
        await page.getByRole('dialog').getByText(status, { exact: true }).waitFor()
        assert.equal((await stage.atrium.invoiceDrafts.retrieve(id)).status, status)
      }
      await press('Mark as ready')
      await is('ready')
      await press('Back to draft')
      await is('draft')
      await press('Mark as ready')
      await is('ready')
      await press('Finalize')
      await page.getByText('It is frozen then').waitFor()
      assert.equal((await stage.atrium.invoiceDrafts.retrieve(id)).status, 'ready')
      await press('Finalize the invoice')
      await is('finalized')
      for (const name of ['Change the amounts', 'Delete'])
        assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0)
      await press('Void')
      await press('Void the invoice')
      await is('void')
      assert.deepEqual(await told('invoice_drafts.update', 'workflow.invoice_draft.updated'), byMe())
    })

    it('is deleted after a question, and is gone from the list', async () => {
      const { id } = await make('ready')
      const { page } = await open(`/money/invoices/${id}`)
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByRole('button', { name: 'Delete the invoice' }).click()
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
      await assert.rejects(stage.atrium.invoiceDrafts.retrieve(id), { status: 410 })
      assert.deepEqual(await told('invoice_drafts.delete', 'workflow.invoice_draft.deleted'), byMe())
    })
  })

  describe('a time entry', () => {
    /** So many days ago, at ten in the morning where the browser is. */
    const tenOn = (daysAgo: number) => Math.floor(new Date().setHours(10, 0, 0, 0) / 1000) - daysAgo * day_s
    const make = (daysAgo: number, note: string) =>
      stage.atrium.timeEntries.create({
        ...{ workspace, task, note, user: stage.owner.user },
        ...{ started_at: tenOn(daysAgo), duration_ms: 90 * 60_000 },
      })
    const cellOf = (started_at: number) => {
      const at = new Date(started_at * 1000)
      const two = (part: number) => String(part).padStart(2, '0')
      return `hours-${stage.owner.user}-${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
    }

    it('opens by its id in its own week, and closes onto its day', async () => {
      const entry = await make(16, 'Both heights of the car deck')
      const watched = await open(`/open/${entry.id}`)
      const { page } = watched
      const sheet = page.getByRole('dialog', { name: 'Both heights of the car deck' })
      await sheet.getByText('1:30', { exact: true }).waitFor()
      await sheet.getByRole('link', { name: /Draw the decks/ }).waitFor()
      assert.equal(new URL(page.url()).pathname, `/money/time/${entry.id}`)
      const cell = cellOf(entry.started_at)
      await page.locator(`#${cell}`).waitFor({ state: 'attached' })
      await forgetShifts(page)
      await checkPage(watched, 'money-time-entry')
      await page.keyboard.press('Escape')
      await sheet.waitFor({ state: 'hidden' })
      assert.equal(await focused(page), cell)
      assert.match(page.url(), /\/money\/time\?week=\d{4}-\d\d-\d\d$/)
    })

    it('is found from the cell of its day, is edited, and the focus comes back to the cell', async () => {
      const entry = await make(23, 'With the ticket office')
      await stage.atrium.timeEntries.create({
        ...{ workspace, task, user: stage.owner.user },
        ...{ started_at: entry.started_at + 3 * hour_s, duration_ms: 30 * 60_000 },
      })
      const cell = cellOf(entry.started_at)
      const watched = await open(`/money?week=${cell.slice(-10)}`)
      const { page } = watched
      await page.locator(`#${cell}`).focus()
      await page.keyboard.press('Enter')
      const day = page.getByRole('dialog', { name: 'owner' })
      await day.getByText(/: 2:00$/).waitFor()
      assert.equal(await day.getByRole('listitem').count(), 2)
      await forgetShifts(page)
      await checkPage(watched, 'money-day')
      await page.keyboard.press('Escape')
      await day.waitFor({ state: 'hidden' })
      assert.equal(await focused(page), cell)
      await page.keyboard.press('Enter')
      await day.getByRole('link', { name: /With the ticket office/ }).click()
      await page.getByRole('button', { name: 'Edit' }).click()
      const dialog = page.getByRole('dialog', { name: 'Edit the time entry' })
      await dialog.getByLabel('Note').fill('With the new ticket office')
      await dialog.getByLabel('Billable').check()
      await forgetShifts(page)
      await checkPage(watched, 'money-time-edit')
      await dialog.getByRole('button', { name: 'Save' }).click()
      const sheet = page.getByRole('dialog', { name: 'With the new ticket office' })
      await sheet.waitFor()
      const now = await stage.atrium.timeEntries.retrieve(entry.id)
      const { note, billable, started_at, duration_ms } = now
      assert.deepEqual(
        { note, billable, started_at, duration_ms },
        {
          ...{ note: 'With the new ticket office', billable: true },
          ...{ started_at: entry.started_at, duration_ms: entry.duration_ms },
        },
      )
      assert.deepEqual(await told('time_entries.update', 'workflow.time_entry.updated'), byMe())
      await page.keyboard.press('Escape')
      await sheet.waitFor({ state: 'hidden' })
      assert.equal(await focused(page), cell)
    })

    it('that ends before it begins is refused at its field, and nothing of it is lost', async () => {
      const entry = await make(30, 'Backwards')
      const watched = await open(`/money/time/${entry.id}`)
      const { page } = watched
      await page.getByRole('button', { name: 'Edit' }).click()
      const dialog = page.getByRole('dialog', { name: 'Edit the time entry' })
      const began = await dialog.getByLabel('Began').inputValue()
      await dialog.getByLabel('Ended').fill(began.replace('T10:', 'T09:'))
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByText('ended_at lies before started_at.').waitFor()
      assert.deepEqual(withoutStatus(watched.errors, 400), [])
      watched.errors.length = 0
      assert.equal((await stage.atrium.timeEntries.retrieve(entry.id)).duration_ms, entry.duration_ms)
    })

    it('that runs is stopped', async () => {
      const { id } = await stage.atrium.timeEntries.start({ workspace, task, user: stage.owner.user })
      const { page } = await open(`/money/time/${id}`)
      await page.getByRole('dialog').getByText('runs', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Stop the timer' }).click()
      await page.getByRole('button', { name: 'Stop the timer' }).waitFor({ state: 'hidden' })
      assert.equal((await stage.atrium.timeEntries.retrieve(id)).status, 'stopped')
      assert.deepEqual(await told('time_entries.stop', 'workflow.time_entry.stopped'), byMe())
    })

    it('is deleted after a question, and its week does not count it any more', async () => {
      const entry = await make(37, 'Written down twice')
      const { page } = await open(`/money/time/${entry.id}`)
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByRole('button', { name: 'Delete the entry' }).click()
      await page.getByText('Nobody wrote hours down in this week').waitFor()
      await assert.rejects(stage.atrium.timeEntries.retrieve(entry.id), { status: 410 })
      assert.deepEqual(await told('time_entries.delete', 'workflow.time_entry.deleted'), byMe())
    })
  })
})

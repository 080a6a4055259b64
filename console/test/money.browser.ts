/** Invoices and time entries: opened, edited and moved through their states, by mouse and keyboard. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { checkPage, forgetShifts, withoutStatus } from './checks.ts'
import { stageOf } from './stage.ts'

const hour_s = 3600
const day_s = 24 * hour_s

describe('time and money', () => {
  const stage = stageOf()
  let workspace: string
  let project: string
  let task: string
  before(async () => {
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
    project = (await stage.atrium.projects.create({ workspace, name: 'Booking' })).id
    task = (await stage.atrium.tasks.create({ workspace, project, title: 'Draw the decks' })).id
  })

  /** Asserts that the latest audit entry and the latest event of these kinds name the owner. */
  const assertDoneByOwner = async (action: string, type: string) => {
    const { data } = await stage.atrium.events.list({ limit: 50 })
    const event = data.find((each) => each.type === type)
    assert.deepEqual([await stage.lastActor(action), event?.actor], [stage.ownerActor, stage.ownerActor])
  }
  const waitForFocus = (page: Page, id: string) =>
    page.waitForFunction((wanted) => document.activeElement?.id === wanted, id)

  describe('an invoice', () => {
    const amounts = { currency: 'EUR', net_amount_minor: 10_000, tax_amount_minor: 1900, gross_amount_minor: 11_900 }
    const createInvoice = (status: 'draft' | 'ready' = 'draft') =>
      stage.atrium.invoiceDrafts.create({ workspace, project, ...amounts, status })

    it('opens from its row, shows who created it and returns the focus', async () => {
      const watched = await stage.visit('/money/invoices')
      const { page } = watched
      await page.getByRole('button', { name: 'New invoice' }).first().click()
      await page.getByRole('dialog').getByLabel('Project').click()
      await page.getByRole('option', { name: 'Booking' }).click()
      await page.getByLabel('Net').fill('100')
      await page.getByLabel('Tax').fill('19')
      await page.getByRole('button', { name: 'Create' }).click()
      const row = page.getByRole('row').getByRole('link', { name: 'Booking' }).first()
      await row.focus()
      await page.keyboard.press('Enter')
      const sheet = page.getByRole('dialog', { name: 'Invoice for €119.00' })
      await sheet.getByText('owner', { exact: true }).waitFor()
      await forgetShifts(page)
      await checkPage(watched, 'money-invoice')
      await page.keyboard.press('Escape')
      await sheet.waitFor({ state: 'hidden' })
      assert.equal(new URL(page.url()).pathname, '/money/invoices')
      assert.ok(await row.evaluate((link) => link === document.activeElement))
    })

    it('accepts new amounts while it is a draft, and marks an invalid one at once', async () => {
      const { id } = await createInvoice()
      const { page } = await stage.visit(`/money/invoices/${id}`)
      await page.getByRole('button', { name: 'Edit amounts' }).click()
      const dialog = page.getByRole('dialog', { name: 'Edit amounts' })
      await dialog.getByLabel('Net').fill('a lot')
      await dialog.getByText('Enter an amount such as 12.40.').waitFor()
      assert.ok(await dialog.getByRole('button', { name: 'Save' }).isDisabled())
      await dialog.getByLabel('Net').fill('200.50')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: 'Invoice for €219.50' }).waitFor()
      const now = await stage.atrium.invoiceDrafts.retrieve(id)
      assert.deepEqual([now.net_amount_minor, now.tax_amount_minor, now.gross_amount_minor], [20_050, 1900, 21_950])
      await assertDoneByOwner('invoice_drafts.update', 'workflow.invoice_draft.updated')
    })

    it('keeps a concurrent change, and reports the conflict in the dialog', async () => {
      const { id } = await createInvoice()
      const watched = await stage.visit(`/money/invoices/${id}`)
      const { page } = watched
      await page.getByRole('button', { name: 'Edit amounts' }).click()
      const dialog = page.getByRole('dialog', { name: 'Edit amounts' })
      await dialog.getByLabel('Net').fill('1')
      await stage.atrium.invoiceDrafts.update(id, { tax_amount_minor: 0, gross_amount_minor: 10_000 })
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByText('This change is not possible').waitFor()
      assert.equal((await stage.atrium.invoiceDrafts.retrieve(id)).gross_amount_minor, 10_000)
      assert.deepEqual(withoutStatus(watched.errors, 409), [])
    })

    it('becomes ready, returns to draft, and is finalized only after a warning; then it can only be voided', async () => {
      const { id } = await createInvoice()
      const { page } = await stage.visit(`/money/invoices/${id}`)
      const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
      const assertStatus = async (words: string) => {
        await page.getByRole('dialog').getByText(words, { exact: true }).first().waitFor()
        assert.equal((await stage.atrium.invoiceDrafts.retrieve(id)).status, words.toLowerCase())
      }
      await press('Mark as ready')
      await assertStatus('Ready')
      await press('Back to draft')
      await assertStatus('Draft')
      await press('Mark as ready')
      await assertStatus('Ready')
      await press('Finalize')
      const finalize = page.getByRole('dialog', { name: 'Finalize this invoice?' })
      await finalize.waitFor()
      assert.equal((await stage.atrium.invoiceDrafts.retrieve(id)).status, 'ready')
      await finalize.getByRole('button', { name: 'Finalize' }).click()
      await assertStatus('Finalized')
      for (const name of ['Edit amounts', 'Delete'])
        assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0)
      await press('Void')
      const toVoid = page.getByRole('dialog', { name: 'Void this invoice?' })
      await toVoid.getByRole('button', { name: 'Void' }).click()
      await toVoid.waitFor({ state: 'hidden' })
      await assertStatus('Void')
      await assertDoneByOwner('invoice_drafts.update', 'workflow.invoice_draft.updated')
    })

    it('is deleted after a confirmation', async () => {
      const { id } = await createInvoice('ready')
      const { page } = await stage.visit(`/money/invoices/${id}`)
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByRole('dialog', { name: 'Delete this invoice?' }).getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
      await assert.rejects(stage.atrium.invoiceDrafts.retrieve(id), { status: 410 })
      await assertDoneByOwner('invoice_drafts.delete', 'workflow.invoice_draft.deleted')
    })
  })

  describe('an expense', () => {
    it('is not created while its tax is not an amount, or is more than the gross amount', async () => {
      const { page } = await stage.visit('/money/expenses')
      await page.getByRole('button', { name: 'New expense' }).first().click()
      const dialog = page.getByRole('dialog', { name: 'New expense' })
      const create = dialog.getByRole('button', { name: 'Create' })
      await dialog.getByLabel('Category').fill('Travel')
      await dialog.getByLabel('Gross').fill('119')
      await dialog.getByLabel('Tax included').fill('19 EUR')
      await dialog.getByText('Enter an amount such as 12.40.').waitFor()
      assert.ok(await create.isDisabled())
      await dialog.getByLabel('Tax included').fill('190')
      await dialog.getByText('The tax is more than the gross amount.').waitFor()
      assert.ok(await create.isDisabled())
      await dialog.getByLabel('Tax included').fill('19,00')
      await create.click()
      await dialog.waitFor({ state: 'hidden' })
      const [expense] = (await stage.atrium.expenses.list({ workspace })).data
      assert.deepEqual(
        [expense?.gross_amount_minor, expense?.tax_amount_minor, expense?.net_amount_minor],
        [11_900, 1900, 10_000],
      )
    })

    it('that is a draft can be corrected, field by field', async () => {
      const { id } = await stage.atrium.expenses.create({
        ...{ workspace, category: 'Meals', expense_date: '2026-11-02', currency: 'EUR', vendor: 'Quay Kitchen' },
        ...{ gross_amount_minor: 10_700, tax_amount_minor: 700, net_amount_minor: 10_000, tax_rate_bp: 700 },
        ...{ invoice_number: '2026-17' },
      })
      const watched = await stage.visit(`/money/expenses/${id}`)
      const { page } = watched
      await page.getByRole('button', { name: 'Edit', exact: true }).click()
      const dialog = page.getByRole('dialog', { name: 'Edit expense' })
      const save = dialog.getByRole('button', { name: 'Save' })
      assert.ok(await save.isDisabled())
      await forgetShifts(page)
      await checkPage(watched, 'money-expense-edit')
      await dialog.getByLabel('Vendor').fill('Quay Kitchen and Bar')
      await save.click()
      await dialog.waitFor({ state: 'hidden' })
      const renamed = await stage.atrium.expenses.retrieve(id)
      assert.deepEqual(
        [renamed.vendor, renamed.tax_rate_bp, renamed.gross_amount_minor],
        ['Quay Kitchen and Bar', 700, 10_700],
      )
      await page.getByRole('button', { name: 'Edit', exact: true }).click()
      await dialog.getByLabel('Tax included').fill('')
      await save.click()
      await dialog.waitFor({ state: 'hidden' })
      const untaxed = await stage.atrium.expenses.retrieve(id)
      assert.deepEqual(
        [untaxed.tax_amount_minor, untaxed.net_amount_minor, untaxed.tax_rate_bp, untaxed.invoice_number],
        [null, null, null, '2026-17'],
      )
      await assertDoneByOwner('expenses.update', 'workflow.expense.updated')
    })
  })

  describe('a time entry', () => {
    /** Ten in the morning, in the browser's time zone. */
    const tenOn = (daysAgo: number) => Math.floor(new Date().setHours(10, 0, 0, 0) / 1000) - daysAgo * day_s
    const record = (daysAgo: number, note: string) =>
      stage.atrium.timeEntries.create({
        ...{ workspace, task, note, user: stage.owner.user },
        ...{ started_at: tenOn(daysAgo), duration_ms: 90 * 60_000 },
      })
    const cellOf = (started_at: number) => {
      const at = new Date(started_at * 1000)
      const two = (part: number) => String(part).padStart(2, '0')
      return `hours-${stage.owner.user}-${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
    }

    it('opens by its id in its week, and returns the focus to its day', async () => {
      const entry = await record(16, 'Both heights of the car deck')
      const watched = await stage.visit(`/open/${entry.id}`)
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
      await waitForFocus(page, cell)
      assert.match(page.url(), /\/money\/time\?week=\d{4}-\d\d-\d\d$/)
    })

    it('opens from the cell of its day, is edited, and returns the focus to the cell', async () => {
      const entry = await record(23, 'With the ticket office')
      await stage.atrium.timeEntries.create({
        ...{ workspace, task, user: stage.owner.user },
        ...{ started_at: entry.started_at + 3 * hour_s, duration_ms: 30 * 60_000 },
      })
      const cell = cellOf(entry.started_at)
      const watched = await stage.visit(`/money?week=${cell.slice(-10)}`)
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
      await waitForFocus(page, cell)
      await page.keyboard.press('Enter')
      await day.getByRole('link', { name: /With the ticket office/ }).click()
      await page.getByRole('button', { name: 'Edit' }).click()
      const dialog = page.getByRole('dialog', { name: 'Edit time entry' })
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
      await assertDoneByOwner('time_entries.update', 'workflow.time_entry.updated')
      await page.keyboard.press('Escape')
      await sheet.waitFor({ state: 'hidden' })
      await waitForFocus(page, cell)
    })

    it('that ends before it begins is refused at its field and does not change', async () => {
      const entry = await record(30, 'Backwards')
      const watched = await stage.visit(`/money/time/${entry.id}`)
      const { page } = watched
      await page.getByRole('button', { name: 'Edit' }).click()
      const dialog = page.getByRole('dialog', { name: 'Edit time entry' })
      const start = await dialog.getByLabel('Start').inputValue()
      await dialog.getByLabel('End').fill(start.replace('T10:', 'T09:'))
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByText('The entry ends before it starts.').waitFor()
      assert.deepEqual(withoutStatus(watched.errors, 400), [])
      assert.equal((await stage.atrium.timeEntries.retrieve(entry.id)).duration_ms, entry.duration_ms)
    })

    it('that is running can be stopped', async () => {
      const { id } = await stage.atrium.timeEntries.start({ workspace, task, user: stage.owner.user })
      const { page } = await stage.visit(`/money/time/${id}`)
      const sheet = page.getByRole('dialog')
      await sheet.getByText('Running', { exact: true }).waitFor()
      await sheet.getByRole('button', { name: 'Stop timer' }).click()
      await sheet.getByRole('button', { name: 'Stop timer' }).waitFor({ state: 'hidden' })
      assert.equal((await stage.atrium.timeEntries.retrieve(id)).status, 'stopped')
      await assertDoneByOwner('time_entries.stop', 'workflow.time_entry.stopped')
    })

    it('is deleted after a confirmation and disappears from its week', async () => {
      const entry = await record(37, 'Written down twice')
      const { page } = await stage.visit(`/money/time/${entry.id}`)
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      await page
        .getByRole('dialog', { name: 'Delete this time entry?' })
        .getByRole('button', { name: 'Delete' })
        .click()
      await page.getByText('No time logged this week').waitFor()
      await assert.rejects(stage.atrium.timeEntries.retrieve(entry.id), { status: 410 })
      await assertDoneByOwner('time_entries.delete', 'workflow.time_entry.deleted')
    })

    it('is logged for an earlier day from its task, and opens from there', async () => {
      const { page } = await stage.visit(`/work/tasks/${task}?part=time`)
      await page.getByRole('button', { name: 'Log time' }).click()
      const dialog = page.getByRole('dialog', { name: /Log time on/ })
      const log = dialog.getByRole('button', { name: 'Log time' })
      await dialog.getByLabel('Time spent').fill('1.5 hours')
      await dialog.getByText('Enter a time such as 45 (minutes), 1:30 or 1.5 h.').waitFor()
      assert.ok(await log.isDisabled())
      await dialog.getByLabel('Time spent').fill('1,5')
      await dialog.getByLabel('End').fill('2026-11-03T18:00')
      await dialog.getByLabel('Note').fill('Three days before')
      await log.click()
      await dialog.waitFor({ state: 'hidden' })
      await page.getByRole('link', { name: /Three days before/ }).click()
      const sheet = page.getByRole('dialog', { name: 'Three days before' })
      await sheet.getByText('Nov 3, 2026, 16:30').waitFor()
      await sheet.getByText('Nov 3, 2026, 18:00').waitFor()
      await sheet.getByText('1:30', { exact: true }).waitFor()
    })

    it('counts in its week, also if a thousand entries were logged after it', async () => {
      const early = await record(45, 'Before a thousand others')
      const workspaceOfMany = { workspace, task, user: stage.owner.user, duration_ms: 60_000 }
      const now = Math.floor(Date.now() / 1000)
      for (let left = 1000; left > 0; left -= 50) {
        await Promise.all(
          Array.from({ length: 50 }, () => stage.atrium.timeEntries.create({ ...workspaceOfMany, ended_at: now })),
        )
      }
      const { page } = await stage.visit(`/money?week=${cellOf(early.started_at).slice(-10)}`)
      await page
        .locator(`#${cellOf(early.started_at)}`)
        .getByText('1:30')
        .waitFor()
    })
  })
})

/** Invoices: opened, looked at, changed and brought on, with the keyboard where somebody would use it. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { checkPage, forgetShifts, withoutStatus } from './checks.ts'
import { openStage, type Stage } from './stage.ts'

describe('time and money', () => {
  let stage: Stage
  let workspace: string
  let project: string
  before(async () => {
    stage = await openStage()
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
    project = (await stage.atrium.projects.create({ workspace, name: 'Booking' })).id
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
})

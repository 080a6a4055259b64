/** Automations, expenses and exports: their main tasks, step by step. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { checkPage } from './checks.ts'
import { stageOf } from './stage.ts'

const graph = JSON.parse(readFileSync(join(import.meta.dirname, '../../examples/flows/tell-unblocked.json'), 'utf8'))

describe('areas', () => {
  const stage = stageOf()
  let workspace: string
  let flow: string
  let key: string
  before(async () => {
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
    const project = (await stage.atrium.projects.create({ workspace, name: 'Booking' })).id
    const first = await stage.atrium.tasks.create({ workspace, project, title: 'Draw the decks' })
    key = first.key
    const second = await stage.atrium.tasks.create({ workspace, project, title: 'Hold a seat' })
    await stage.atrium.tasks.dependencies.create(first.id, { workspace, to: second.id })
    flow = (await stage.atrium.automationFlows.create({ workspace, name: 'Tell people they can go on', graph })).id
  })

  for (const name of ['rates', 'invoices']) {
    it(`shows that there are no ${name} yet`, async () =>
      checkPage(await stage.visit(`/money/${name}`), `areas-${name}`))
  }

  it('previews a flow as a diff, activates it and pauses it with a reason', async () => {
    const watched = await stage.visit(`/automations/${flow}`)
    const { page } = watched
    await page.getByRole('button', { name: 'Preview and activate' }).click()
    const preview = page.getByRole('dialog', { name: /^Preview/ })
    await preview.getByRole('button', { name: /Select a task|Task/ }).click()
    // Its key finds it, as the lists show it.
    await page.getByRole('combobox', { name: 'Search task' }).fill(key)
    await page.getByRole('option', { name: /Hold a seat/ }).waitFor({ state: 'detached' })
    await page.getByRole('option', { name: /Draw the decks/ }).click()
    await preview.getByRole('button', { name: 'Preview', exact: true }).click()
    const result = page.getByRole('dialog', { name: /^What Tell people they can go on would do/ })
    await result
      .getByText(/^Would (run|skip|wait)$/)
      .first()
      .waitFor()
    await checkPage(watched, 'areas-preview')
    await result.getByLabel(/^Allow it to/).check()
    await result.getByRole('button', { name: 'Activate' }).click()
    await page.getByText('Active', { exact: true }).first().waitFor()
    assert.equal((await stage.atrium.automationFlows.retrieve(flow)).status, 'active')
    assert.deepEqual(await stage.lastActor('automation_flows.activate'), stage.ownerActor)
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByLabel('Reason').fill('Holidays')
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click()
    await page.locator('#main').getByText('Holidays').waitFor()
    assert.deepEqual(await stage.lastActor('automation_flows.pause'), stage.ownerActor)
  })

  it('creates an expense, submits it and approves it', async () => {
    const watched = await stage.visit('/money/expenses')
    const { page } = watched
    await page.getByRole('button', { name: 'New expense' }).first().click()
    await page.getByLabel('Category').fill('Travel')
    await page.getByLabel('Gross').fill('12.40')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('row', { name: /Travel/ }).click()
    await page.getByRole('button', { name: 'Submit' }).click()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('button', { name: 'Mark as reimbursed' }).waitFor()
    const { data } = await stage.atrium.expenses.list({ workspace })
    assert.deepEqual([data[0]?.gross_amount_minor, data[0]?.status], [1240, 'approved'])
    assert.deepEqual(await stage.lastActor('expenses.update'), stage.ownerActor)
    await checkPage(watched, 'areas-expense')
  })

  it('exports tasks and offers the file', async () => {
    const { page } = await stage.visit('/money/exports')
    await page.getByRole('button', { name: 'Export tasks' }).click()
    const link = page.getByRole('link', { name: 'Download' })
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
    const text = readFileSync(await download.path(), 'utf8')
    assert.equal(text.trim().split('\n').length, 2)
  })
})

/** Automations, time and money, and the operator's page: looked at, and used for what they are there for. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { checkPage } from './checks.ts'
import { openStage, type Stage } from './stage.ts'

const graph = JSON.parse(readFileSync(join(import.meta.dirname, '../../examples/flows/tell-unblocked.json'), 'utf8'))

describe('the areas', () => {
  let stage: Stage
  let workspace: string
  let flow: string
  before(async () => {
    stage = await openStage()
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
    const project = (await stage.atrium.projects.create({ workspace, name: 'Booking' })).id
    const first = await stage.atrium.tasks.create({ workspace, project, title: 'Draw the decks' })
    const then = await stage.atrium.tasks.create({ workspace, project, title: 'Hold a seat' })
    await stage.atrium.tasks.dependencies.create(first.id, { workspace, to: then.id })
    await stage.atrium.timeEntries.create({
      workspace,
      task: first.id,
      started_at: Math.floor(Date.now() / 1000) - 7200,
      duration_ms: 5_400_000,
    })
    flow = (await stage.atrium.automationFlows.create({ workspace, name: 'Tell who can go on', graph })).id
  })
  after(() => stage.close())

  const open = async (path: string) => {
    const watched = await stage.signedIn()
    await watched.page.goto(`${stage.url}${path}`)
    await watched.page.getByRole('heading', { level: 1 }).waitFor()
    return watched
  }
  const audited = async (action: string) => {
    const { data } = await stage.atrium.auditLogs.list({ action, limit: 1 })
    return data[0]?.actor
  }
  const me = () => ({ type: 'user', id: stage.owner.user })

  for (const [path, name] of [
    ['/automations', 'automations'],
    ['/money', 'timesheet'],
    ['/money/rates', 'rates'],
    ['/money/invoices', 'invoices'],
    ['/operator', 'operator'],
  ] as const) {
    it(`shows ${name}`, async () => checkPage(await open(path), `areas-${name}`))
  }

  it('previews a flow as a diff, activates it, and pauses it with a reason', async () => {
    const watched = await open(`/automations/${flow}`)
    const { page } = watched
    await page.getByRole('button', { name: 'Preview and activate' }).click()
    const asking = page.getByRole('dialog', { name: /^Preview/ })
    await asking.getByRole('button', { name: /Choose a task|Task/ }).click()
    await page.getByRole('option', { name: /Draw the decks/ }).click()
    await asking.getByRole('button', { name: 'Preview', exact: true }).click()
    const result = page.getByRole('dialog', { name: /^What Tell who can go on would do/ })
    await result
      .getByText(/^would (run|skip|wait)$/)
      .first()
      .waitFor()
    await checkPage(watched, 'areas-preview')
    await result.getByLabel(/It may act with/).check()
    await result.getByRole('button', { name: 'Activate' }).click()
    await page.getByText('active', { exact: true }).first().waitFor()
    assert.equal((await stage.atrium.automationFlows.retrieve(flow)).status, 'active')
    assert.deepEqual(await audited('automation_flows.activate'), me())
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByLabel('Reason').fill('Holidays')
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click()
    await page.locator('#main').getByText('Holidays').waitFor()
    assert.deepEqual(await audited('automation_flows.pause'), me())
  })

  it('writes an expense down, hands it in and approves it', async () => {
    const watched = await open('/money/expenses')
    const { page } = watched
    await page.getByRole('button', { name: 'New expense' }).click()
    await page.getByLabel('Category').fill('Travel')
    await page.getByLabel('Gross').fill('12.40')
    await page.getByRole('button', { name: 'Write it down' }).click()
    await page.getByRole('row', { name: /Travel/ }).click()
    await page.getByRole('button', { name: 'Hand in' }).click()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('button', { name: 'Mark as paid back' }).waitFor()
    const { data } = await stage.atrium.expenses.list({ workspace })
    assert.deepEqual([data[0]?.gross_amount_minor, data[0]?.status], [1240, 'approved'])
    assert.deepEqual(await audited('expenses.update'), me())
    await checkPage(watched, 'areas-expense')
  })

  it('exports the tasks and offers the file', async () => {
    const { page } = await open('/money/exports')
    await page.getByRole('button', { name: 'Export the tasks' }).click()
    const link = page.getByRole('link', { name: 'Download' })
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
    const text = readFileSync(await download.path(), 'utf8')
    assert.equal(text.trim().split('\n').length, 2)
  })
})

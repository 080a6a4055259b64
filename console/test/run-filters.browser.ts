/** Lists of runs in a real browser: filtered by mouse, by keyboard and on a phone, with the filters in the address. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { updateQuery } from '../../server/src/db/query.ts'
import { startByHand } from '../../server/src/resources/automation_runs/start-by-hand.ts'
import { drainRuns } from '../../server/src/workers/automations/runs.ts'
import { checkPage, settled } from './checks.ts'
import { activateFlow, makeFlow } from './flows.ts'
import { stageOf } from './stage.ts'

const day_ms = 86_400_000

const graphOf = (last: object) => ({
  schema_version: 1,
  nodes: [
    { id: 'by_hand', type: 'trigger.manual', config: {} },
    { id: 'last', ...last },
  ],
  edges: [{ source: 'by_hand', target: 'last' }],
})
const finish = graphOf({ type: 'task.complete', config: {} })
const stop = graphOf({ type: 'stop', config: { outcome: 'failed', message: 'No room in the harbour.' } })

describe('filters of runs', () => {
  const stage = stageOf()
  let workspace: string
  let flows: { readonly finish: string; readonly stop: string }
  let tasks: readonly { readonly id: string; readonly key: string }[]
  before(async () => {
    const { atrium } = stage
    workspace = (await atrium.workspaces.create({ title: 'Harbour' })).id
    tasks = [
      await atrium.tasks.create({ workspace, title: 'Paint the hull' }),
      await atrium.tasks.create({ workspace, title: 'Check the sails' }),
    ]
    flows = { finish: await activate('Finish', finish), stop: await activate('Refuse', stop) }
    await run(flows.finish, 0)
    await run(flows.stop, 1)
    const old = await run(flows.stop, 0)
    const realm = await realmOf(old)
    await stage.server.services.store.write('system', async (tx) => {
      const created = Date.now() - 10 * day_ms
      tx.write(updateQuery('automation_runs', ['created']), { created, realm, id: old })
    })
  })

  async function activate(name: string, graph: object): Promise<string> {
    const flow = await makeFlow(stage.atrium, { workspace }, name, graph)
    await activateFlow(stage.atrium, { workspace, task: tasks[0]?.id ?? '' }, flow)
    return flow
  }

  async function run(flow: string, task: number): Promise<string> {
    const { services } = stage.server
    const { id } = await startByHand(services, flow, tasks[task]?.id ?? '')
    await drainRuns(services)
    return id
  }

  async function realmOf(id: string): Promise<number> {
    const { store } = stage.server.services
    const { findRun } = await import('../../server/src/resources/automation_runs/queries.ts')
    for (let realm = 1; realm < 10; realm++) {
      if ((await findRun(store.reader('system'), { realm, id })) !== undefined) return realm
    }
    return assert.fail(`no realm has ${id}`)
  }

  const chip = (page: Page, title: string) => page.getByRole('button', { name: new RegExp(`^${title}`) })
  const rows = (page: Page) => page.getByRole('table', { name: 'Runs' }).locator('tbody tr')

  async function shows(page: Page, count: number): Promise<void> {
    const hasRows = (wanted: number) => document.querySelectorAll('table tbody tr').length === wanted
    const shown = await page.waitForFunction(hasRows, count).catch(() => null)
    assert.ok(shown !== null, `not ${count} runs: ${page.url()} ${await page.locator('body').innerText()}`)
    assert.equal(await rows(page).count(), count)
  }

  it('choose outcome, task, flow and time by clicking; Back takes the last one away, a link has them all', async () => {
    const own = await stage.visit('/automations')
    const { page } = own
    await page.getByRole('link', { name: 'All runs' }).click()
    await shows(page, 3)
    await chip(page, 'Outcome').click()
    await page.getByRole('option', { name: 'Failed' }).click()
    await shows(page, 2)
    await page.keyboard.press('Escape')
    await chip(page, 'Task').click()
    await page.getByRole('combobox', { name: 'Search task' }).fill('Check')
    await page.getByRole('option', { name: /Check the sails/ }).click()
    await shows(page, 1)
    assert.equal(new URL(page.url()).search, `?outcome=failed&task=${tasks[1]?.id}`)
    await page.getByRole('group', { name: `Task: ${tasks[1]?.key}` }).waitFor()
    await settled(page)
    await checkPage(own, 'run-filters')
    await page.goBack()
    await shows(page, 2)
    await chip(page, 'Time').click()
    await page.getByRole('option', { name: 'Last 7 days' }).click()
    await shows(page, 1)
    const shared = await stage.visit(`/automations/runs${new URL(page.url()).search}`)
    await shows(shared.page, 1)
    await shared.page.getByRole('group', { name: 'Time: Last 7 days' }).waitFor()
    await shared.page.getByRole('button', { name: 'Remove filter: Time' }).click()
    await shows(shared.page, 2)
    await shared.page.getByRole('button', { name: 'Clear' }).click()
    await shows(shared.page, 3)
    await chip(shared.page, 'Flow').click()
    await shared.page.getByRole('option', { name: 'Finish' }).click()
    await shows(shared.page, 1)
  })

  it('choose the time of the end by clicking, in place of that of the creation; the list shows the ends', async () => {
    const own = await stage.visit('/automations/runs?time=7d')
    const { page } = own
    await shows(page, 2)
    await chip(page, 'Ended').click()
    await page.getByRole('option', { name: 'Today' }).click()
    await page.getByRole('group', { name: 'Ended: Today' }).waitFor()
    // The run that was created ten days ago has ended today.
    await shows(page, 3)
    assert.equal(new URL(page.url()).search, '?time=today&of=ended')
    assert.equal(await page.getByRole('group', { name: /^Time:/ }).count(), 0)
    assert.equal(await page.getByRole('columnheader', { name: 'Ended' }).count(), 1)
    await settled(page)
    await checkPage(own, 'run-filters-ended')
    await chip(page, 'Time').click()
    await page.getByRole('option', { name: 'Last 7 days' }).click()
    await shows(page, 2)
    assert.equal(new URL(page.url()).search, '?time=7d')
    await chip(page, 'Ended').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('combobox', { name: 'Search ended' }).waitFor()
    await page.keyboard.type('30')
    await page.keyboard.press('Enter')
    await shows(page, 3)
    await page.getByRole('button', { name: 'Remove filter: Ended' }).press('Enter')
    await shows(page, 3)
    assert.equal(new URL(page.url()).search, '')
  })

  it('are chosen by keyboard on the page of a flow; what nothing matches says so and offers the way back', async () => {
    const own = await stage.visit(`/automations/${flows.stop}`)
    const { page } = own
    await shows(page, 2)
    await chip(page, 'Time').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('combobox', { name: 'Search time' }).waitFor()
    await page.keyboard.type('30')
    await page.keyboard.press('Enter')
    await page.getByRole('group', { name: 'Time: Last 30 days' }).waitFor()
    await shows(page, 2)
    await chip(page, 'Outcome').focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('succ')
    await page.keyboard.press('Enter')
    await page.getByText('No runs match').waitFor()
    await page.keyboard.press('Escape')
    await settled(page)
    await checkPage(own, 'run-filters-none')
    await page.getByRole('button', { name: 'Clear filter' }).focus()
    await page.keyboard.press('Enter')
    await shows(page, 2)
    assert.equal(new URL(page.url()).search, '')
  })

  it('take days on a phone without scrolling sideways', async () => {
    const own = await stage.visit('/automations/runs?time=x&outcome=nonsense')
    const { page } = own
    await page.setViewportSize({ width: 390, height: 844 })
    await shows(page, 3)
    await chip(page, 'Time').click()
    const today = new Date()
    const two = (part: number) => String(part).padStart(2, '0')
    const day = `${today.getFullYear()}-${two(today.getMonth() + 1)}-${two(today.getDate())}`
    await page.getByLabel('From', { exact: true }).fill(day)
    await page.getByLabel('Until', { exact: true }).fill(day)
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
    await page.getByRole('button', { name: 'Apply' }).click()
    await shows(page, 2)
    assert.equal(new URL(page.url()).searchParams.get('time'), `${day}..${day}`)
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
  })
})

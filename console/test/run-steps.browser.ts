/** What each node of a run did, opened on the picture of its path in a real browser, by mouse, by keyboard and on a phone. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { startByHand } from '../../server/src/resources/automation_runs/start-by-hand.ts'
import { drainRuns } from '../../server/src/workers/automations/runs.ts'
import { checkPage, forgetShifts, settled } from './checks.ts'
import { stageOf } from './stage.ts'

const graph = {
  schema_version: 1,
  nodes: [
    { id: 'by_hand', type: 'trigger.manual', config: {} },
    { id: 'is_urgent', type: 'condition', config: { expr: 'task.priority == "urgent"' } },
    { id: 'shout', type: 'task.comment', config: { body: 'Now!' } },
    { id: 'say', type: 'task.comment', config: { body: { $template: 'Look at {{ task.title }}' } } },
    { id: 'room', type: 'stop', config: { outcome: 'failed', message: 'No room in the harbour.' } },
  ],
  edges: [
    { source: 'by_hand', target: 'is_urgent' },
    { source: 'is_urgent', port: 'true', target: 'shout' },
    { source: 'is_urgent', port: 'false', target: 'say' },
    { source: 'say', target: 'room' },
  ],
}

describe('the nodes of a run', () => {
  const stage = stageOf({ environment: { ATRIUM_EGRESS_ALLOWED_HOSTS: '127.0.0.1' } })
  let path: string
  before(async () => {
    path = await run(graph)
  })

  /** The page of a run of the graph that has ended. */
  async function run(graph: object): Promise<string> {
    const { atrium } = stage
    const workspace = (await atrium.workspaces.create({ title: 'Harbour' })).id
    const task = (await atrium.tasks.create({ workspace, title: 'Check the sails' })).id
    const flow = (await atrium.automationFlows.create({ workspace, name: 'Look', graph: graph as never })).id
    const { preview_token } = await atrium.automationFlows.preview(flow, { workspace, task })
    await atrium.automationFlows.activate(flow, { workspace, preview_token, scope_acknowledged: true })
    const { services } = stage.server
    const { id } = await startByHand(services, flow, task)
    await drainRuns(services)
    return `/automations/runs/${id}?workspace=${workspace}`
  }

  const card = (page: Page, id: string) => page.locator(`.react-flow__node[data-id="${id}"]`)
  const journal = (page: Page) => page.locator('.node-journal')

  it('show by mouse what a step received and returned, how long it took, and why another was skipped', async () => {
    const own = await stage.visit(path)
    const { page } = own
    await card(page, 'say').click()
    const region = journal(page)
    await region.getByText('"body": "Look at Check the sails"').first().waitFor()
    assert.equal(await region.locator('code').first().textContent(), '{\n  "body": "Look at Check the sails"\n}')
    for (const name of ['Started', 'Duration']) await region.getByText(name, { exact: true }).waitFor()
    await forgetShifts(page)
    await settled(page)
    await checkPage(own, 'run-steps')
    await card(page, 'shout').click()
    await region.getByText('went on by “false”, not by “true”').waitFor()
    await card(page, 'by_hand').click()
    await region.getByText('This trigger started the run.').waitFor()
    assert.equal(new URL(page.url()).searchParams.get('node'), 'by_hand')
    await page.goBack()
    await region.getByText('went on by “false”, not by “true”').waitFor()
  })

  it('are opened by keyboard: the condition says what it decided', async () => {
    const own = await stage.visit(path)
    const { page } = own
    await card(page, 'is_urgent').focus()
    await page.keyboard.press('Enter')
    await journal(page).getByText('task.priority == "urgent" is false.').waitFor()
    await journal(page).getByText('"result": false').waitFor()
  })

  it('say how to keep what an answer said that refused a call, and show it once it is kept', async () => {
    const shop = createServer((_request, answer) => answer.writeHead(422).end('{"error":"A title is missing"}'))
    shop.listen(0, '127.0.0.1')
    await once(shop, 'listening')
    const { port } = shop.address() as AddressInfo
    const calling = (output: object) => ({
      schema_version: 1,
      nodes: [
        { id: 'by_hand', type: 'trigger.manual', config: {} },
        { id: 'call', type: 'http.request', config: { method: 'POST', url: `http://127.0.0.1:${port}/`, ...output } },
      ],
      edges: [{ source: 'by_hand', target: 'call' }],
    })
    const hint = 'let the step keep it as text'
    const { page } = await stage.visit(`${await run(calling({}))}&node=call`)
    await journal(page).getByText(hint).waitFor()
    await stage.visit(`${await run(calling({ output: 'text' }))}&node=call`)
    await journal(page).getByText('A title is missing').waitFor()
    assert.equal(await journal(page).getByText(hint).count(), 0)
    shop.close()
  })

  it('are read from a link on a phone without scrolling sideways', async () => {
    const own = await stage.visit(`${path}&node=room`)
    const { page } = own
    await page.setViewportSize({ width: 390, height: 844 })
    await journal(page).getByText('No room in the harbour.').waitFor()
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
  })
})

/**
 * An open page of a run follows it: it waits for an approval, goes on by the decision, and ends, without being loaded again. Approved by
 * mouse, by keyboard, and on a phone.
 */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { drainRuns } from '../../server/src/workers/automations/runs.ts'
import { checkPage, forgetShifts, settled } from './checks.ts'
import { activateFlow, makeFlow } from './flows.ts'
import { stageOf } from './stage.ts'

describe('live runs', () => {
  const stage = stageOf()
  let workspace: string
  let flow: string
  before(async () => {
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
    flow = await activate()
  })

  /** Asks twice, and comments after each approval. */
  async function activate(): Promise<string> {
    const { atrium } = stage
    const ask = (id: string, text: string) => ({
      ...{ id, type: 'approval.wait' },
      config: { people: [stage.owner.user], text: { $template: `${text} {{ task.title }}?` } },
    })
    const graph = {
      schema_version: 4,
      nodes: [
        { id: 'by_hand', type: 'trigger.manual', config: {} },
        ask('buy', 'May we buy'),
        { id: 'bought', type: 'task.comment', config: { body: 'Bought' } },
        ask('use', 'May we use'),
        { id: 'used', type: 'task.complete', config: {} },
        { id: 'refused', type: 'task.comment', config: { body: 'Not used' } },
      ],
      edges: [
        { source: 'by_hand', target: 'buy' },
        { source: 'buy', port: 'approved', target: 'bought' },
        { source: 'bought', target: 'use' },
        { source: 'use', port: 'approved', target: 'used' },
        { source: 'use', port: 'rejected', target: 'refused' },
      ],
    }
    const id = await makeFlow(atrium, { workspace }, 'Buy and use', graph)
    const task = await atrium.tasks.create({ workspace, title: 'Try it' })
    await activateFlow(atrium, { workspace, task: task.id }, id)
    return id
  }

  async function start(title: string) {
    const { startByHand } = await import('../../server/src/resources/automation_runs/start-by-hand.ts')
    const { id: task } = await stage.atrium.tasks.create({ workspace, title })
    const run = await startByHand(stage.server.services, flow, task)
    return { task, run: run.id }
  }

  const card = (page: Page, node: string) => page.locator(`.react-flow__node[data-id="${node}"]`)
  const approvals = (page: Page) => page.getByRole('list', { name: 'Approvals' })
  /** A page that was loaded again has lost the mark. */
  const mark = (page: Page) => page.evaluate(() => Object.assign(window, { __kept: true }))
  const isKept = (page: Page) => page.evaluate(() => '__kept' in window)

  it('are followed by an open page from the queue to the end, approved by mouse', async () => {
    const { task, run } = await start('ropes')
    const watched = await stage.visit(`/automations/runs/${run}?workspace=${workspace}`)
    const { page } = watched
    await mark(page)
    await drainRuns(stage.server.services)
    await approvals(page).getByText('May we buy ropes?').waitFor()
    await card(page, 'buy').getByText('Sleeping').waitFor()
    await forgetShifts(page)
    await checkPage(watched, 'live-run-waits')
    await approvals(page).getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('dialog', { name: 'Approve' }).getByRole('button', { name: 'Approve' }).click()
    await approvals(page).getByText('May we use ropes?').waitFor()
    await card(page, 'bought').getByText('Succeeded').waitFor()
    await card(page, 'use').getByText('Sleeping').waitFor()
    await approvals(page).getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('dialog', { name: 'Approve' }).getByRole('button', { name: 'Approve' }).click()
    await card(page, 'used').getByText('Succeeded').waitFor()
    await card(page, 'refused').getByText('Skipped').waitFor()
    await page.getByRole('button', { name: 'Run again' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Cancel run' }).count(), 0)
    assert.equal(await isKept(page), true)
    await forgetShifts(page)
    await checkPage(watched, 'live-run-ended')
    assert.equal((await stage.atrium.tasks.retrieve(task)).status, 'done')
  })

  it('are approved and rejected by keyboard on the open page', async () => {
    const { task, run } = await start('nets')
    const { page } = await stage.visit(`/automations/runs/${run}?workspace=${workspace}`)
    await mark(page)
    await drainRuns(stage.server.services)
    await approvals(page).getByRole('button', { name: 'Approve' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Approve' })
    await dialog.getByLabel('Comment').focus()
    await page.keyboard.type('Cheap')
    await dialog.getByRole('button', { name: 'Approve' }).press('Enter')
    await approvals(page).getByText('May we use nets?').waitFor()
    await approvals(page).getByRole('button', { name: 'Reject' }).press('Enter')
    await page.getByRole('dialog', { name: 'Reject' }).getByLabel('Comment').fill('Torn')
    await page.getByRole('dialog', { name: 'Reject' }).getByRole('button', { name: 'Reject' }).press('Enter')
    await card(page, 'refused').getByText('Succeeded').waitFor()
    await card(page, 'refused').press('Enter')
    await page.getByRole('region', { name: 'What Comment on task did' }).getByText('Not used').first().waitFor()
    assert.equal(await isKept(page), true)
    assert.equal((await stage.atrium.tasks.retrieve(task)).status, 'todo')
  })

  it('are read and approved on a phone without scrolling sideways', async () => {
    const { task, run } = await start('oars')
    const watched = await stage.visit(`/automations/runs/${run}?workspace=${workspace}`)
    const { page } = watched
    await page.setViewportSize({ width: 390, height: 844 })
    await mark(page)
    await drainRuns(stage.server.services)
    for (const text of ['May we buy oars?', 'May we use oars?']) {
      await approvals(page).getByText(text).waitFor()
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
      await approvals(page).getByRole('button', { name: 'Approve' }).click()
      await page.getByRole('dialog', { name: 'Approve' }).getByRole('button', { name: 'Approve' }).click()
      await page.getByRole('dialog', { name: 'Approve' }).waitFor({ state: 'detached' })
    }
    await page.getByText('Succeeded').first().waitFor()
    await settled(page)
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
    assert.equal(await isKept(page), true)
    await forgetShifts(page)
    await checkPage(watched, 'live-run-phone')
    assert.equal((await stage.atrium.tasks.retrieve(task)).status, 'done')
    await page.setViewportSize({ width: 1440, height: 900 })
  })
})

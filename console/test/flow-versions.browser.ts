/** Versions of a flow in real browsers: compared in the picture and in words, and the way back to one. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { startByHand } from '../../server/src/resources/automation_runs/start-by-hand.ts'
import { drainRuns } from '../../server/src/workers/automations/runs.ts'
import { checkPage, forgetShifts } from './checks.ts'
import { activateFlow, makeFlow, openHarbour } from './flows.ts'
import { stageOf } from './stage.ts'

const graph = (body: string, last: object) => ({
  schema_version: 1 as const,
  nodes: [
    { id: 'by_hand', type: 'trigger.manual' as const, config: {} },
    { id: 'say', type: 'task.comment' as const, config: { body } },
    last,
  ],
  edges: [
    { source: 'by_hand', target: 'say' },
    { source: 'say', target: 'last' },
  ],
})

const second = graph('Please look today.', {
  ...{ id: 'last', type: 'task.update', config: { set: { priority: 'urgent' } } },
})

describe('versions of a flow', () => {
  let activate: () => Promise<void>
  const stage = stageOf()
  let workspace: string
  let flow: string
  before(async () => {
    const place = await openHarbour(stage, 'Doors stay open')
    workspace = place.workspace
    const first = graph('Please look.', { id: 'last', type: 'task.complete', config: {} })
    flow = await makeFlow(stage.atrium, place, 'Ask and finish', first)
    activate = async () => await activateFlow(stage.atrium, place, flow)
    await activate()
    await stage.atrium.automationFlows.pause(flow, { workspace })
    await stage.atrium.automationFlows.update(flow, { graph: second as never })
    await activate()
  })

  it('are compared with the present steps: nodes are marked, and changed settings are listed', async () => {
    const own = await stage.visit(`/automations/${flow}`)
    const { page } = own
    const section = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Versions' }) })
    const choice = section.getByLabel('Compare with version')
    await choice.selectOption({ index: 1 })
    await section.getByText('The steps are those of this version.').waitFor()
    await choice.selectOption({ index: 2 })
    await section.getByText('What changed since version 1:').waitFor()
    const items = section.locator('.version-differences > li')
    assert.deepEqual(await items.locator('strong').allTextContents(), ['Comment on task', 'Update task'])
    assert.deepEqual(await section.locator('del').allTextContents(), ['Please look.', 'Complete task'])
    assert.deepEqual(await section.locator('ins').allTextContents(), ['Please look today.', 'Update task', 'urgent'])
    assert.equal(await section.locator('.flow-card').getByText('Changed').count(), 2)
    await section.getByText('Pause the flow to go back to this version.').waitFor()
    await section.scrollIntoViewIfNeeded()
    await forgetShifts(page)
    await checkPage(own, 'flow-versions')
  })

  it('are named, renamed and unnamed, seen in the list and in the comparison', async () => {
    const own = await stage.visit(`/automations/${flow}`)
    const { page } = own
    const section = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Versions' }) })
    const nameOf = async () =>
      (await stage.atrium.automationFlows.versions(flow)).versions.map(({ name }) => name).at(-1)
    const titles = () => section.getByLabel('Compare with version').locator('option').allTextContents()
    await section.getByLabel('Compare with version').selectOption({ index: 2 })
    await section.getByRole('button', { name: 'Name version' }).click()
    const dialog = page.getByRole('dialog', { name: 'Name of version 1' })
    await dialog.getByLabel('Name').fill('Before the summer')
    await checkPage(own, 'flow-version-name')
    await page.keyboard.press('Enter')
    await section.getByText('What changed since version 1 (Before the summer):').waitFor()
    assert.match((await titles())[2] ?? '', /^1 \(Before the summer\): /)
    assert.equal(await nameOf(), 'Before the summer')
    await section.getByRole('button', { name: 'Rename version' }).click()
    await dialog.getByLabel('Name').fill('Quiet')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await section.getByText('What changed since version 1 (Quiet):').waitFor()
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await section.getByText('What changed since version 1 (Before the summer):').waitFor()
    assert.equal(await nameOf(), 'Before the summer')
    await stage.atrium.automationFlows.nameVersion(flow, { version: 1, name: 'Quiet' })
    // The event of the flow tells the open page.
    await section.getByText('What changed since version 1 (Quiet):').waitFor()
    await section.getByRole('button', { name: 'Rename version' }).click()
    await dialog.getByRole('button', { name: 'Remove name' }).click()
    await section.getByText('What changed since version 1:').waitFor()
    assert.equal(await nameOf(), null)
  })

  it('keep the picture of their runs: a run of an older version shows its path in the steps that it had', async () => {
    const { services } = stage.server
    const [task] = (await stage.atrium.tasks.list({ workspace })).data
    const { id } = await startByHand(services, flow, task?.id ?? '')
    await drainRuns(services)
    await stage.atrium.automationFlows.pause(flow, { workspace })
    const later = graph('Please look tomorrow.', { id: 'last', type: 'task.label', config: { add: ['seen'] } })
    await stage.atrium.automationFlows.update(flow, { graph: later as never })
    const own = await stage.visit(`/automations/runs/${id}?workspace=${workspace}`)
    const path = own.page.locator('section').filter({ has: own.page.getByRole('heading', { name: 'Path' }) })
    await path.getByText('Update task').first().waitFor()
    assert.equal(await path.locator('.flow-card').getByText('Succeeded').count(), 2)
    await stage.atrium.automationFlows.update(flow, { graph: second as never })
    await activate()
  })

  it('are gone back to after a pause: the flow is a draft with the hash of that version', async () => {
    await stage.atrium.automationFlows.pause(flow, { workspace })
    const { page } = await stage.visit(`/automations/${flow}`)
    const section = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Versions' }) })
    await section.getByLabel('Compare with version').selectOption({ index: 3 })
    await section.getByRole('button', { name: 'Go back' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Go back' }).click()
    await section.getByText('The steps are those of this version.').waitFor()
    const { versions } = await stage.atrium.automationFlows.versions(flow)
    const { status, graph_hash } = await stage.atrium.automationFlows.retrieve(flow)
    assert.deepEqual([status, graph_hash], ['draft', versions[2]?.graph_hash])
  })
})

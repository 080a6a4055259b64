/** Flows that call other flows in real browsers: offered by keyboard, called on the canvas by mouse, previewed, run, and read both ways. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { startByHand } from '../../server/src/resources/automation_runs/start-by-hand.ts'
import { drainRuns } from '../../server/src/workers/automations/runs.ts'
import { checkPage, forgetShifts, withoutStatus } from './checks.ts'
import { activateFlow, makeFlow, openHarbour } from './flows.ts'
import { stageOf } from './stage.ts'

describe('flows that call other flows', () => {
  const stage = stageOf()
  let workspace: string
  let task: string
  let called: string
  before(async () => {
    ;({ workspace, task } = await openHarbour(stage, 'Paint the pier'))
    called = await makeFlow(stage.atrium, { workspace }, 'Plan it', {
      schema_version: 7,
      nodes: [
        { id: 'called', type: 'trigger.call', config: { takes_task: true } },
        { id: 'say', type: 'task.comment', config: { body: 'Planned.' } },
        { id: 'end', type: 'stop', config: { outcome: 'succeeded', output: { $expr: 'task.key' } } },
      ],
      edges: [
        { source: 'called', target: 'say' },
        { source: 'say', target: 'end' },
      ],
    })
  })

  const activate = async (id: string) => await activateFlow(stage.atrium, { workspace, task }, id)

  it('declare what they take, by keyboard', async () => {
    const watched = await stage.visit(`/automations/${called}/edit`)
    const { page } = watched
    const card = page.locator('.react-flow__node[data-id="called"]')
    await card.focus()
    await page.keyboard.press('Enter')
    const panel = page.getByRole('complementary', { name: 'Settings of Called by another flow' })
    await panel.getByRole('button', { name: 'Add input' }).focus()
    await page.keyboard.press('Enter')
    await panel.getByRole('textbox', { name: 'Name in formulas' }).focus()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('days')
    await panel.getByRole('combobox', { name: 'Kind' }).selectOption({ label: 'Whole number' })
    await panel.getByRole('textbox', { name: 'Label' }).fill('Days to plan')
    await page.getByText('No problems').waitFor()
    await forgetShifts(page)
    await checkPage(watched, 'flow-call-trigger')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Preview and activate' }).waitFor()
    const { graph } = await stage.atrium.automationFlows.retrieve(called)
    assert.deepEqual(graph.nodes[0]?.config, {
      takes_task: true,
      inputs: [{ key: 'days', kind: 'integer', required: true, label: 'Days to plan' }],
    })
    await activate(called)
  })

  it('are called from the canvas: chosen by name, with a field for each input and a port for the timeout', async () => {
    const watched = await stage.visit('/automations/new')
    const { page } = watched
    await page.getByRole('button', { name: 'Start on the canvas' }).click()
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.waitForURL(/\/edit$/)
    await page.getByRole('button', { name: 'Add a step after Comment on task' }).click()
    await page.getByRole('menuitem', { name: 'Call another flow' }).click()
    const panel = page.getByRole('complementary', { name: 'Settings of Call another flow' })
    await panel.getByRole('button', { name: /^Flow/ }).click()
    await page.getByRole('option', { name: 'Plan it' }).click()
    await page.getByText('1 problem').waitFor()
    await panel.getByText(/required by the called flow/i).waitFor()
    await panel.getByRole('spinbutton', { name: 'Days to plan' }).fill('3')
    await page.getByText('No problems').waitFor()
    await panel.getByRole('spinbutton', { name: 'Time out after: amount' }).fill('2')
    await page.getByRole('button', { name: 'Add a step after Call another flow: Timed out' }).click()
    await page.getByRole('menuitem', { name: 'Stop', exact: true }).click()
    await page.locator('.react-flow__node[data-id="call"]').click()
    await page.getByText('No problems').waitFor()
    // Each draft with a problem is refused with 400, which the browser logs.
    watched.errors.splice(0, watched.errors.length, ...withoutStatus(watched.errors, 400))
    await forgetShifts(page)
    await checkPage(watched, 'flow-call-canvas')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Preview and activate' }).waitFor()
    const id = /flow_[0-9A-Z]{26}/.exec(page.url())?.[0] ?? assert.fail(page.url())
    const { graph } = await stage.atrium.automationFlows.retrieve(id)
    const call = graph.nodes.find((node) => node.type === 'flow.call')
    assert.deepEqual(
      [graph.schema_version, call?.config],
      [7, { flow: called, inputs: { days: 3 }, timeout_seconds: 7200 }],
    )
    assert.deepEqual(graph.edges.at(-1), { source: 'call', port: 'timed_out', target: 'stop' })
  })

  it('are previewed with the called flow, and the pages of both runs lead to each other', async () => {
    const { id } = await stage.atrium.automationFlows.create({
      workspace,
      name: 'Prepare',
      graph: {
        schema_version: 7,
        nodes: [
          { id: 'by_hand', type: 'trigger.manual', config: {} },
          { id: 'plan', type: 'flow.call', config: { flow: called, inputs: { days: 2 } } },
        ],
        edges: [{ source: 'by_hand', target: 'plan' }],
      },
    })
    const sentence = await stage.visit(`/automations/${id}/sentence`)
    await sentence.page.getByText('call the flow Plan it').first().waitFor()
    await sentence.page.getByRole('spinbutton', { name: 'Days to plan' }).waitFor()
    await checkPage(sentence, 'flow-call-sentence')
    const watched = await stage.visit(`/automations/${id}`)
    const { page } = watched
    await page
      .getByRole('button', { name: /^Preview/ })
      .first()
      .click()
    const dialog = page.getByRole('dialog', { name: /^Preview Prepare/ })
    await dialog.getByRole('button', { name: 'Task' }).click()
    await page.getByRole('option', { name: /Paint the pier/ }).click()
    await dialog.getByRole('button', { name: 'Preview', exact: true }).click()
    const result = page.getByRole('dialog', { name: /^What Prepare would do/ })
    await result.getByText('“Plan it”, called by the step “Plan”').waitFor()
    await result.getByText('Planned.').waitFor()
    await forgetShifts(page)
    await checkPage(watched, 'flow-call-preview')
    await activate(id)
    const run = await startByHand(stage.server.services, id, task)
    await drainRuns(stage.server.services)
    const own = await stage.visit(`/automations/runs/${run.id}?workspace=${workspace}`)
    const link = own.page.getByRole('link', { name: 'Plan it (Succeeded)' })
    await link.waitFor()
    await checkPage(own, 'flow-call-caller')
    await link.click()
    await own.page.getByRole('link', { name: 'another run, step “Plan”' }).waitFor()
    await own.page.getByText('Planned.').first().waitFor()
    await forgetShifts(own.page)
    await checkPage(own, 'flow-call-called')
    await own.page.getByRole('link', { name: 'another run, step “Plan”' }).click()
    await link.waitFor()
  })

  it('are previewed with inputs that a person gives, and run again with corrected ones', async () => {
    const { page } = await stage.visit(`/automations/${called}`)
    await page
      .getByRole('button', { name: /^Preview/ })
      .first()
      .click()
    const preview = page.getByRole('dialog', { name: /^Preview Plan it/ })
    await preview.getByRole('button', { name: 'Task' }).click()
    await page.getByRole('option', { name: /Paint the pier/ }).click()
    await preview.getByLabel('Days to plan').fill('soon')
    await preview.getByText('This is not a number yet.').waitFor()
    await preview.getByLabel('Days to plan').fill('5')
    const [request] = await Promise.all([
      page.waitForRequest((sent) => sent.url().endsWith(`/${called}/preview`)),
      preview.getByRole('button', { name: 'Preview', exact: true }).click(),
    ])
    assert.deepEqual(request.postDataJSON().call, { days: 5 })
    await page.getByRole('dialog', { name: /^What Plan it would do/ }).waitFor()
    const [run] = (await stage.atrium.automationRuns.list({ workspace, automation_flow: called })).data
    const own = await stage.visit(`/automations/runs/${run?.id}?workspace=${workspace}`)
    await own.page.getByRole('button', { name: 'Run again' }).click()
    const dialog = own.page.getByRole('dialog', { name: 'Run again' })
    await dialog.getByLabel('Days').fill('7')
    await checkPage(own, 'flow-call-rerun')
    await dialog.getByRole('button', { name: 'Run again' }).click()
    await dialog.waitFor({ state: 'detached' })
    const [again] = (await stage.atrium.automationRuns.list({ workspace, automation_flow: called })).data
    const input = await stage.atrium.automationRuns.input(again?.id ?? '', { workspace })
    assert.deepEqual([again?.rerun_of, input.call], [run?.id, { days: 7 }])
  })
})

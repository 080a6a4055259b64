/** Runs that run again, in the browser: from a step by keyboard, and from the start with a corrected answer of a form. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { startByHand } from '../../server/src/resources/automation_runs/start-by-hand.ts'
import { drainRuns } from '../../server/src/workers/automations/runs.ts'
import { call } from '../../server/test/call.ts'
import { pageKeyOf, sendForm } from '../../server/test/forms.ts'
import { checkPage, forgetShifts } from './checks.ts'
import { activateFlow, makeFlow, openHarbour } from './flows.ts'
import { stageOf } from './stage.ts'

describe('running a run again', () => {
  const stage = stageOf()
  let workspace: string
  let task: string
  before(async () => {
    ;({ workspace, task } = await openHarbour(stage, 'Sails are torn'))
  })

  async function activate(graph: object): Promise<string> {
    const id = await makeFlow(stage.atrium, { workspace }, 'A flow', graph)
    await activateFlow(stage.atrium, { workspace, task }, id)
    return id
  }

  const settle = () => drainRuns(stage.server.services)
  const said = async () => (await stage.atrium.tasks.comments.list(task)).data.map(({ body }) => body).sort()

  it('starts from a step by keyboard, says of which run it is, and is linked from it', async () => {
    const flow = await activate({
      schema_version: 1,
      nodes: [
        { id: 'by_hand', type: 'trigger.manual', config: {} },
        { id: 'first_word', type: 'task.comment', config: { body: 'First' } },
        { id: 'last_word', type: 'task.comment', config: { body: 'Last' } },
      ],
      edges: [
        { source: 'by_hand', target: 'first_word' },
        { source: 'first_word', target: 'last_word' },
      ],
    })
    const { id } = await startByHand(stage.server.services, flow, task)
    await settle()
    const own = await stage.visit(`/automations/runs/${id}?workspace=${workspace}`)
    const { page } = own
    await page.getByRole('button', { name: 'Run again' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Run again' })
    await checkPage(own, 'rerun-dialog')
    await dialog.getByLabel('Start from').focus()
    await page.keyboard.press('End')
    await dialog.getByText('The steps before it are taken over').waitFor()
    await dialog.getByRole('button', { name: 'Run again' }).press('Enter')
    const origin = page.getByRole('link', { name: 'an earlier run from step “Last word”' })
    await origin.waitFor()
    await settle()
    await page.getByText('(taken over, not carried out again)').waitFor()
    assert.deepEqual(await said(), ['First', 'Last', 'Last'])
    await forgetShifts(page)
    await checkPage(own, 'rerun')
    await origin.click()
    await page.getByText('Repeated').waitFor()
    const link = page.getByRole('link', { name: /\(Succeeded\)$/ })
    await link.waitFor()
    await checkPage(own, 'rerun-origin')
    await link.click()
    await origin.waitFor()
  })

  it('names steps as people named them, and a trigger without a name by what starts it; a phone shows which flow ran', async () => {
    const flow = await activate({
      schema_version: 1,
      nodes: [
        { id: 'completed', type: 'trigger.manual', config: {} },
        { id: 'stop', name: 'Give up', type: 'stop', config: { outcome: 'failed', message: 'No crew' } },
      ],
      edges: [{ source: 'completed', target: 'stop' }],
    })
    const { id } = await startByHand(stage.server.services, flow, task)
    await settle()
    const { page } = await stage.visit(`/automations/runs/${id}?workspace=${workspace}`)
    await page.getByRole('alert').getByText('(step “Give up”)').waitFor()
    await page.getByRole('list', { name: 'Steps' }).getByText('Give up').waitFor()
    await page
      .getByRole('definition')
      .filter({ hasText: /^By hand$/ })
      .waitFor()
    await page.getByRole('button', { name: 'Run again' }).click()
    await page.getByRole('option', { name: 'Step “Give up”' }).waitFor({ state: 'attached' })
    const phone = await stage.visit(`/automations/runs?workspace=${workspace}`, {
      fresh: true,
      options: { viewport: { width: 390, height: 800 } },
    })
    const row = phone.page.getByRole('row', { name: /^Failed/ })
    await row.getByText('A flow').waitFor()
    assert.equal(await row.getByText('No crew').isVisible(), false)
  })

  it('starts from a step with a corrected text, says the error at its field, and who corrected what', async () => {
    const flow = await activate({
      schema_version: 1,
      nodes: [
        { id: 'by_hand', type: 'trigger.manual', config: {} },
        { id: 'opening', type: 'task.comment', config: { body: 'Opening' } },
        { id: 'closing', type: 'task.comment', config: { body: { $template: 'Closing {{ task.title }}' } } },
      ],
      edges: [
        { source: 'by_hand', target: 'opening' },
        { source: 'opening', target: 'closing' },
      ],
    })
    const { id } = await startByHand(stage.server.services, flow, task)
    await settle()
    const own = await stage.visit(`/automations/runs/${id}?workspace=${workspace}`)
    const { page } = own
    await page.getByRole('button', { name: 'Run again' }).click()
    const dialog = page.getByRole('dialog', { name: 'Run again' })
    await dialog.getByLabel('Start from').selectOption({ label: 'Step “Closing”' })
    const text = dialog.getByLabel('Comment', { exact: true })
    assert.equal(await text.inputValue(), 'Closing Sails are torn')
    await text.fill('')
    await dialog.getByRole('button', { name: 'Run again' }).click()
    await dialog.getByText(/step_input\.body.*must not be empty/).waitFor()
    assert.equal(await text.getAttribute('aria-invalid'), 'true')
    own.errors.length = 0
    await checkPage(own, 'rerun-step')
    await text.fill('Closing by hand')
    await page.keyboard.press('Tab')
    await dialog.getByRole('button', { name: 'Run again' }).press('Enter')
    await page.getByRole('link', { name: 'an earlier run from step “Closing”' }).waitFor()
    await page.getByText(/^Settings of the step: body, by /).waitFor()
    await settle()
    await page.getByText(/\(input corrected by .*: body\)/).waitFor()
    assert.ok((await said()).includes('Closing by hand'))
    await page.setViewportSize({ width: 390, height: 844 })
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
    await forgetShifts(page)
    await checkPage(own, 'rerun-step-done')
  })

  it('starts with a corrected answer, and says what the form refuses', async () => {
    const flow = await activate({
      schema_version: 5,
      nodes: [
        {
          id: 'sent',
          type: 'trigger.form',
          config: {
            title: 'Order',
            fields: [
              { key: 'what', label: 'What', kind: 'short_text', required: true },
              { key: 'count', label: 'Count', kind: 'number', required: true },
            ],
          },
        },
        {
          id: 'file',
          type: 'task.create',
          config: { set: { title: { $template: '{{ form.what }}: {{ form.count }}' } } },
        },
      ],
      edges: [{ source: 'sent', target: 'file' }],
    })
    const path = new URL((await stage.atrium.automationFlows.form(flow)).url).pathname
    const send = (method: string, to: string, options = {}) =>
      call(stage.url, method, to, { key: null, idempotencyKey: null, ...options })
    const key = pageKeyOf(await send('GET', path))
    stage.later(60)
    assert.equal((await sendForm(send, path, key, { what: 'Rope', count: '4' })).status, 303)
    await settle()
    const [run] = (await stage.atrium.automationRuns.list({ workspace, automation_flow: flow })).data
    const own = await stage.visit(`/automations/runs/${run?.id}?workspace=${workspace}`)
    const { page } = own
    await page.getByRole('button', { name: 'Run again' }).click()
    const dialog = page.getByRole('dialog', { name: 'Run again' })
    await dialog.getByLabel('Count').fill('many')
    await dialog.getByRole('button', { name: 'Run again' }).click()
    await dialog.getByText(/form\.count.*must be a number/).waitFor()
    own.errors.length = 0
    await dialog.getByLabel('Count').fill('40')
    await checkPage(own, 'rerun-form')
    await dialog.getByRole('button', { name: 'Run again' }).click()
    await page.getByRole('link', { name: 'an earlier run', exact: true }).waitFor()
    await settle()
    const { data } = await stage.atrium.tasks.list({ workspace })
    assert.deepEqual(data.map(({ title }) => title).sort(), ['Rope: 4', 'Rope: 40', 'Sails are torn'])
  })
})

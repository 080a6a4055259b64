/** Approvals in the browser: decided in the inbox by keyboard and on a phone, and on the page of the run. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { checkPage, settled } from './checks.ts'
import { activateFlow } from './flows.ts'
import { stageOf } from './stage.ts'

describe('approvals', () => {
  const stage = stageOf()
  let workspace: string
  let flow: string
  before(async () => {
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
    flow = await activate()
  })

  /** A flow that asks the owner before a task with high priority is done. */
  async function activate(): Promise<string> {
    const { atrium } = stage
    const { id } = await atrium.automationFlows.create({
      workspace,
      name: 'Order sails',
      graph: {
        schema_version: 4,
        nodes: [
          {
            id: 'changed',
            type: 'trigger.event',
            config: { event_types: ['workflow.task.updated'], changed_fields: ['priority'] },
          },
          {
            id: 'ask',
            type: 'approval.wait',
            config: { people: [stage.owner.user], text: { $template: 'May we order {{ task.title }}?' } },
          },
          { id: 'done', type: 'task.complete', config: {} },
          { id: 'why', type: 'task.comment', config: { body: { $template: 'No: {{ steps.ask.output.comment }}' } } },
        ],
        edges: [
          { source: 'changed', target: 'ask' },
          { source: 'ask', port: 'approved', target: 'done' },
          { source: 'ask', port: 'rejected', target: 'why' },
        ],
      },
    })
    const task = await atrium.tasks.create({ workspace, title: 'Try it' })
    await activateFlow(atrium, { workspace, task: task.id }, id)
    return id
  }

  /** Lets the flow ask about a new task. */
  async function ask(title: string) {
    const { id } = await stage.atrium.tasks.create({ workspace, title })
    await stage.atrium.tasks.update(id, { priority: 'high' })
    return id
  }

  const entry = (page: Page, title: string) => page.locator('.inbox-entry', { hasText: title })

  async function runOf(task: string) {
    const { data } = await stage.atrium.automationRuns.list({ workspace, automation_flow: flow, task })
    return data[0] ?? assert.fail(`no run of ${task}`)
  }

  /** Waits until the run about a task has ended. */
  async function ended(page: Page, task: string): Promise<void> {
    const { id } = await runOf(task)
    await page.goto(`${new URL(page.url()).origin}/automations/runs/${id}?workspace=${workspace}`)
    await page.getByText('Succeeded').first().waitFor()
  }

  it('are decided in the inbox by keyboard: the run goes on, and the entry says how it ended', async () => {
    const task = await ask('blue sails')
    const watched = await stage.visit('/inbox')
    const { page } = watched
    await entry(page, 'blue sails').getByRole('button', { name: 'Approve' }).waitFor()
    await settled(page)
    await checkPage(watched, 'approvals-inbox')
    await entry(page, 'blue sails').getByRole('button', { name: 'Approve' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Approve' })
    await dialog.getByText('May we order blue sails?').waitFor()
    await checkPage(watched, 'approvals-dialog')
    await dialog.getByLabel('Comment').focus()
    await page.keyboard.type('Within the budget')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await entry(page, 'blue sails').getByText('An approval that you were asked for: approved').waitFor()
    assert.equal(await entry(page, 'blue sails').getByRole('button', { name: 'Approve' }).count(), 0)
    await ended(page, task)
    assert.equal((await stage.atrium.tasks.retrieve(task)).status, 'done')
  })

  it('are rejected on a phone with a reason, without scrolling sideways', async () => {
    const task = await ask('red sails')
    const watched = await stage.visit('/inbox')
    const { page } = watched
    await page.setViewportSize({ width: 390, height: 844 })
    await entry(page, 'red sails').getByRole('button', { name: 'Reject' }).waitFor()
    await settled(page)
    await checkPage(watched, 'approvals-phone')
    await entry(page, 'red sails').getByRole('button', { name: 'Reject' }).click()
    const dialog = page.getByRole('dialog', { name: 'Reject' })
    await dialog.getByLabel('Comment').fill('Too red')
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
    await dialog.getByRole('button', { name: 'Reject' }).click()
    await dialog.waitFor({ state: 'detached' })
    await entry(page, 'red sails').getByText('An approval that you were asked for: rejected').waitFor()
    await ended(page, task)
    const { data } = await stage.atrium.tasks.comments.list(task, { workspace })
    assert.equal(data[0]?.body, 'No: Too red')
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  it('are shown on the page of the run: whom it waits for, the decision, and who decided', async () => {
    const task = await ask('green sails')
    const watched = await stage.visit('/inbox')
    const { page } = watched
    await entry(page, 'green sails').waitFor()
    const { id } = await runOf(task)
    await page.goto(`${new URL(page.url()).origin}/automations/runs/${id}?workspace=${workspace}`)
    const approvals = page.getByRole('list', { name: 'Approvals' })
    await approvals.getByText(/Waiting for/).waitFor()
    await settled(page)
    await checkPage(watched, 'approvals-run')
    await approvals.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('dialog', { name: 'Approve' }).getByRole('button', { name: 'Approve' }).click()
    await approvals.getByText('Approved').waitFor()
    await approvals.getByText(/Waiting for/).waitFor({ state: 'detached' })
    await page.getByText('Succeeded').first().waitFor()

    // The task's history says which step completed it.
    await page.goto(`${new URL(page.url()).origin}/work/tasks/${task}`)
    await page.getByRole('tab', { name: 'History' }).click()
    await page.getByRole('link', { name: 'Why: step “Done” of the automation' }).click()
    await page.locator('[aria-current="step"]', { hasText: 'Done' }).getByText('Succeeded').waitFor()
    assert.equal(new URL(page.url()).searchParams.get('step'), 'done')
    await checkPage(watched, 'run-step')
  })
})

/** Formulas are written in a code editor: completion from the flow's own data, faults at their place, and their value for a task. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { checkPage, forgetShifts, withoutStatus } from './checks.ts'
import { stageOf } from './stage.ts'

interface Step {
  readonly id: string
  readonly type: string
  readonly config: object
}

describe('formulas', () => {
  const stage = stageOf()
  let workspace: string
  before(async () => {
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
    const project = (await stage.atrium.projects.create({ workspace, name: 'Booking' })).id
    await stage.atrium.tasks.create({ workspace, project, title: 'Doors stay open', labels: ['bug', 'deck'] })
  })

  const say = { id: 'say', type: 'task.comment', config: { body: 'Yes' } }

  /** A flow of these steps, one after another. */
  const newFlow = async (name: string, nodes: readonly Step[]) => {
    const edges = nodes.slice(1).map(({ id }, i) => ({ source: nodes[i]?.id, target: id }))
    const graph = { schema_version: 1, nodes, edges } as never
    return (await stage.atrium.automationFlows.create({ workspace, name, graph })).id
  }
  const options = (page: Page) => page.getByRole('listbox', { name: 'Completions' }).getByRole('option')

  it('are completed, judged at their place, and evaluated for a chosen task, by the keyboard', async () => {
    const id = await newFlow('By keyboard', [
      { id: 'begin', type: 'trigger.event', config: { event_types: ['workflow.task.created'] } },
      say,
    ])
    const watched = await stage.visit(`/automations/${id}/edit?step=begin`)
    const { page } = watched
    const editor = page.getByRole('textbox', { name: 'Only if', exact: true })
    await editor.focus()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type("'bug' in ta")
    await options(page).filter({ hasText: 'task' }).first().waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.type('.lab')
    await options(page).filter({ hasText: 'labels' }).waitFor()
    assert.deepEqual(await options(page).allTextContents(), ['labelslist<string>'])
    await forgetShifts(page)
    await checkPage(watched, 'formulas-completion')
    await page.keyboard.press('Enter')
    await page.getByText('No problems').waitFor()
    assert.equal(await editor.textContent(), "'bug' in task.labels")
    // Nothing holds the keyboard: Tab moves on to the task, whose choice gives the value.
    await page.keyboard.press('Tab')
    const chooser = page.getByRole('button', { name: 'Task for the value of Only if' })
    assert.ok(await chooser.evaluate((element) => element === document.activeElement))
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: /Doors stay open/ }).waitFor()
    await page.keyboard.press('Enter')
    const value = page.getByRole('status', { name: 'Value of Only if' })
    await value.getByText('true').waitFor()
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type("task.title == 'x' && task.labls == []")
    await page.keyboard.press('Escape')
    await page.locator('.formula-fault').waitFor()
    assert.equal(await page.locator('.formula-fault').textContent(), 'labls')
    await page.getByText('1 problem').waitFor()
    // Drafts with a problem are refused with 400, which the browser logs.
    watched.errors.splice(0, watched.errors.length, ...withoutStatus(watched.errors, 400))
    await forgetShifts(page)
    await checkPage(watched, 'formulas-fault')
  })

  it('offer the steps before them and the functions, and change by the mouse', async () => {
    const id = await newFlow('By mouse', [
      { id: 'begin', type: 'trigger.manual', config: {} },
      { id: 'ask', type: 'task.create', config: { set: { title: 'Look after it' } } },
      { id: 'test', type: 'condition', config: { expr: 'true' } },
      say,
    ])
    const watched = await stage.visit(`/automations/${id}/edit?step=test`)
    const { page } = watched
    const editor = page.getByRole('textbox', { name: 'If', exact: true })
    await editor.click()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('steps.')
    await options(page).filter({ hasText: 'ask' }).waitFor()
    assert.deepEqual(await options(page).allTextContents(), ['askobject'])
    await options(page).first().click()
    await page.keyboard.type('.output.task.ti')
    await options(page).filter({ hasText: 'title' }).click()
    await page.keyboard.type('.cont')
    await options(page).filter({ hasText: 'contains(part: string): bool' }).click()
    await page.keyboard.type("'storm'")
    assert.equal(await editor.textContent(), "steps.ask.output.task.title.contains('storm')")
    await page.getByText('No problems').waitFor()
    await page.getByRole('button', { name: /Try on a task|Task for the value/ }).click()
    await page.getByRole('option', { name: /Doors stay open/ }).click()
    await page.getByText('Known in a run only: steps').waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved').first().waitFor()
    const { graph } = await stage.atrium.automationFlows.retrieve(id)
    assert.deepEqual(graph.nodes[2]?.config, { expr: "steps.ask.output.task.title.contains('storm')" })
    assert.deepEqual(watched.violations, [], 'the policy refused something')
  })
  it('take what is typed over a selection that the editor does not know yet', async () => {
    const id = await newFlow('At once', [
      { id: 'begin', type: 'trigger.manual', config: {} },
      { id: 'test', type: 'condition', config: { expr: "'storm' in task.labels" } },
      say,
    ])
    const watched = await stage.visit(`/automations/${id}/edit?step=test`)
    const { page } = watched
    const editor = page.getByRole('textbox', { name: 'If', exact: true })
    await editor.focus()
    await editor.evaluate((element) => {
      addEventListener('selectionchange', (event) => event.stopImmediatePropagation(), { capture: true, once: true })
      getSelection()?.selectAllChildren(element)
    })
    await page.keyboard.insertText("task.key == 'A-1'")
    assert.equal(await editor.textContent(), "task.key == 'A-1'")
    await page.keyboard.type(' && true')
    assert.equal(await editor.textContent(), "task.key == 'A-1' && true")
    await page.getByText('No problems').waitFor()
    assert.deepEqual(watched.violations, [], 'the policy refused something')
  })
})

/** Steps for several tasks and for the parent on the canvas and in the sentence, formulas of a called flow, notes in place, permissions of old runs. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { Atrium } from '../../sdk/typescript/src/index.ts'
import { startByHand } from '../../server/src/resources/automation_runs/start-by-hand.ts'
import { drainRuns } from '../../server/src/workers/automations/runs.ts'
import { checkPage, forgetShifts, settled, withoutStatus } from './checks.ts'
import { activateFlow, makeFlow, openHarbour, saveFlow } from './flows.ts'
import { stageOf } from './stage.ts'

describe('steps for several tasks', () => {
  const stage = stageOf()
  let workspace: string
  let task: string
  before(async () => {
    ;({ workspace, task } = await openHarbour(stage, 'Paint the pier', ['wood', 'rope']))
  })

  const make = async (name: string, graph: object, atrium = stage.atrium) =>
    await makeFlow(atrium, { workspace }, name, graph)

  const by_hand = { id: 'by_hand', type: 'trigger.manual', config: {} }
  const row = (...nodes: readonly { readonly id: string }[]) => ({
    schema_version: 8,
    nodes: [by_hand, ...nodes],
    edges: nodes.map(({ id }, i) => ({ source: i === 0 ? 'by_hand' : nodes[i - 1]?.id, target: id })),
  })

  const activate = async (id: string, atrium = stage.atrium) => await activateFlow(atrium, { workspace, task }, id)

  it('are built on the canvas: a pasted checklist becomes subtasks, and the test shows each of them', async () => {
    const say = { id: 'say', type: 'task.comment', config: { body: 'Begun' } }
    const both = row(say, { ...say, id: 'tell', name: 'Tell' } as never)
    // Of two steps that lead nowhere, a new one follows neither.
    const edges = both.nodes.slice(1).map((step) => ({ source: 'by_hand', target: step.id }))
    const id = await make('Checklist', { ...both, edges })
    const watched = await stage.visit(`/automations/${id}/edit`)
    const { page } = watched
    await page.locator('.react-flow__node[data-id="say"]').hover()
    await page.getByRole('button', { name: 'Add step' }).first().click()
    await page.getByRole('menuitem', { name: 'Create several tasks' }).click()
    const panel = page.getByRole('complementary', { name: 'Settings of Create several tasks' })
    const title = panel.getByRole('textbox', { name: 'Title of task 1', exact: true })
    await title.focus()
    await title.evaluate((element) => {
      const data = new DataTransfer()
      data.setData('text/plain', '- [ ] Sand it\n- [x] Prime it\n* Paint {{ task.title }}\n')
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
    })
    await panel.getByRole('textbox', { name: 'Title of task 3', exact: true }).waitFor()
    await panel.getByRole('button', { name: 'Remove task 2' }).click()
    await panel.getByRole('button', { name: 'Subtasks of', exact: true }).click()
    await page.getByRole('option', { name: 'The task of the run' }).click()
    // The new step follows nothing yet.
    await page
      .getByText(/cannot be reached/i)
      .first()
      .waitFor()
    const card = (step: string) => page.locator(`.react-flow__node[data-id="${step}"]`)
    const middle = async (handle: string, step: string) => {
      const box = (await card(step).locator(`.react-flow__handle.${handle}`).first().boundingBox()) ?? assert.fail(step)
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
    }
    await page.getByRole('button', { name: 'Fit View' }).click()
    await settled(page)
    const made = (await page.locator('.react-flow__node-card').last().getAttribute('data-id')) ?? ''
    const [from, to] = [await middle('source', 'say'), await middle('target', made)]
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(to.x, to.y, { steps: 8 })
    await page.mouse.up()
    await page.getByText('No problems').waitFor()
    // By keyboard: undone, and connected again from the menu of the port.
    await page.getByRole('button', { name: 'Undo' }).press('Enter')
    await page
      .getByText(/cannot be reached/i)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Add a step after Comment on task' }).press('Enter')
    await page.keyboard.press('End')
    await page.getByRole('menuitem', { name: 'Connect to “Create several tasks”' }).press('Enter')
    await page.getByText('No problems').waitFor()
    // Closes the tooltip of the button, which has the focus again.
    await page.keyboard.press('Escape')
    await page.getByRole('tooltip').waitFor({ state: 'detached' })
    watched.errors.splice(0, watched.errors.length, ...withoutStatus(watched.errors, 400))
    await forgetShifts(page)
    await checkPage(watched, 'flow-many-canvas')
    assert.deepEqual(watched.violations, [])
    await saveFlow(page)
    const { graph } = await stage.atrium.automationFlows.retrieve(id)
    assert.deepEqual(graph.edges, [...edges, { source: 'say', target: made }])
  })

  it('are a sentence, which says them, and a preview shows what each task gets', async () => {
    await stage.atrium.tasks.create({ workspace, title: 'Sand it', parent: task })
    const id = await make(
      'Paint all',
      row(
        {
          id: 'make',
          type: 'task.create_many',
          config: { parent: '$subject', tasks: [{ title: 'Prime it' }, { title: 'Dry it' }] },
        } as never,
        {
          id: 'all',
          type: 'task.update_many',
          config: { parent: '$subject', query: 'status = todo', max_tasks: 20, set: { priority: 'high' } },
        } as never,
        {
          id: 'up',
          type: 'task.update_parent',
          on_error: 'continue',
          config: { set: { status: 'in_progress' } },
        } as never,
      ),
    )
    const sentence = await stage.visit(`/automations/${id}/sentence`)
    const choose = async (language: string | null) =>
      await sentence.page.evaluate(async (chosen) => {
        const { csrf } = await (await fetch('/app/api/session')).json()
        const headers = { 'x-csrf': csrf, 'content-type': 'application/json' }
        const body = JSON.stringify({ language: chosen })
        await fetch('/app/api/preferences', { method: 'PATCH', headers, body })
      }, language)
    await sentence.page.getByText('create the subtasks “Prime it” and “Dry it”').first().waitFor()
    await sentence.page
      .getByText('set the priority to High for all its subtasks where status is To do')
      .first()
      .waitFor()
    await sentence.page.getByText('set the status to In progress for its parent').first().waitFor()
    await checkPage(sentence, 'flow-many-sentence')
    await choose('de')
    await sentence.page.goto(`${stage.url}/automations/${id}/sentence`)
    for (const text of [
      'die Unteraufgaben „Prime it“ und „Dry it“ erstellen',
      'bei allen Unteraufgaben (Status ist Zu erledigen) Priorität auf Hoch setzen',
      'bei der übergeordneten Aufgabe Status auf In Arbeit setzen',
    ])
      await sentence.page.getByText(text).first().waitFor()
    await choose(null)
    const watched = await stage.visit(`/automations/${id}`)
    const { page } = watched
    await page
      .getByRole('button', { name: /^Preview/ })
      .first()
      .click()
    const dialog = page.getByRole('dialog', { name: /^Preview Paint all/ })
    await dialog.getByRole('button', { name: 'Task' }).click()
    await page.getByRole('option', { name: /Paint the pier/ }).click()
    await dialog.getByRole('button', { name: 'Preview', exact: true }).click()
    const result = page.getByRole('dialog', { name: /^What Paint all would do/ })
    await result.getByText('Prime it').first().waitFor()
    await result.getByText('Would fail: The task HAR-1 has no parent.').waitFor()
    await forgetShifts(page)
    await checkPage(watched, 'flow-many-preview')
  })

  it('change the tasks that a filter chooses, in the sentence and on the canvas, where “me” is not offered', async () => {
    const config = { query: 'status = todo', max_tasks: 20, set: { priority: 'high' } }
    const id = await make('Chosen', row({ id: 'all', type: 'task.update_many', config } as never))
    const watched = await stage.visit(`/automations/${id}/sentence`)
    const { page } = watched
    const choose = async (name: string) =>
      await page.getByRole('listbox').getByRole('option', { name, exact: true }).click()
    const filter = page.getByRole('group', { name: 'All tasks that match' })
    await filter.getByRole('group', { name: 'Status is To do' }).waitFor()
    await filter.getByRole('button', { name: 'Add filter' }).click()
    await choose('Assignee')
    await choose('is')
    await page.getByRole('option', { name: 'No assignee' }).waitFor()
    assert.equal(await page.getByRole('option', { name: 'Me', exact: true }).count(), 0)
    await choose('No assignee')
    await page.getByText('all tasks where status is To do and assignee is No assignee').first().waitFor()
    await checkPage(watched, 'flow-many-filter')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    const query = async () => {
      const { nodes } = (await stage.atrium.automationFlows.retrieve(id)).graph
      return nodes.find((node) => node.type === 'task.update_many')?.config.query
    }
    assert.equal(await query(), 'status = todo assignee = none')
    await page.goto(`${stage.url}/automations/${id}/edit`)
    await page.locator('.react-flow__node[data-id="all"]').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove filter: Assignee' }).click()
    await filter.getByRole('button', { name: 'Advanced' }).click()
    await filter.page().getByLabel('Filter text').fill('status = todo OR priority = high')
    await filter.getByRole('group', { name: 'Advanced filter' }).waitFor()
    await saveFlow(page)
    assert.equal(await query(), 'status = todo OR priority = high')
    await page.getByLabel('Filter text').fill('status =')
    await page
      .getByRole('alert')
      .filter({ hasText: /^Is not a filter: Expected a value after "=", found the end \(at character 9\)\.$/ })
      .waitFor()
  })

  it('take a list of items, or fixed tasks: the one replaces the other, and undo brings it back', async () => {
    const id = await make(
      'Lists',
      row({ id: 'make', type: 'task.create_many', config: { tasks: [{ title: 'One' }] } } as never),
    )
    const { page } = await stage.visit(`/automations/${id}/edit`)
    await page.locator('.react-flow__node[data-id="make"]').focus()
    await page.keyboard.press('Enter')
    const panel = page.getByRole('complementary', { name: 'Settings of Create several tasks' })
    await panel.getByLabel('Which tasks').selectOption('items')
    await panel.getByLabel('Maximum number of items').fill('5')
    await saveFlow(page)
    const config = async () => (await stage.atrium.automationFlows.retrieve(id)).graph.nodes[1]?.config
    assert.deepEqual(await config(), {
      items: { $expr: 'task.labels' },
      max_items: 5,
      set: { title: { $expr: 'item' } },
    })
    await panel.getByLabel('Which tasks').selectOption('listed')
    await panel.getByRole('textbox', { name: 'Title of task 1', exact: true }).fill('Two')
    await saveFlow(page)
    assert.deepEqual(await config(), { tasks: [{ title: 'Two' }] })
  })

  it('formulas of a called flow have a value for the inputs of a call, assumed or given', async () => {
    const id = await make('Called', {
      schema_version: 8,
      nodes: [
        {
          id: 'called',
          type: 'trigger.call',
          config: {
            inputs: [{ key: 'days', kind: 'integer', required: true, label: 'Days to plan' }],
            takes_task: true,
          },
        },
        { id: 'long', type: 'condition', config: { expr: 'call.days > 5' } },
        { id: 'say', type: 'task.comment', config: { body: 'Long' } },
      ],
      edges: [
        { source: 'called', target: 'long' },
        { source: 'long', target: 'say' },
      ],
    })
    const watched = await stage.visit(`/automations/${id}/edit`)
    const { page } = watched
    await page.locator('.react-flow__node[data-id="long"]').focus()
    await page.keyboard.press('Enter')
    const panel = page.getByRole('complementary', { name: 'Settings of Condition' })
    await panel.locator('.cm-content').click()
    const value = panel.getByLabel('Value of If')
    await value.getByText('false').waitFor()
    await panel.getByText('Inputs of the call to try with').click()
    await panel.getByLabel('Days to plan').fill('7')
    await value.getByText('true').waitFor()
    await forgetShifts(page)
    await checkPage(watched, 'flow-call-formula')
  })

  it('notes are written where they stand, after a double click, and moved by a finger', async () => {
    const id = await make('Annotated', row({ id: 'say', type: 'task.comment', config: { body: 'Yes' } } as never))
    const note = { id: 'n1', text: 'Ask Ada', x: 0, y: -200, width: 220, height: 120, color: 'yellow' as const }
    await stage.atrium.automationFlows.update(id, { notes: [note] })
    const watched = await stage.visit(`/automations/${id}/edit`)
    const { page } = watched
    const card = page.locator('.react-flow__node-note')
    await card.dblclick()
    const text = card.getByRole('textbox', { name: 'Text of the note' })
    await text.waitFor()
    await page.keyboard.type(' and Ben')
    // A key of the canvas is a key of the text here.
    await page.keyboard.press('Backspace')
    await forgetShifts(page)
    await checkPage(watched, 'flow-note-in-place')
    await page.keyboard.press('Escape')
    await card.getByText('Ask Ada and Be').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await card.getByText('Ask Ada', { exact: true }).waitFor()
    await card.dblclick()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('Ask Ben')
    await page.locator('.react-flow__pane').click({ position: { x: 10, y: 10 } })
    await card.getByText('Ask Ben').waitFor()
    await saveFlow(page)
    // As on a phone, whose browser knows fingers when the page is loaded.
    const finger = await page.context().newCDPSession(page)
    await finger.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 1 })
    await page.setViewportSize({ width: 390, height: 844 })
    await page.reload()
    await card.waitFor()
    await settled(page)
    const from = (await card.boundingBox()) ?? assert.fail()
    const at = { x: from.x + from.width / 2, y: from.y + from.height / 2 }
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', by: number) =>
      finger.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: type === 'touchEnd' ? [] : [{ x: at.x + by, y: at.y + by / 2 }],
      })
    await touch('touchStart', 0)
    for (let by = 10; by <= 60; by += 10) await touch('touchMove', by)
    await touch('touchEnd', 60)
    await settled(page)
    await page.setViewportSize({ width: 1440, height: 900 })
    await saveFlow(page)
    const [saved] = (await stage.atrium.automationFlows.retrieve(id)).notes
    assert.equal(saved?.text, 'Ask Ben')
    // Right and below of where it was.
    assert.ok((saved?.x ?? 0) > 20 && (saved?.y ?? -200) > -195, JSON.stringify(saved))
  })

  it('a run of an earlier version without permissions says so, and goes on after they are renewed', async () => {
    const { atrium } = stage
    const key = await atrium.apiKeys.create({
      name: 'Old',
      scopes: ['automations:write', 'tasks:read', 'comments:write'],
    })
    const theirs = new Atrium({ apiKey: key.secret ?? '', baseUrl: stage.server.url, maxRetries: 0 })
    const nap = { id: 'nap', type: 'delay', config: { seconds: 3600 } }
    const say = { id: 'say', type: 'task.comment', config: { body: 'Awake' } }
    const id = await make('Sleeps', { ...row(nap, say), schema_version: 1 }, theirs)
    await activate(id, theirs)
    const run = await startByHand(stage.server.services, id, task)
    await drainRuns(stage.server.services)
    await atrium.automationFlows.pause(id, { workspace })
    await activate(id)
    await atrium.apiKeys.delete(key.id)
    const watched = await stage.visit(`/automations/runs/${run.id}?workspace=${workspace}`)
    const { page } = watched
    const notice = page.getByRole('alert').filter({ hasText: 'The permissions of version 1 have ended' })
    await notice.getByText('The next step of this run fails until a person renews them.').waitFor()
    await forgetShifts(page)
    await checkPage(watched, 'run-without-permissions')
    await notice.getByRole('button', { name: 'Renew' }).click()
    const dialog = page.getByRole('dialog', { name: 'Renew the permissions of version 1' })
    await dialog.getByLabel('Allow it to read tasks and write comments').click()
    await checkPage(watched, 'run-renewal')
    await dialog.getByRole('button', { name: 'Renew' }).click()
    await dialog.waitFor({ state: 'detached' })
    await notice.waitFor({ state: 'detached' })
    const { versions } = await atrium.automationFlows.versions(id)
    assert.deepEqual(
      versions.map(({ version, authority }) => [version, authority.status]),
      [
        [2, 'valid'],
        [1, 'valid'],
      ],
    )
  })
})

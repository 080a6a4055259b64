/** Automations are built in the browser: from a recipe, and on the canvas by mouse and by keyboard. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { checkAxe, checkPage, forgetShifts, settled, withoutStatus } from './checks.ts'
import { makeFlow, saveFlow } from './flows.ts'
import { confirmIfAsked, stageOf } from './stage.ts'

describe('automations', () => {
  const stage = stageOf()
  let workspace: string
  before(async () => {
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
    const project = (await stage.atrium.projects.create({ workspace, name: 'Booking' })).id
    await stage.atrium.tasks.create({ workspace, project, title: 'Doors stay open', labels: ['bug'] })
  })

  const flowOf = async (path: string) => {
    const id = /flow_[0-9A-Z]{26}/.exec(path)?.[0] ?? assert.fail(path)
    return await stage.atrium.automationFlows.retrieve(id)
  }

  it('are installed from a recipe: its questions, the draft, and the preview on a task', async () => {
    const watched = await stage.visit('/automations')
    const { page } = watched
    await page.getByRole('link', { name: 'New automation' }).click()
    await page.getByRole('heading', { name: 'New automation' }).waitFor()
    // Each recipe has a picture of its graph, with a card per step.
    const recipes = page.locator('.recipe')
    await page
      .locator('.recipe-picture')
      .nth((await recipes.count()) - 1)
      .waitFor()
    assert.equal(await page.locator('.recipe .recipe-picture').count(), await recipes.count())
    const reporter = page.getByRole('button', { name: /^Tell the reporter when a bug is done/ })
    assert.equal(await reporter.locator('.recipe-card').count(), 3)
    await checkPage(watched, 'flows-gallery')
    const begun = Date.now()
    await reporter.click()
    await page
      .getByRole('dialog', { name: 'Tell the reporter when a bug is done' })
      .getByRole('img', { name: /^The steps: Something happens, Condition, / })
      .waitFor()
    await checkPage(watched, 'flows-recipe')
    await page.getByLabel('Label').fill("doesn't work")
    await page.getByRole('button', { name: 'Install and preview' }).click()
    await page.getByRole('dialog', { name: /^Preview Tell the reporter/ }).waitFor()
    assert.ok(Date.now() - begun < 60_000, 'a recipe is installed within a minute')
    const flow = await flowOf(page.url())
    assert.equal(flow.status, 'draft')
    assert.deepEqual(flow.graph.nodes[1]?.config, { expr: "'doesn\\'t work' in task.labels" })
  })

  it('post to a chat that is added on the way: its URL is stored as a secret, and the graph has its name', async () => {
    const watched = await stage.visit('/automations/new')
    const { page } = watched
    await page.getByRole('button', { name: /^Report overdue tasks to a chat/ }).click()
    await page.getByRole('button', { name: 'New chat' }).click()
    const dialog = page.getByRole('dialog', { name: 'New chat' })
    await dialog.getByLabel('Name').fill('team_chat')
    await dialog.getByLabel('URL of the webhook').fill('https://hooks.slack.com/services/T0/B0/secret')
    await checkPage(watched, 'flows-new-chat')
    await dialog.getByRole('button', { name: 'Add' }).click()
    const selected = page.getByRole('dialog', { name: 'Report overdue tasks to a chat' }).getByText('team_chat')
    await confirmIfAsked(page, selected)
    await selected.waitFor()
    await page.getByRole('button', { name: 'Install and preview' }).click()
    await page.getByRole('dialog', { name: /^Preview Report overdue tasks/ }).waitFor()
    const { graph } = await flowOf(page.url())
    assert.equal(graph.schema_version, 2)
    assert.deepEqual(graph.nodes.at(-1)?.config, {
      secret: 'team_chat',
      text: { $template: 'Overdue: {{ task.key }} {{ task.title }}' },
    })
    await page.goto(page.url().replace('?preview=1', '/sentence'))
    await page.getByRole('region', { name: 'Then: Post to a chat' }).waitFor()
    await checkPage(watched, 'flows-chat-sentence')
  })

  it('take requests of another system: previewed with a sample, at an address that is shown and can be replaced', async () => {
    const watched = await stage.visit('/automations/new')
    const { page } = watched
    await page.getByRole('button', { name: /^Intake by webhook/ }).click()
    const questions = page.getByRole('dialog', { name: 'Intake by webhook' })
    await questions.getByRole('button', { name: /^Assign to/ }).click()
    await page.getByRole('listbox').getByRole('option').first().click()
    await page.getByRole('button', { name: 'Install and preview' }).click()
    const preview = page.getByRole('dialog', { name: /^Preview Intake/ })
    await preview.getByLabel('Body of the request').fill('{"title": "The lamp is broken"}')
    await preview.getByRole('button', { name: 'Task' }).click()
    await page.getByRole('option', { name: /Doors stay open/ }).click()
    await checkPage(watched, 'flows-hook-preview')
    await preview.getByRole('button', { name: 'Preview', exact: true }).click()
    const result = page.getByRole('dialog', { name: /^What Intake by webhook would do/ })
    await result.getByText('The lamp is broken').first().waitFor()
    await result.getByRole('checkbox').check()
    await result.getByRole('button', { name: 'Activate' }).click()
    await result.waitFor({ state: 'detached' })
    const address = page.getByRole('button', { name: /^Copy http/ })
    await address.waitFor()
    // What the activation adds moves what is below it, on a busy machine later than an input explains.
    await forgetShifts(page)
    await checkPage(watched, 'flows-hook-address')
    const first = (await address.getAttribute('title')) ?? assert.fail('no address')
    const send = async (url: string) =>
      (await fetch(url, { method: 'POST', body: '{"title": "Sent"}', headers: { 'content-type': 'application/json' } }))
        .status
    assert.equal(await send(first), 202)
    await page.getByRole('button', { name: 'Replace' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const second = (await address.getAttribute('title')) ?? assert.fail('no address')
    assert.notEqual(second, first)
    assert.deepEqual([await send(first), await send(second)], [404, 202])
  })

  it('are built on the canvas: steps from ports, settings by name, problems at the step, undo, and one save', async () => {
    const watched = await stage.visit('/automations/new')
    const { page } = watched
    await page.getByRole('button', { name: 'Start on the canvas' }).click()
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.waitForURL(/\/edit$/)
    await page.getByRole('button', { name: 'Add a step after Something happens' }).click()
    await page.getByRole('menuitem', { name: 'Condition' }).click()
    await page.getByRole('textbox', { name: 'If', exact: true }).fill("'bug' in task.label")
    await page.getByText('1 problem').waitFor()
    await page.getByText('Problem', { exact: true }).waitFor()
    await page.getByRole('textbox', { name: 'If', exact: true }).fill("'bug' in task.labels")
    await page.getByText('No problems').waitFor()
    await page.getByRole('button', { name: 'Add a step after Condition: Yes' }).click()
    await page.getByRole('menuitem', { name: 'Assign task' }).click()
    await page.getByRole('button', { name: 'Assignee as a value' }).click()
    await page
      .getByRole('complementary')
      .getByRole('button', { name: /^Assignee(?! by)/ })
      .click()
    await page.getByRole('listbox').getByRole('option').nth(1).click()
    await page.getByText('No problems').waitFor()
    // Each draft with a problem is refused with 400, which the browser logs.
    watched.errors.splice(0, watched.errors.length, ...withoutStatus(watched.errors, 400))
    // The refusal of a formula moved the fields below it.
    await forgetShifts(page)
    await checkPage(watched, 'flows-canvas')
    const before = await flowOf(page.url())
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Preview and activate' }).waitFor()
    const after = await flowOf(page.url())
    assert.equal(after.revision, before.revision + 1)
    assert.deepEqual(
      after.graph.nodes.map(({ id, type }) => [id, type]),
      [
        ['event', 'trigger.event'],
        ['comment', 'task.comment'],
        ['condition', 'condition'],
        ['assign', 'task.assign'],
      ],
    )
    assert.deepEqual(after.graph.edges, [
      { source: 'event', target: 'comment' },
      { source: 'event', target: 'condition' },
      { source: 'condition', port: 'true', target: 'assign' },
    ])
  })

  it('offer the fields whose change a trigger waits for by name, because an unknown name starts nothing', async () => {
    const { id } = (await stage.atrium.automationFlows.list({ limit: 1 })).data[0] ?? assert.fail('no flow')
    const { page } = await stage.visit(`/automations/${id}/edit`)
    const watched = page.getByRole('button', { name: 'Only if one of these changed' })
    await page.locator('.react-flow__node[data-id="event"]').click()
    await watched.click()
    await page.keyboard.type('prio')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await watched.getByText('Priority').waitFor()
    await saveFlow(page)
    const { graph } = await stage.atrium.automationFlows.retrieve(id)
    assert.partialDeepStrictEqual(graph.nodes[0]?.config, { changed_fields: ['priority'] })
  })

  it('are edited by keyboard: select, remove, undo, also when the focus was on what is gone; unsaved changes survive a reload', async () => {
    const { id, graph_hash } = (await stage.atrium.automationFlows.list({ limit: 1 })).data[0] ?? assert.fail('no flow')
    const { page } = await stage.visit(`/automations/${id}/edit`)
    const card = page.locator('.react-flow__node[data-id="comment"]')
    await card.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('complementary', { name: 'Settings of Comment on task' }).waitFor()
    await card.focus()
    await page.keyboard.press('Delete')
    await card.waitFor({ state: 'detached' })
    await page.waitForFunction(() => document.activeElement === document.body)
    await page.keyboard.press('Control+z')
    await card.waitFor()
    await page.keyboard.press('Control+Shift+z')
    await card.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save' }).waitFor()
    await page.reload()
    await page.locator('.react-flow__node[data-id="condition"]').waitFor()
    assert.equal(await card.count(), 0)
    assert.equal((await stage.atrium.automationFlows.retrieve(id)).graph_hash, graph_hash)
  })

  it('take a step behind the selected one: connected, in the way to what follows, and undone in one step', async () => {
    const comment = (id: string) => ({ id, type: 'task.comment', config: { body: id } })
    const graph = {
      schema_version: 1,
      nodes: [{ id: 'begin', type: 'trigger.manual', config: {} }, comment('first'), comment('last')],
      edges: [
        { source: 'begin', target: 'first' },
        { source: 'first', target: 'last' },
      ],
    }
    const id = await makeFlow(stage.atrium, { workspace }, 'Grows', graph)
    const watched = await stage.visit(`/automations/${id}/edit`)
    const { page } = watched
    const card = (step: string) => page.locator(`.react-flow__node[data-id="${step}"]`)
    const add = async (title: string) => {
      // By keyboard, as by mouse.
      await page.getByRole('button', { name: 'Add step', exact: true }).press('Enter')
      await page.getByRole('menuitem', { name: title }).press('Enter')
    }
    await card('first').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('complementary', { name: 'Settings of Comment on task' }).waitFor()
    await add('Start timer')
    await page.getByRole('complementary', { name: 'Settings of Start timer' }).waitFor()
    await page.getByText('No problems').waitFor()
    // The result of the check is wider than the word before it.
    await forgetShifts(page)
    await checkPage(watched, 'flows-add-behind')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Preview and activate' }).waitFor()
    await page.getByRole('button', { name: 'Redo' }).click()
    // With nothing selected: behind the only step that leads nowhere.
    await page.locator('.react-flow__pane').click({ position: { x: 20, y: 20 } })
    await page.getByRole('complementary').waitFor({ state: 'detached' })
    await add('Stop timer')
    await page.getByText('No problems').waitFor()
    await saveFlow(page)
    const { graph: saved } = await stage.atrium.automationFlows.retrieve(id)
    assert.deepEqual(saved.edges, [
      { source: 'begin', target: 'first' },
      { source: 'first', target: 'start' },
      { source: 'start', target: 'last' },
      { source: 'last', target: 'stop' },
    ])
    const left = new Map(saved.nodes.map((node) => [node.id, node.ui?.x ?? 0]))
    const inOrder = ['begin', 'first', 'start', 'last', 'stop'].map((step) => left.get(step) ?? 0)
    assert.ok(
      inOrder.every((x, i) => i === 0 || x - (inOrder[i - 1] ?? 0) >= 232),
      `from left to right: ${inOrder}`,
    )
  })

  it('show the ports of a large flow, with buttons that add a step as large as a finger needs at each zoom', async () => {
    const ports = ['a', 'b', 'c', 'default']
    const graph = {
      schema_version: 1,
      nodes: [
        { id: 'begin', type: 'trigger.manual', config: {} },
        { id: 'sort', type: 'switch', config: { cases: ports.slice(0, 3).map((port) => ({ port, expr: 'true' })) } },
        ...ports.flatMap((port) => [
          { id: `test_${port}`, type: 'condition', config: { expr: 'true' } },
          { id: `yes_${port}`, type: 'task.comment', config: { body: 'Yes' } },
          { id: `no_${port}`, type: 'task.comment', config: { body: 'No' } },
        ]),
      ],
      edges: [
        { source: 'begin', target: 'sort' },
        ...ports.flatMap((port) => [
          { source: 'sort', port, target: `test_${port}` },
          { source: `test_${port}`, target: `yes_${port}` },
          { source: `test_${port}`, port: 'false', target: `no_${port}` },
        ]),
      ],
    } as never
    const { id } = await stage.atrium.automationFlows.create({ workspace, name: 'Large', graph })
    const watched = await stage.visit(`/automations/${id}/edit`)
    const { page } = watched
    const adds = page.getByRole('button', { name: /^Add a step after/ })
    await adds.first().waitFor()
    await settled(page)
    await checkAxe(page, 'a large flow')
    // One per step, and none where those of two ports would touch.
    assert.deepEqual(await adds.count(), 9)
    const { width = 0, height = 0 } = (await adds.first().boundingBox()) ?? {}
    assert.deepEqual([Math.round(width), Math.round(height)], [24, 24])
    await page.getByText('Otherwise', { exact: true }).nth(1).waitFor()
    const zoomIn = page.getByRole('button', { name: 'Zoom In' })
    await zoomIn.click()
    await page.getByRole('button', { name: 'Add a step after Switch: A' }).waitFor()
    await settled(page)
    await checkAxe(page, 'a large flow, zoomed in')
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('button', { name: 'Fit View' }).click()
    await adds.first().waitFor({ state: 'detached' })
    await settled(page)
    await checkAxe(page, 'a large flow on a phone')
    await page.setViewportSize({ width: 1440, height: 900 })
    assert.deepEqual(watched.violations, [])
  })
})

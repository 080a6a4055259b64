/** Notes on the canvas, the map of a large flow, and the test of a flow from its editor: by mouse, by keyboard, on a phone. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { checkAxe, checkPage, forgetShifts, settled } from './checks.ts'
import { openHarbour, saveFlow } from './flows.ts'
import { stageOf } from './stage.ts'

describe('the canvas of a flow', () => {
  const stage = stageOf()
  let workspace: string
  let task: string
  before(async () => {
    ;({ workspace, task } = await openHarbour(stage, 'Doors stay open'))
  })

  /** A flow of `count` comments in a row. */
  async function makeFlow(name: string, count: number): Promise<string> {
    const ids = ['by_hand', ...Array.from({ length: count }, (_, i) => `say_${i + 1}`)]
    const graph = {
      schema_version: 1,
      nodes: ids.map((id, i) =>
        i === 0
          ? { id, type: 'trigger.manual', config: {} }
          : { id, type: 'task.comment', config: { body: `Word ${i}` } },
      ),
      edges: ids.slice(1).map((target, i) => ({ source: ids[i] ?? '', target })),
    }
    return (await stage.atrium.automationFlows.create({ workspace, name, graph: graph as never })).id
  }

  const notes = (page: Page) => page.locator('.react-flow__node-note')
  const retrieve = (id: string) => stage.atrium.automationFlows.retrieve(id)

  it('takes notes: written, colored, copied, undone and saved beside the graph, which keeps its hash', async () => {
    const id = await makeFlow('Annotated', 2)
    const first = await retrieve(id)
    const watched = await stage.visit(`/automations/${id}/edit`)
    const { page } = watched
    await page.getByRole('button', { name: 'Add note' }).click()
    const panel = page.getByRole('complementary', { name: 'Settings of the note' })
    await panel.getByLabel('Text').fill('Ask Ada before this is changed')
    await panel.getByLabel('Color').selectOption('blue')
    await notes(page).getByText('Ask Ada before this is changed').waitFor()
    await forgetShifts(page)
    await checkPage(watched, 'flow-note')
    // By keyboard: move, copy, paste, remove, undo.
    const note = notes(page).first()
    await note.focus()
    await page.keyboard.press('Enter')
    const before = (await note.boundingBox()) ?? assert.fail()
    for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowRight')
    const moved = (await note.boundingBox()) ?? assert.fail()
    assert.ok(moved.x > before.x, `${moved.x} is not right of ${before.x}`)
    await page.keyboard.press('Control+c')
    await page.keyboard.press('Control+v')
    assert.equal(await notes(page).count(), 2)
    await notes(page).nth(1).focus()
    await page.keyboard.press('Delete')
    assert.equal(await notes(page).count(), 1)
    await page.getByRole('button', { name: 'Undo' }).click()
    assert.equal(await notes(page).count(), 2)
    await saveFlow(page)
    const saved = await retrieve(id)
    assert.deepEqual(
      saved.notes.map(({ text, color }) => [text, color]),
      [
        ['Ask Ada before this is changed', 'blue'],
        ['Ask Ada before this is changed', 'blue'],
      ],
    )
    assert.equal(saved.graph_hash, first.graph_hash)
    assert.deepEqual(saved.graph, first.graph)
    assert.ok((saved.notes[0]?.x ?? 0) !== (saved.notes[1]?.x ?? 0))
    assert.deepEqual([watched.violations, watched.errors], [[], []])
  })

  it('takes notes of an active flow, whose steps stay locked, and shows them on its page', async () => {
    const id = await makeFlow('Active', 1)
    const { preview_token } = await stage.atrium.automationFlows.preview(id, { workspace, task })
    await stage.atrium.automationFlows.activate(id, { workspace, preview_token, scope_acknowledged: true })
    const { page } = await stage.visit(`/automations/${id}/edit`)
    await page.getByText('This flow is active').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Add step' }).count(), 0)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('button', { name: 'Add note' }).click()
    await page.getByRole('complementary', { name: 'Settings of the note' }).getByLabel('Text').fill('On call: Ben')
    await page.locator('.react-flow__node[data-id="say_1"]').focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Delete')
    assert.equal(await page.locator('.react-flow__node[data-id="say_1"]').count(), 1)
    await saveFlow(page)
    const { status, notes: kept, version } = await retrieve(id)
    assert.deepEqual([status, version, kept.map(({ text }) => text)], ['active', 1, ['On call: Ben']])
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
    await page.setViewportSize({ width: 1440, height: 900 })
    const shown = await stage.visit(`/automations/${id}`)
    await notes(shown.page).getByText('On call: Ben').waitFor()
    await settled(shown.page)
    await checkAxe(shown.page, 'a flow with a note')
  })

  it('keeps what is typed while it is being saved', async () => {
    const id = await makeFlow('Typed on', 1)
    const { page } = await stage.visit(`/automations/${id}/edit`)
    await page.locator('.react-flow__node[data-id="say_1"]').focus()
    await page.keyboard.press('Enter')
    const text = page.getByRole('textbox', { name: 'Comment' })
    const { promise: isTyped, resolve: typed } = Promise.withResolvers<void>()
    await page.route(`**/v1/automation_flows/${id}*`, async (route) => {
      if (route.request().method() === 'PATCH' && route.request().headers().prefer === undefined) await isTyped
      await route.continue()
    })
    await text.fill('First')
    await page.getByRole('button', { name: 'Save' }).click()
    await text.fill('First, and more')
    typed()
    await page.getByText('Typed on saved').waitFor()
    assert.equal(await text.inputValue(), 'First, and more')
    await saveFlow(page)
    assert.deepEqual((await retrieve(id)).graph.nodes[1]?.config, { body: 'First, and more' })
    assert.equal((await retrieve(id)).revision, 3)
  })

  it('has a map with a name in the colors of the theme, which is hidden where it would cover the flow', async () => {
    const id = await makeFlow('Long', 10)
    const { page } = await stage.visit(`/automations/${id}/edit`)
    const map = page.getByRole('img', { name: 'Mini Map' })
    await map.waitFor()
    const color = async (theme: 'light' | 'dark') => {
      await page.emulateMedia({ colorScheme: theme })
      await settled(page)
      return await page.locator('.flow-map').evaluate((element) => getComputedStyle(element).backgroundColor)
    }
    assert.notEqual(await color('light'), await color('dark'))
    await checkAxe(page, 'a flow with a map in dark')
    await page.emulateMedia({ colorScheme: null })
    // A click on the map's left end brings the first step into the middle.
    for (let i = 0; i < 3; i++) await page.getByRole('button', { name: 'Zoom In' }).click()
    await settled(page)
    const first = page.locator('.react-flow__node[data-id="by_hand"]')
    const from = (await first.boundingBox()) ?? assert.fail()
    const box = (await map.boundingBox()) ?? assert.fail()
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width / 2 - 20, box.y + box.height / 2, { steps: 4 })
    await page.mouse.up()
    await settled(page)
    assert.notEqual((await first.boundingBox())?.x, from.x)
    await page.setViewportSize({ width: 390, height: 844 })
    await map.waitFor({ state: 'hidden' })
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  it('tests a changed draft with one button: it is saved, run and rolled back, and the picture shows the path', async () => {
    const id = await makeFlow('Tested', 2)
    const watched = await stage.visit(`/automations/${id}/edit`)
    const { page } = watched
    await page.locator('.react-flow__node[data-id="say_2"]').focus()
    await page.keyboard.press('Enter')
    const settings = page.getByRole('complementary', { name: 'Settings of Comment on task' })
    await settings.getByRole('textbox', { name: 'Comment', exact: true }).fill('Tested word')
    await page.getByRole('button', { name: 'Test flow' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Test Tested' })
    // The task that changed last is chosen already.
    await dialog.getByText(/Doors stay open/).waitFor()
    await checkPage(watched, 'flow-test-dialog')
    await dialog.getByRole('button', { name: 'Test', exact: true }).press('Enter')
    const result = page.getByRole('complementary', { name: 'Result of the test' })
    await result.getByText('Tested word').waitFor()
    assert.equal(await page.locator('.flow-card').getByText('Would run').count(), 2)
    await forgetShifts(page)
    await checkPage(watched, 'flow-test')
    const { data } = await stage.atrium.tasks.comments.list(task)
    assert.deepEqual(data, [])
    const flow = await retrieve(id)
    assert.deepEqual([flow.status, flow.graph.nodes[2]?.config], ['draft', { body: 'Tested word' }])
    await page.setViewportSize({ width: 390, height: 844 })
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
    await page.setViewportSize({ width: 1440, height: 900 })
    await result.getByRole('button', { name: 'End test' }).click()
    assert.equal(await page.locator('.flow-card').getByText('Would run').count(), 0)
  })
})

/** Notes on the canvas of a flow: beside the graph, so neither its hash nor its state, previews and runs depend on them. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { type Desk, openDesk, smallGraph } from '../../../test/automations/desk.ts'
import { assertRefused } from '../../../test/conformance/answers.ts'
import { onEveryEngine } from '../../../test/engines.ts'
import { openWorld, type World } from '../../../test/world.ts'
import { automation_limits } from '../../automations/limits.ts'

const note = (id: string, text = 'Ask first') => ({ id, text, x: 10, y: -20.5, width: 200, height: 120, color: 'blue' })

onEveryEngine('notes on a flow', (engine) => {
  let world: World
  let desk: Desk
  before(async () => {
    world = await openWorld(engine)
    desk = await openDesk(world)
  })
  after(async () => world?.close())

  const patch = (flow: string, body: object) => world.call('PATCH', `/v1/automation_flows/${flow}`, { body })

  it('are kept as they are sent, at creation and by an update; a flow has none at first', async () => {
    const plain = await desk.draft(smallGraph())
    assert.deepEqual(plain.notes, [])
    const flow = await desk.draft(smallGraph(), { notes: [note('one')] })
    assert.deepEqual(flow.notes, [note('one')])
    const { body } = await patch(flow.id, { notes: [note('two', ''), note('one')] })
    assert.deepEqual(body.notes, [note('two', ''), note('one')])
    assert.equal(body.graph_hash, plain.graph_hash)
  })

  it('of an active flow change without a pause: state, version and hash stay, with one event and one audit entry', async () => {
    const flow = await desk.activate(smallGraph())
    await world.markWritten()
    const { status, body } = await patch(flow.id, { notes: [note('one')] })
    assert.equal(status, 200)
    const { updated, ...changed } = body
    const { updated: _, ...before } = flow
    assert.deepEqual(changed, { ...before, notes: [note('one')], revision: flow.revision + 1 })
    assert.ok(updated >= flow.updated)
    const written = { events: ['automation.flow.updated'], audit: ['automation_flows.update'] }
    await world.assertWritten(written)
    assert.deepEqual((await patch(flow.id, { notes: [note('one')] })).body, body)
    await world.assertWritten({ events: [], audit: [] })
  })

  it('leave a preview valid and a paused flow paused', async () => {
    const { id } = await desk.draft(smallGraph())
    const { preview_token } = await desk.preview(id)
    await patch(id, { notes: [note('one')] })
    const body = { workspace: desk.workspace, preview_token, scope_acknowledged: true }
    assert.equal((await world.make(`/v1/automation_flows/${id}/activate`, body)).status, 'active')
    await world.make(`/v1/automation_flows/${id}/pause`, { workspace: desk.workspace })
    assert.equal((await patch(id, { notes: [] })).body.status, 'paused')
  })

  it('do not let other fields change while the flow is active', async () => {
    const { id } = await desk.activate(smallGraph())
    assertRefused(await patch(id, { notes: [note('one')], name: 'Other' }), 'resource_conflict', null)
    assert.deepEqual((await world.get(`/v1/automation_flows/${id}`)).body.notes, [])
  })

  it('change together with the graph in one update', async () => {
    const { id } = await desk.draft(smallGraph())
    const { body } = await patch(id, { notes: [note('one')], graph: smallGraph('Bye') })
    assert.deepEqual([body.notes, body.graph, body.revision], [[note('one')], smallGraph('Bye'), 2])
    const again = await patch(id, { notes: [], graph: smallGraph('Bye') })
    assert.deepEqual([again.body.notes, again.body.revision], [[], 3])
  })

  it('are bounded in number, size, place and bytes, and have ids of their own; the error names the note', async () => {
    const { id } = await desk.draft(smallGraph())
    const { automation_notes_max: most, automation_note_chars_max: chars } = automation_limits
    const many = Array.from({ length: most + 1 }, (_, i) => note(`n${i}`))
    const wrong: readonly [readonly object[], string][] = [
      [many, 'notes'],
      [[note('one'), note('one')], 'notes[1].id'],
      [[note('One')], 'notes[0].id'],
      [[note('one', 'x'.repeat(chars + 1))], 'notes[0].text'],
      [[{ ...note('one'), x: 2_000_000 }], 'notes[0].x'],
      [[{ ...note('one'), width: 1 }], 'notes[0].width'],
      [[{ ...note('one'), color: 'pink' }], 'notes[0].color'],
      [[{ ...note('one'), more: 1 }], 'notes[0].more'],
      [many.slice(1).map((each) => ({ ...each, text: 'x'.repeat(chars) })), 'notes'],
    ]
    for (const [notes, param] of wrong) assertRefused(await patch(id, { notes }), 'invalid_request_body', param)
    assert.equal((await patch(id, { notes: many.slice(1) })).status, 200)
  })
})

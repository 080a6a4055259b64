import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openDesk, smallGraph } from '../../../test/automations/desk.ts'
import { assertRefused } from '../../../test/conformance/answers.ts'
import { onEveryWorld, openFirst } from '../../../test/world.ts'

onEveryWorld('pausing a flow', (world) => {
  const desk = openFirst(() => openDesk(world))

  const pause = (id: string, body: object = {}) =>
    world.post(`/v1/automation_flows/${id}/pause`, { workspace: desk.workspace, ...body })

  it('keeps the time, the origin and the reason, which is in the audit log too', async () => {
    const flow = await desk.activate(smallGraph())
    await world.markWritten()
    const reply = await pause(flow.id, { reason: 'Too noisy' })
    assert.deepEqual(reply.body, {
      ...{ ...flow, status: 'paused', revision: flow.revision + 1 },
      ...{ paused_at: 1785844800, pause_reason: 'Too noisy', pause_origin: 'user' },
    })
    await world.assertWritten({ events: ['automation.flow.paused'], audit: ['automation_flows.pause'] })
    const [entry] = (await world.get(`/v1/audit_logs?target=${flow.id}&limit=1`)).body.data
    assert.deepEqual([entry.reason, entry.changed_fields.includes('status')], ['Too noisy', true])
    const [event] = (await world.get('/v1/events?limit=1')).body.data
    assert.deepEqual(event.data.object, reply.body)
    assert.equal(event.data.previous_attributes.status, 'active')
  })

  it('requires no reason; an empty reason is null, and a reason has at most 2,000 characters', async () => {
    for (const body of [{}, { reason: '' }]) {
      const { id } = await desk.activate(smallGraph())
      assertRefused(await pause(id, { reason: 'x'.repeat(2001) }), 'invalid_request_body', 'reason')
      assert.equal((await pause(id, body)).body.pause_reason, null)
      assert.equal((await world.get(`/v1/audit_logs?target=${id}&limit=1`)).body.data[0].reason, null)
    }
  })

  it('is refused unless the flow is active', async () => {
    const draft = await desk.draft(smallGraph())
    assertRefused(await pause(draft.id), 'resource_conflict', null)
    const { id } = await desk.activate(smallGraph())
    assert.equal((await pause(id, { reason: 'x'.repeat(2000) })).status, 200)
    await world.markWritten()
    assertRefused(await pause(id, { reason: 'Again' }), 'resource_conflict', null)
    await world.assertWritten({ events: [], audit: [] })
    assertRefused(
      await world.post(`/v1/automation_flows/${id}/pause`, { workspace: desk.id('elsewhere') }),
      'resource_not_found',
    )
  })

  it('happens to the active flows of a deleted project, and to no others', async () => {
    const { workspace } = desk
    const project = (await world.make('/v1/projects', { workspace, name: 'Short' })).id
    const first = await desk.activate(smallGraph(), { project })
    const second = await desk.activate(smallGraph(), { project })
    const draft = await desk.draft(smallGraph(), { project })
    const apart = await desk.activate(smallGraph(), { project: desk.project })
    await world.markWritten()
    await world.delete(`/v1/projects/${project}`)
    await world.assertWritten({
      events: ['workflow.project.deleted', 'automation.flow.paused', 'automation.flow.paused'],
      audit: ['projects.delete'],
    })
    for (const flow of [first, second]) {
      const { body } = await world.get(`/v1/automation_flows/${flow.id}`)
      assert.deepEqual(
        [body.status, body.project, body.pause_origin, body.pause_reason],
        ['paused', project, 'system', 'The project was deleted.'],
      )
    }
    for (const flow of [draft, apart]) {
      assert.deepEqual((await world.get(`/v1/automation_flows/${flow.id}`)).body, flow)
    }
  })
})

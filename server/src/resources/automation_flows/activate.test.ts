import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { it } from 'node:test'
import { openDesk, smallGraph } from '../../../test/automations/desk.ts'
import { assertRefused } from '../../../test/conformance/answers.ts'
import { onEveryWorld, openFirst } from '../../../test/world.ts'
import { type Placeholder, query } from '../../db/query.ts'
import { flowVersion } from './shared/queries.ts'

const clocksOf = query((db, p: Placeholder<{ realm: number; flow: string }>) =>
  db
    .selectFrom('automation_clocks')
    .select(['node', 'kind', 'version'])
    .where('realm', '=', p('realm'))
    .where('flow', '=', p('flow'))
    .orderBy('node'),
)

/** Three triggers and a comment. */
function clockedGraph() {
  const graph = smallGraph()
  const daily = {
    id: 'daily',
    type: 'trigger.schedule',
    config: { cron: '0 9 * * *', timezone: 'UTC', task_query: 'x' },
  }
  const due = { id: 'due', type: 'trigger.due', config: { offset_seconds: -60 } }
  const edges = [...graph.edges, { source: 'daily', target: 'say' }, { source: 'due', target: 'say' }]
  return { ...graph, nodes: [...graph.nodes, daily, due], edges }
}

onEveryWorld('activating a flow', (world) => {
  const desk = openFirst(() => openDesk(world))

  const path = (id: string, verb: string) => `/v1/automation_flows/${id}/${verb}`
  const body = (preview_token: string, more: object = {}) => {
    return { workspace: desk.workspace, preview_token, scope_acknowledged: true, ...more }
  }
  const reader = () => world.services.store.reader('system')
  const clocks = async (flow: string) => await reader().all(clocksOf, { realm: world.acme.realms.live, flow })

  it('makes it active in its first version, which keeps the graph, the scopes and the credential that activated it', async () => {
    const graph = clockedGraph()
    const flow = await desk.draft(graph)
    const { preview_token } = await desk.preview(flow.id)
    await world.markWritten()
    const reply = await world.post(path(flow.id, 'activate'), body(preview_token))
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual(reply.body, {
      ...{ ...flow, status: 'active', version: 1, revision: 2 },
      ...{ activated_at: 1785844800, activated_by: { type: 'organization', id: world.acme.id } },
      authority: {
        ...{ acts_for: { type: 'organization', id: world.acme.id }, status: 'valid', reason: null },
        ...{ ended_at: null, renewed_at: null },
      },
    })
    await world.assertWritten({ events: ['automation.flow.activated'], audit: ['automation_flows.activate'] })
    assert.deepEqual(await flowVersion(reader(), world.acme.realms.live, flow.id, 1), {
      realm: world.acme.realms.live,
      flow: flow.id,
      version: 1,
      created: world.clock.now(),
      graph: JSON.stringify(graph),
      graph_hash: flow.graph_hash,
      mode: 'live',
      name: null,
      scopes: JSON.stringify(flow.required_scopes),
      credential: world.acme.keyId,
      activated_by_type: 'organization',
      activated_by_id: world.acme.id,
      authority_credential: null,
      authority_type: null,
      authority_id: null,
      authority_renewed_at: null,
    })
    assert.deepEqual(await clocks(flow.id), [
      { node: 'daily', kind: 'schedule', version: 1 },
      { node: 'due', kind: 'due', version: 1 },
    ])
  })

  it('counts versions, and may be in shadow mode', async () => {
    const { id } = await desk.activate(clockedGraph(), { mode: 'shadow' })
    assert.deepEqual(
      [(await world.get(`/v1/automation_flows/${id}`)).body.mode, (await clocks(id)).length],
      ['shadow', 2],
    )
    await world.make(path(id, 'pause'), { workspace: desk.workspace })
    assert.deepEqual(await clocks(id), [])
    const { preview_token } = await desk.preview(id)
    const again = await world.make(path(id, 'activate'), body(preview_token))
    assert.deepEqual([again.version, again.mode, again.status], [2, 'live', 'active'])
    assert.equal((await flowVersion(reader(), world.acme.realms.live, id, 1))?.mode, 'shadow')
    assert.deepEqual([again.paused_at, again.pause_reason, again.pause_origin], [null, null, null])
    const wrong = await world.post(path(id, 'activate'), body(preview_token, { mode: 'loud' }))
    assertRefused(wrong, 'invalid_request_body', 'mode')
  })

  it('accepts a token once, and no token of another flow, credential or graph', async () => {
    const flow = await desk.draft(smallGraph())
    const other = await desk.draft(smallGraph())
    const { preview_token: token } = await desk.preview(flow.id)
    const refuse = async (id: string, sent: string, key = world.acme.key) => {
      const reply = await world.post(path(id, 'activate'), body(sent), { key })
      assertRefused(reply, 'resource_conflict', 'preview_token')
    }
    await world.markWritten()
    for (const wrong of ['prv_never', `${token}x`, token.slice(0, -1), token.toUpperCase()])
      await refuse(flow.id, wrong)
    await refuse(other.id, token)
    await refuse(flow.id, token, (await world.key()).secret)
    await world.assertWritten({ events: [], audit: [] })
    const key = { idempotencyKey: randomUUID() }
    const first = await world.post(path(flow.id, 'activate'), body(token), key)
    assert.equal(first.status, 200, first.text)
    await world.make(path(flow.id, 'pause'), { workspace: desk.workspace })
    await refuse(flow.id, token)
    assert.equal((await world.post(path(flow.id, 'activate'), body(token), key)).text, first.text)
    for (const change of [{ name: 'Renamed' }, { project: desk.project }, { graph: smallGraph('Changed') }]) {
      const { preview_token } = await desk.preview(other.id)
      assert.equal((await world.patch(`/v1/automation_flows/${other.id}`, change)).status, 200)
      await refuse(other.id, preview_token)
    }
  })

  it('accepts a token for 15 minutes while its task exists', async () => {
    const flow = await desk.draft(smallGraph())
    const preview = await desk.preview(flow.id)
    assert.equal(preview.expires_at, Math.floor(world.clock.now() / 1000) + 900)
    world.clock.advance(15 * 60_000)
    const late = await world.post(path(flow.id, 'activate'), body(preview.preview_token))
    assertRefused(late, 'resource_conflict', 'preview_token')
    const { workspace } = desk
    const task = (await world.make('/v1/tasks', { workspace, title: 'Short-lived' })).id
    const { preview_token } = await world.make(path(flow.id, 'preview'), { workspace, task })
    await world.delete(`/v1/tasks/${task}`)
    const gone = await world.post(path(flow.id, 'activate'), body(preview_token))
    assertRefused(gone, 'resource_conflict', 'preview_token')
    const fresh = await desk.preview(flow.id)
    world.clock.advance(15 * 60_000 - 1)
    assert.equal((await world.post(path(flow.id, 'activate'), body(fresh.preview_token))).status, 200)
  })

  it('happens once when several requests arrive together', async () => {
    const flow = await desk.draft(smallGraph())
    const { preview_token } = await desk.preview(flow.id)
    const asked = Array.from({ length: 8 }, () => world.post(path(flow.id, 'activate'), body(preview_token)))
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    assert.deepEqual(statuses.sort(), [200, ...Array(7).fill(409)])
    assert.equal((await world.get(`/v1/automation_flows/${flow.id}`)).body.version, 1)
  })

  it('requires the acknowledgement of the scopes and a credential that has them', async () => {
    const flow = await desk.draft(smallGraph())
    const { key } = { key: (await world.key({ scopes: ['automations:write', 'tasks:read'] })).secret }
    const preview = await desk.preview(flow.id, { key })
    assert.deepEqual(preview.required_scopes, ['tasks:read', 'comments:write'])
    assert.deepEqual(preview.missing_scopes, ['comments:write'])
    for (const scope_acknowledged of [false, undefined, null, 'true', 1]) {
      const reply = await world.post(path(flow.id, 'activate'), body(preview.preview_token, { scope_acknowledged }))
      assertRefused(reply, 'invalid_request_body', 'scope_acknowledged')
    }
    const reply = await world.post(path(flow.id, 'activate'), body(preview.preview_token), { key })
    assertRefused(reply, 'insufficient_scope', null)
    assert.match(reply.body.error.message, /comments:write/)
    assert.equal((await world.get(`/v1/automation_flows/${flow.id}`)).body.status, 'draft')
  })

  it('is refused while the flow is active, in an archived project, and if its project or a referenced object was deleted', async () => {
    const { id } = await desk.activate(smallGraph())
    const { preview_token: token } = await desk.preview(id)
    assertRefused(await world.post(path(id, 'activate'), body(token)), 'resource_conflict', null)
    const project = (await world.make('/v1/projects', { workspace: desk.workspace, name: 'Brief' })).id
    const column = (await world.make('/v1/columns', { workspace: desk.workspace, project, name: 'Doing' })).id
    const graph = smallGraph()
    const moving = { id: 'say', type: 'task.move', config: { project, column } }
    const mover = await desk.draft({ ...graph, nodes: [...graph.nodes.slice(0, 1), moving] })
    const inside = await desk.draft(graph, { project })
    const outcome = async (flow: string) => {
      const preview = await desk.preview(flow)
      const reply = await world.post(path(flow, 'activate'), body(preview.preview_token))
      return { reply, missing: preview.warnings.map(({ param }: { param: string }) => param) }
    }
    await world.delete(`/v1/columns/${column}`)
    const at = 'graph.nodes[1].config.column'
    const lost = await outcome(mover.id)
    assertRefused(lost.reply, 'resource_conflict', at)
    assert.deepEqual(lost.missing, [at])
    await world.make(`/v1/projects/${project}/archive`, {})
    assertRefused((await outcome(inside.id)).reply, 'resource_conflict', null)
    await world.delete(`/v1/projects/${project}`)
    assertRefused((await outcome(inside.id)).reply, 'resource_conflict', null)
    await world.patch(`/v1/automation_flows/${inside.id}`, { project: null })
    assert.equal((await outcome(inside.id)).reply.status, 200)
  })
})

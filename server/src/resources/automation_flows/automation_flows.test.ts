import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openDesk, smallGraph } from '../../../test/automations/desk.ts'
import { goodGraph } from '../../../test/automations/good-graph.ts'
import { assertRefused } from '../../../test/conformance/answers.ts'
import { onEveryWorld, openFirst } from '../../../test/world.ts'
import { eventTypes } from '../../api/declare/event.ts'
import { graphHash } from '../../automations/graph-hash.ts'

onEveryWorld('automation flows', (world) => {
  const desk = openFirst(() => openDesk(world))

  const path = '/v1/automation_flows'

  it('a flow is created as a draft, with its required scopes, an event and an audit entry', async () => {
    await world.markWritten()
    const graph = smallGraph()
    const made = await world.make(path, { workspace: desk.workspace, project: desk.project, name: 'Look', graph })
    assert.deepEqual(made, {
      id: made.id,
      object: 'automation_flow',
      created: 1785844800,
      updated: 1785844800,
      workspace: desk.workspace,
      project: desk.project,
      name: 'Look',
      graph,
      graph_hash: graphHash(graph),
      status: 'draft',
      mode: 'live',
      version: 0,
      required_scopes: ['tasks:read', 'comments:write'],
      uses_ai: false,
      activated_at: null,
      activated_by: null,
      authority: null,
      paused_at: null,
      pause_reason: null,
      pause_origin: null,
      last_run_at: null,
      last_named_version: null,
      notes: [],
      revision: 1,
    })
    await world.assertWritten({ events: ['automation.flow.created'], audit: ['automation_flows.create'] })
    assert.deepEqual((await world.get(`${path}/${made.id}`)).body, made)
    assert.equal((await world.get(`${path}/${made.id}?workspace=${desk.id('elsewhere')}`)).status, 404)
  })

  it('the graph keeps its order of keys, and its hash does not depend on the order', async () => {
    const raw = `{"workspace":"${desk.workspace}","name":"Order","graph":{"edges":[{"target":"say","source":"by_hand"}],
      "nodes":[{"type":"trigger.manual","id":"by_hand","config":{}},
      {"config":{"body":"Hello"},"type":"task.comment","ui":{"y":1e1,"x":0},"id":"say"}],"schema_version":1}}`
    const reply = await world.call('POST', path, { raw })
    assert.equal(reply.status, 200, reply.text)
    const written =
      '"graph":{"edges":[{"target":"say","source":"by_hand"}],"nodes":[{"type":"trigger.manual","id":"by_hand","config":{}},' +
      '{"config":{"body":"Hello"},"type":"task.comment","ui":{"y":10,"x":0},"id":"say"}],"schema_version":1}'
    assert.ok(reply.text.includes(written), reply.text)
    assert.equal(reply.body.graph_hash, graphHash(JSON.parse(raw).graph))
  })

  it('a graph with every type of node is accepted if all references exist', async () => {
    const made = await world.make(path, { workspace: desk.workspace, name: 'All', graph: desk.filled(goodGraph()) })
    assert.deepEqual(made.required_scopes, ['tasks:read', 'tasks:write', 'comments:write', 'time_entries:write'])
    assert.equal(made.uses_ai, true)
  })

  it('a flow requires the read scope of each object whose events it watches', async () => {
    const watched = new Map([...eventTypes.values()].map(({ type, noun }) => [noun, type]))
    for (const [noun, type] of watched) {
      if (!type.startsWith('workflow.')) continue
      const graph = {
        schema_version: 1,
        nodes: [
          { id: 'watch', type: 'trigger.event', config: { event_types: [type] } },
          { id: 'end', type: 'stop', config: { outcome: 'succeeded' } },
        ],
        edges: [{ source: 'watch', target: 'end' }],
      }
      const flow = await world.make(path, { workspace: desk.workspace, name: type, graph })
      assert.ok(flow.required_scopes.includes(noun.readScope), `${type} does not require ${noun.readScope}.`)
    }
  })

  it('all faults of a graph are reported at once, of all kinds, in the order of the graph', async () => {
    const graph = {
      schema_version: 9,
      nodes: [
        { id: 't', type: 'trigger.event', config: { event_types: ['workflow.task.exploded'] } },
        { id: 'a', type: 'task.comment', config: { body: { $template: '{{ task.titel ' } } },
        { id: 'b', type: 'task.move', config: { project: 'prj_none', column: desk.column } },
        { id: 'c', type: 'condition', config: { expr: 'task.title' } },
        { id: 'alone', type: 'task.complete', config: {} },
      ],
      edges: [
        { source: 't', target: 'a' },
        { source: 'a', target: 'b' },
        { source: 'b', target: 'c' },
        { source: 'c', target: 'missing' },
      ],
    }
    await world.markWritten()
    const reply = await world.post(path, { workspace: desk.workspace, name: 'Wrong', graph })
    assertRefused(reply, 'invalid_request_body', 'graph.schema_version')
    assert.deepEqual(
      reply.body.error.details.map(({ param }: { param: string }) => param),
      [
        'graph.schema_version',
        'graph.nodes[0].config.event_types[0]',
        'graph.nodes[1].config.body',
        'graph.nodes[2].config.project',
        'graph.nodes[2].config.column',
        'graph.nodes[3].config.expr',
        'graph.nodes[4]',
        'graph.edges[3].target',
      ],
    )
    await world.assertWritten({ events: [], audit: [] })
    const { graph: _graph, ...body } = { workspace: desk.workspace, name: 'None', graph }
    assertRefused(await world.post(path, body), 'invalid_request_body', 'graph')
    for (const wrong of [[], 'graph', null, 5]) {
      assertRefused(await world.post(path, { ...body, graph: wrong }), 'invalid_request_body', 'graph')
    }
    assertRefused(
      await world.post(path, { ...body, graph: {} }),
      'invalid_request_body',
      'graph.schema_version',
      'an empty one',
    )
  })

  it('a graph has at most 256 KiB', async () => {
    const sized = (bytes: number) => {
      const graph = smallGraph()
      const long = (text: string, i: number) => ({ id: `say${i}`, type: 'task.comment', config: { body: text } })
      const nodes = [...graph.nodes.slice(0, 1), ...Array.from({ length: 4 }, (_, i) => long('x'.repeat(60_000), i))]
      const edges = nodes.slice(1).map(({ id }, i) => ({ source: (nodes[i] as { id: string }).id, target: id }))
      const filling =
        bytes - JSON.stringify({ ...graph, nodes: [...nodes, long('', 9)], edges: [...edges, edges[0]] }).length
      const last = { source: 'say3', target: 'say9' }
      return { ...graph, nodes: [...nodes, long('y'.repeat(filling), 9)], edges: [...edges, last] }
    }
    const { length: fixed } = JSON.stringify(sized(250_000))
    const [fits, over] = [262_144, 262_145].map((bytes) => sized(bytes + 250_000 - fixed))
    assert.deepEqual([JSON.stringify(fits).length, JSON.stringify(over).length], [262_144, 262_145])
    const send = (graph: unknown) => world.post(path, { workspace: desk.workspace, name: 'Long', graph })
    assert.equal((await send(fits)).status, 200)
    const reply = await send(over)
    assertRefused(reply, 'invalid_request_body', 'graph')
    assert.match(reply.body.error.message, /262144 bytes/)
  })

  it('the project of a flow belongs to the workspace and is not archived', async () => {
    const body = { workspace: desk.workspace, name: 'In a project', graph: smallGraph() }
    for (const project of ['prj_none', desk.id('elsewhere_project'), desk.id('deleted_project')]) {
      assertRefused(await world.post(path, { ...body, project }), 'invalid_request_body', 'project')
    }
    assertRefused(
      await world.post(path, { ...body, project: desk.id('archived_project') }),
      'resource_conflict',
      'project',
    )
    assert.equal((await world.make(path, { ...body, project: null })).project, null)
  })

  it('flows are listed by workspace and project', async () => {
    const { workspace, project } = await desk.fresh()
    const make = (more: object) => world.make(path, { workspace, name: 'Listed', graph: smallGraph(), ...more })
    const [inside, outside] = [await make({ project }), await make({})]
    const list = async (query: string) => (await world.get(`${path}?${query}`)).body.data
    assert.deepEqual(await list(`workspace=${workspace}`), [outside, inside])
    assert.deepEqual(await list(`workspace=${workspace}&project=${project}`), [inside])
    assert.deepEqual(await list(`project=${project}&fields=id,status`), [{ id: inside.id, status: 'draft' }])
    assertRefused(await world.get(`${path}?project=prj_none`), 'invalid_query_parameter', 'project')
  })

  it('a draft is changed as a whole or in part; null removes its project', async () => {
    const flow = await world.make(path, {
      ...{ workspace: desk.workspace, project: desk.project },
      ...{ name: 'First', graph: smallGraph() },
    })
    await world.markWritten()
    const graph = smallGraph('Another text')
    const changed = await world.patch(`${path}/${flow.id}`, { name: 'Second', project: null, graph })
    assert.deepEqual(changed.body, {
      ...{ ...flow, name: 'Second', project: null, graph, graph_hash: graphHash(graph) },
      ...{ updated: changed.body.updated, revision: 2 },
    })
    await world.assertWritten({ events: ['automation.flow.updated'], audit: ['automation_flows.update'] })
    const bad = await world.patch(`${path}/${flow.id}`, { name: 'Third', graph: { ...graph, edges: [] } })
    assertRefused(bad, 'invalid_request_body', 'graph.edges')
    assertRefused(await world.patch(`${path}/${flow.id}`, { workspace: desk.id('elsewhere') }), 'resource_not_found')
    assertRefused(
      await world.patch(`${path}/${flow.id}`, { name: 'Late' }, { headers: { 'if-match': '1' } }),
      'resource_conflict',
      'If-Match',
    )
    assert.deepEqual((await world.get(`${path}/${flow.id}`)).body, changed.body)
  })

  it('an update with the same name, project or an equal graph changes nothing', async () => {
    const graph = smallGraph()
    const flow = await world.make(path, { workspace: desk.workspace, name: 'Same', graph })
    await world.markWritten()
    const { nodes, ...rest } = graph
    const reordered = { ...rest, nodes: nodes.map(({ id, ...node }) => ({ ...node, id })) }
    for (const body of [undefined, {}, { name: 'Same', project: null }, { graph }, { graph: reordered }]) {
      const reply = await world.patch(`${path}/${flow.id}`, body)
      assert.deepEqual(reply.body, flow)
    }
    await world.assertWritten({ events: [], audit: [] })
  })

  it('an active flow cannot be changed; a changed paused flow becomes a draft without a pause reason', async () => {
    const { id, ...active } = await desk.activate(smallGraph())
    await world.markWritten()
    for (const body of [{ name: 'Other' }, {}, { graph: smallGraph('x') }]) {
      assertRefused(await world.patch(`${path}/${id}`, body), 'resource_conflict', null)
    }
    await world.assertWritten({ events: [], audit: [] })
    const { workspace } = desk
    const paused = await world.make(`${path}/${id}/pause`, { workspace, reason: 'Rework' })
    assert.deepEqual((await world.patch(`${path}/${id}`, { name: paused.name })).body, paused)
    const draft = (await world.patch(`${path}/${id}`, { name: 'Reworked' })).body
    assert.deepEqual(draft, {
      ...{ id, ...active, name: 'Reworked', status: 'draft', updated: draft.updated },
      revision: paused.revision + 1,
    })
  })
})

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openDesk } from '../../../test/automations/desk.ts'
import { goodGraph, nodeIn } from '../../../test/automations/good-graph.ts'
import { assertRefused } from '../../../test/conformance/answers.ts'
import { onEveryWorld, openFirst } from '../../../test/world.ts'
import { newId } from '../../lib/ids.ts'

type Config = Record<string, unknown>

onEveryWorld('a reference of a graph', (world) => {
  const desk = openFirst(() => openDesk(world))

  /** Creates a flow whose graph has other settings in one node; `null` omits a field. */
  async function create(node: string, config: Config) {
    const graph = desk.filled(goodGraph())
    const changed = nodeIn(graph, node)
    for (const [name, value] of Object.entries(config)) {
      if (value === undefined) delete changed.config[name]
      else changed.config[name] = value
    }
    return await world.post('/v1/automation_flows', { workspace: desk.workspace, name: 'Named', graph })
  }

  async function refuse(node: string, config: Config, param: string, says: RegExp) {
    const reply = await create(node, config)
    assertRefused(reply, 'invalid_request_body', param, JSON.stringify(config))
    assert.match(reply.body.error.message, says)
    assert.equal(reply.body.error.details, undefined, reply.text)
  }

  const usable = /that can be used here/

  it('is a project of the workspace that is not archived', async () => {
    const at = 'graph.nodes[10].config.project'
    for (const name of ['elsewhere_project', 'deleted_project']) {
      await refuse('move', { project: desk.id(name), column: undefined }, at, usable)
    }
    await refuse('move', { project: newId('prj', 1), column: undefined }, at, usable)
    await refuse('move', { project: desk.task, column: undefined }, at, usable)
    await refuse('move', { project: desk.id('archived_project'), column: undefined }, at, /archived/)
    const stranger = await world.make('/v1/workspaces', { title: 'Theirs' }, { key: world.globex.key })
    const body = { workspace: stranger.id, name: 'Theirs' }
    const theirs = await world.make('/v1/projects', body, { key: world.globex.key })
    await refuse('move', { project: theirs.id, column: undefined }, at, usable)
  })

  it('is a column of the project in the same config', async () => {
    const at = 'graph.nodes[10].config.column'
    await refuse('move', { column: desk.id('other_column') }, at, /of another project/)
    await refuse('move', { project: undefined, column: desk.id('elsewhere_column') }, at, usable)
    await refuse('move', { project: null }, at, /without its project/)
    await refuse('move', { column: newId('col', 1) }, at, usable)
    const made = 'graph.nodes[16].config.column'
    await refuse('create', { project: undefined, column: desk.column }, made, /without its project/)
    await refuse('create', { column: desk.id('other_column') }, made, /of another project/)
    const passed: [string, Config][] = [
      ['move', { project: undefined }],
      ['move', { project: { $expr: 'task.project' }, column: desk.id('other_column') }],
      ['move', { project: desk.id('other_project'), column: desk.id('other_column') }],
      ['create', { column: desk.column }],
    ]
    for (const [node, config] of passed) assert.equal((await create(node, config)).status, 200, JSON.stringify(config))
  })

  it('in a task created in another workspace, belongs to that workspace', async () => {
    const workspace = desk.id('elsewhere')
    const at = 'graph.nodes[16].config.project'
    await refuse('create', { workspace }, at, usable)
    const project = desk.id('elsewhere_project')
    const column = desk.id('elsewhere_column')
    assert.equal((await create('create', { workspace, project, column })).status, 200)
    await refuse(
      'create',
      { workspace: newId('wsp', 1), project: undefined },
      'graph.nodes[16].config.workspace',
      usable,
    )
  })

  it('is an active member, or for timers the service user', async () => {
    const at = 'graph.nodes[6].config.assignee'
    await refuse('assign', { assignee: newId('usr', 1) }, at, usable)
    await refuse('assign', { assignee: world.globex.user }, at, usable)
    await refuse('assign', { assignee: desk.id('inactive_user') }, at, /not active/)
    const entry = await world.make('/v1/time_entries', {
      ...{ workspace: desk.workspace, task: desk.task },
      ...{ started_at: 1_785_800_000, duration_ms: 1000 },
    })
    await refuse('assign', { assignee: entry.user }, at, usable)
    assert.equal((await create('start', { user: entry.user })).status, 200)
    await refuse('start', { user: desk.id('inactive_user') }, 'graph.nodes[19].config.user', /not active/)
  })

  it('is a task of the workspace, by id or key', async () => {
    const at = 'graph.nodes[17].config.to'
    const { key } = (await world.get(`/v1/tasks/${desk.task}`)).body
    assert.equal((await create('link', { to: key })).status, 200)
    await refuse('link', { to: desk.id('elsewhere_task') }, at, usable)
    await refuse('link', { to: 'NONE-1' }, at, usable)
    const gone = (await world.make('/v1/tasks', { workspace: desk.workspace, title: 'Gone' })).id
    await world.delete(`/v1/tasks/${gone}`)
    await refuse('done', { task: gone }, 'graph.nodes[21].config.task', usable)
  })

  it('is a template of the workspace, and a secret of the realm', async () => {
    const at = 'graph.nodes[18].config.template'
    await refuse('from', { template: desk.id('elsewhere_template') }, at, usable)
    await refuse('from', { template: newId('tpl', 1) }, at, usable)
    await refuse('hook', { secret: 'other_key' }, 'graph.nodes[13].config.secret', /no secret/)
    const workspace = (await world.make('/v1/workspaces', { title: 'Test' }, { key: world.acme.testKey })).id
    const nodes = [
      { id: 'by_hand', type: 'trigger.manual', config: {} },
      { id: 'hook', type: 'http.request', config: { method: 'GET', url: 'https://example.com/', secret: 'hook_key' } },
    ]
    const graph = { schema_version: 1, nodes, edges: [{ source: 'by_hand', target: 'hook' }] }
    const body = { workspace, name: 'In the test realm', graph }
    const reply = await world.post('/v1/automation_flows', body, { key: world.acme.testKey })
    assertRefused(reply, 'invalid_request_body', 'graph.nodes[1].config.secret')
    assert.equal((await world.post('/v1/automation_flows', { ...body, workspace: desk.workspace })).status, 200)
  })

  it('in a task query is part of a filter expression, not a saved filter', async () => {
    const at = 'graph.nodes[1].config.task_query'
    await refuse('morning', { task_query: newId('flt', 1) }, at, /saved filter/)
    await refuse('morning', { task_query: 'status =' }, at, /not a filter: .*[^.]\.$/)
  })

  it('in a filter exists, whichever setting it is of, and is not `me`', async () => {
    const by_hand = { id: 'by_hand', type: 'trigger.manual', config: {} }
    const schedule = { cron: '0 9 * * *', timezone: 'UTC', max_tasks: 5 }
    const set = { priority: 'high' }
    const refused = async (query: string, says: RegExp) => {
      const daily = { id: 'daily', type: 'trigger.schedule', config: { ...schedule, task_query: query } }
      const all = { id: 'all', type: 'task.update_many', config: { query, max_tasks: 5, set } }
      const note = { id: 'note', type: 'stop', config: { outcome: 'succeeded' } }
      for (const [nodes, field] of [
        [[daily, note], 'nodes[0].config.task_query'],
        [[by_hand, all], 'nodes[1].config.query'],
      ] as const) {
        const edges = [{ source: nodes[0].id, target: nodes[1].id }]
        const graph = { schema_version: 8, nodes, edges }
        const reply = await world.post('/v1/automation_flows', { workspace: desk.workspace, name: 'Filtered', graph })
        assertRefused(reply, 'invalid_request_body', `graph.${field}`, query)
        assert.match(reply.body.error.message, says)
      }
    }
    await refused('project = "Nowhere"', /is not a filter: .*Nowhere.*[^.]\.$/)
    await refused('assignee = me', /is not a filter: .*me.*[^.]\.$/)
  })

  it('is looked up with all others, and each missing one is reported', async () => {
    const graph = goodGraph()
    const reply = await world.post('/v1/automation_flows', { workspace: desk.workspace, name: 'Nothing', graph })
    assertRefused(reply, 'invalid_request_body', 'graph.nodes[6].config.assignee')
    assert.deepEqual(
      reply.body.error.details.map(({ param }: { param: string }) => param.replace(/^graph\.nodes/, '')),
      [
        ...['[6].config.assignee', '[10].config.project', '[10].config.column', '[16].config.project'],
        ...['[17].config.to', '[18].config.template', '[19].config.user'],
      ],
    )
  })
})

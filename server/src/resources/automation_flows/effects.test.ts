import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { openDesk, smallGraph } from '../../../test/automations/desk.ts'
import { assertRefused } from '../../../test/conformance/answers.ts'
import { onEveryWorld, openFirst } from '../../../test/world.ts'
import { automation_limits } from '../../automations/limits.ts'

const chat = { method: 'POST', url: 'https://chat.example.com/hooks/1', body: { text: 'x' } }

/** When a bug is completed: a label, a comment, a task with a label, and two calls, one of whose addresses is computed. */
const graph = {
  schema_version: 1,
  nodes: [
    { id: 'done', type: 'trigger.event', config: { event_types: ['workflow.task.completed'] } },
    { id: 'is_bug', type: 'condition', config: { expr: "'bug' in task.labels" } },
    { id: 'mark', type: 'task.label', config: { add: ['fixed'] } },
    { id: 'say', type: 'task.comment', config: { body: { $template: 'Done: {{ task.title }}' } } },
    { id: 'check', type: 'task.create', config: { set: { title: 'Check it' } } },
    // A change of the task that the run has created: it is no existing task.
    { id: 'tag', type: 'task.label', config: { task: { $expr: 'steps.check.output.task.id' }, add: ['check'] } },
    { id: 'post', type: 'http.request', config: chat },
    {
      id: 'ring',
      type: 'http.request',
      config: { ...chat, url: { $template: 'https://{{ task.key }}.example.com/' } },
    },
  ],
  edges: [
    { source: 'done', target: 'is_bug' },
    { source: 'is_bug', port: 'true', target: 'mark' },
    { source: 'mark', target: 'say' },
    { source: 'say', target: 'check' },
    { source: 'check', target: 'tag' },
    { source: 'tag', target: 'post' },
    { source: 'post', target: 'ring' },
  ],
}

onEveryWorld('the effects of recent events', (world) => {
  const desk = openFirst(() => openDesk(world))
  let flow: { readonly id: string; readonly graph_hash: string }
  before(async () => {
    flow = await desk.draft(graph)
  })

  const completed = async (labels: readonly string[]) => {
    const { id } = await world.make('/v1/tasks', { workspace: desk.workspace, title: 'Leak', labels })
    await world.make(`/v1/tasks/${id}/complete`, {})
    return id as string
  }
  const effects = async (id = flow.id) => (await world.get(`/v1/automation_flows/${id}/effects`)).body
  const nothing = {
    ...{ runs: 0, succeeded: 0, failed: 0, tasks_changed: 0, tasks_created: 0, comments_created: 0, calls: [] },
    ...{ oldest_event_at: null, is_complete: true },
  }

  it('are nothing before anything happened, and for a flow that is started by hand', async () => {
    const head = { object: 'automation_effects', automation_flow: flow.id, graph_hash: flow.graph_hash }
    assert.deepEqual(await effects(), { ...head, ...nothing })
    const other = await desk.draft(smallGraph())
    await completed([])
    assert.deepEqual(await effects(other.id), {
      ...{ object: 'automation_effects', automation_flow: other.id, graph_hash: other.graph_hash, ...nothing },
    })
  })

  it('count runs, changed tasks, new tasks, comments and calls by address, and change nothing', async () => {
    const first = await completed(['bug'])
    const since = Math.floor(world.clock.now() / 1000)
    world.clock.advance(60_000)
    // Two runs for one task.
    await world.patch(`/v1/tasks/${first}`, { status: 'todo' })
    await world.make(`/v1/tasks/${first}/complete`, {})
    const gone = await completed(['bug'])
    await world.delete(`/v1/tasks/${gone}`)
    await completed(['bug', 'fixed'])
    await world.markWritten()
    const shown = await effects()
    assert.deepEqual(shown, {
      ...{ object: 'automation_effects', automation_flow: flow.id, graph_hash: flow.graph_hash },
      // The task of the test before, two of the first bug, one of a bug that has the label already; none of the deleted one.
      ...{ runs: 4, succeeded: 4, failed: 0, tasks_changed: 1, tasks_created: 3, comments_created: 3 },
      calls: [
        { node: 'post', automation_flow: null, address: 'https://chat.example.com', count: 3 },
        { node: 'ring', automation_flow: null, address: null, count: 3 },
      ],
      oldest_event_at: since,
      is_complete: true,
    })
    await world.assertWritten({ events: [], audit: [] })
    assert.deepEqual((await world.get(`/v1/tasks/${first}`)).body.labels, ['bug'])
  })

  it('count the addresses that called flows would call, also those that they call themselves', async () => {
    const { workspace } = await desk.fresh()
    const trigger = { id: 'called', type: 'trigger.call', config: {} }
    const post = (url: string) => ({ id: 'post', type: 'http.request', config: { ...chat, url } })
    const activate = async (nodes: readonly { id: string }[]) => {
      const edges = nodes.slice(1).map(({ id }, i) => ({ source: nodes[i]?.id, target: id }))
      const { id } = await desk.draft({ schema_version: 7, nodes, edges }, { workspace })
      const task = (await world.make('/v1/tasks', { workspace, title: 'Sample' })).id
      const { preview_token } = await world.make(`/v1/automation_flows/${id}/preview`, { workspace, task })
      const body = { workspace, preview_token, scope_acknowledged: true }
      return (await world.make(`/v1/automation_flows/${id}/activate`, body)).id as string
    }
    const inner = await activate([trigger, post('https://inner.example.com/x')])
    const call = (flow: string) => ({ id: 'call', type: 'flow.call', config: { flow, wait: false } })
    const outer = await activate([trigger, post('https://chat.example.com/hooks/2'), call(inner)])
    const nodes = [graph.nodes[0] as { id: string }, post('https://chat.example.com/hooks/1'), call(outer)]
    const edges = nodes.slice(1).map(({ id }, i) => ({ source: nodes[i]?.id, target: id }))
    const calling = await desk.draft({ schema_version: 7, nodes, edges }, { workspace })
    const { id } = await world.make('/v1/tasks', { workspace, title: 'Done twice' })
    await world.make(`/v1/tasks/${id}/complete`, {})
    const shown = await effects(calling.id)
    assert.deepEqual(
      [shown.runs, shown.calls],
      [
        1,
        [
          { node: 'post', automation_flow: null, address: 'https://chat.example.com', count: 1 },
          { node: 'post', automation_flow: outer, address: 'https://chat.example.com', count: 1 },
          { node: 'post', automation_flow: inner, address: 'https://inner.example.com', count: 1 },
        ],
      ],
    )
  })

  it('count the runs of schedules and due dates too, the latest first', async () => {
    const { workspace } = await desk.fresh()
    const now = Math.floor(world.clock.now() / 1000)
    const make = (title: string, due_at: number) => world.make('/v1/tasks', { workspace, title, due_at, labels: ['a'] })
    await make('Due', now - 3600)
    await make('Due again', now - 7200)
    await make('Not yet', now + 3600)
    const both = await desk.draft(
      {
        schema_version: 1,
        nodes: [
          {
            id: 'daily',
            type: 'trigger.schedule',
            config: { cron: '0 9 * * *', timezone: 'UTC', task_query: 'title:again' },
          },
          { id: 'due', type: 'trigger.due', config: { offset_seconds: 0 } },
          { id: 'mark', type: 'task.label', config: { add: ['seen'] } },
        ],
        edges: ['daily', 'due'].map((source) => ({ source, target: 'mark' })),
      },
      { workspace },
    )
    const shown = await effects(both.id)
    assert.deepEqual([shown.runs, shown.succeeded, shown.tasks_changed, shown.is_complete], [9, 9, 2, true])
    const hourly = await desk.draft({
      schema_version: 1,
      nodes: [
        { id: 'hourly', type: 'trigger.schedule', config: { cron: '0 * * * *', timezone: 'UTC' } },
        { id: 'create', type: 'task.create', config: { set: { title: 'Look around' } } },
      ],
      edges: [{ source: 'hourly', target: 'create' }],
    })
    const many = await effects(hourly.id)
    const oldest = Math.floor(now / 3600) * 3600 - (automation_limits.automation_effects_max - 1) * 3600
    assert.deepEqual(
      [many.runs, many.tasks_created, many.oldest_event_at, many.is_complete],
      [automation_limits.automation_effects_max, automation_limits.automation_effects_max, oldest, false],
    )
    const { secret } = await world.key({ scopes: ['automations:read'] })
    const narrow = (await world.get(`/v1/automation_flows/${both.id}/effects`, { key: secret })).body
    assert.equal(narrow.runs, 0)
  })

  it('count what would fail, and what the credential may not do', async () => {
    const failing = await desk.draft({
      ...graph,
      nodes: [
        graph.nodes[0],
        { id: 'broken', type: 'task.update', config: { set: { title: { $expr: 'string(task.custom_fields.none)' } } } },
      ],
      edges: [{ source: 'done', target: 'broken' }],
    })
    const { runs, failed, succeeded, tasks_changed } = await effects(failing.id)
    assert.deepEqual({ runs, failed, succeeded, tasks_changed }, { runs: 4, failed: 4, succeeded: 0, tasks_changed: 0 })
    const { secret } = await world.key({ scopes: ['automations:read', 'tasks:read'] })
    const narrow = (await world.get(`/v1/automation_flows/${flow.id}/effects`, { key: secret })).body
    assert.deepEqual([narrow.runs, narrow.tasks_changed, narrow.comments_created], [4, 0, 0])
    const { secret: foreign } = await world.key({ scopes: ['tasks:read'] })
    assertRefused(await world.get(`/v1/automation_flows/${flow.id}/effects`, { key: foreign }), 'insufficient_scope')
  })

  it('end with the latest starts, and say that there are older ones', async () => {
    const { id } = await world.make('/v1/tasks', { workspace: desk.workspace, title: 'Again' })
    for (let i = 0; i < automation_limits.automation_effects_max; i++) {
      await world.make(`/v1/tasks/${id}/complete`, {})
      await world.patch(`/v1/tasks/${id}`, { status: 'todo' })
    }
    const { runs, is_complete } = await effects()
    assert.deepEqual([runs, is_complete], [automation_limits.automation_effects_max, false])
    world.clock.advance(automation_limits.automation_matches_ms + 60_000)
    assert.equal((await effects()).runs, 0)
  })
})

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openDesk, smallGraph } from '../../../test/automations/desk.ts'
import { goodGraph } from '../../../test/automations/good-graph.ts'
import { assertRefused } from '../../../test/conformance/answers.ts'
import { onEveryWorld, openFirst } from '../../../test/world.ts'

/** A trigger on events of tasks, and a comment. */
function watching(config: object) {
  const graph = smallGraph()
  const trigger = { id: 'seen', type: 'trigger.event', config: { event_types: ['workflow.task.updated'], ...config } }
  return { ...graph, nodes: [trigger, graph.nodes[1]], edges: [{ source: 'seen', target: 'say' }] }
}

onEveryWorld('previewing a flow', (world) => {
  const desk = openFirst(() => openDesk(world))

  const preview = async (graph: object, task = desk.task, more: object = {}) => {
    const { id } = await desk.draft(graph, more)
    return await world.make(`/v1/automation_flows/${id}/preview`, { workspace: desk.workspace, task })
  }

  it('shows each step with its changes, the requirements of activation and a token, and changes nothing', async () => {
    const flow = await desk.draft(smallGraph({ $template: 'About {{ task.title }}' }))
    await world.markWritten()
    const shown = await desk.preview(flow.id)
    const [step] = shown.steps
    const [change] = step.changes
    assert.deepEqual(shown, {
      object: 'automation_preview',
      automation_flow: flow.id,
      graph_hash: flow.graph_hash,
      task: desk.task,
      trigger: { type: 'trigger.manual', node: 'by_hand', event: null, status: 'would_start', reason: null },
      steps: [
        {
          ...{ node: 'say', path: [], status: 'would_run', reason: null },
          changes: [
            {
              ...{ type: 'workflow.comment.created', object: 'comment', id: change.id },
              fields: {
                workspace: { from: null, to: desk.workspace },
                task: { from: null, to: desk.task },
                body: { from: null, to: 'About Write it down' },
                mentions: { from: null, to: [] },
                attachments: { from: null, to: [] },
                author: { from: null, to: { type: 'automation', id: flow.id } },
              },
            },
          ],
        },
      ],
      calls: [],
      outcome: 'succeeded',
      required_scopes: ['tasks:read', 'comments:write'],
      missing_scopes: [],
      warnings: [],
      ai_cost: {
        ...{ acknowledgement_required: false, provider: 'none', model: null, requests_per_run_max: 0 },
        ...{ output_tokens_per_run_max: 0, cost_minor_per_run_max: 0, budget_minor_per_day: 0 },
      },
      matches_last_7_days: 0,
      preview_token: shown.preview_token,
      expires_at: Math.floor(world.clock.now() / 1000) + 900,
    })
    assert.match(shown.preview_token, /^prv_[\w-]{43}$/)
    await world.assertWritten({ events: [], audit: ['automation_flows.preview'] })
    assert.equal((await world.get('/v1/audit_logs?limit=1')).body.data[0].workspace, flow.workspace)
    assert.deepEqual((await world.get(`/v1/automation_flows/${flow.id}`)).body, flow)
    assert.deepEqual((await world.get(`/v1/tasks/${desk.task}/comments`)).body.data, [])
  })

  it('executes a step of every type as far as its effect is known, and leaves all data unchanged', async () => {
    const before = (await world.get(`/v1/tasks/${desk.task}`)).text
    await world.markWritten()
    const shown = await preview(desk.filled(goodGraph()))
    const states = new Map(shown.steps.map((step: { node: string; status: string }) => [step.node, step.status]))
    const expected = {
      urgent: 'would_run',
      kind: 'would_skip',
      wait: 'would_wait',
      move: 'would_run',
      hook: 'would_run',
    }
    for (const [node, status] of Object.entries(expected)) assert.equal(states.get(node), status, node)
    assert.equal((await world.get(`/v1/tasks/${desk.task}`)).text, before)
    await world.assertWritten({
      events: ['automation.flow.created'],
      audit: ['automation_flows.create', 'automation_flows.preview'],
    })
  })

  it('starts from the latest event of the task that the trigger watches, or from an assumed one', async () => {
    const { workspace } = desk
    const task = (await world.make('/v1/tasks', { workspace, title: 'Watched' })).id
    const graph = watching({ changed_fields: ['status'], when: "before.status == 'todo' && 'a' in task.labels" })
    const begun = async () => (await preview(graph, task)).trigger
    const trigger = { type: 'trigger.event', node: 'seen', event: 'workflow.task.updated', reason: null }
    const refused = { ...trigger, status: 'would_not_start', reason: 'config.when is false.' }
    assert.deepEqual(await begun(), refused)
    await world.patch(`/v1/tasks/${task}`, { labels: ['a'] })
    assert.deepEqual(await begun(), { ...trigger, status: 'would_start' })
    await world.patch(`/v1/tasks/${task}`, { status: 'blocked' })
    assert.deepEqual(await begun(), { ...trigger, status: 'would_start' }, 'its status was todo before')
    await world.patch(`/v1/tasks/${task}`, { status: 'in_progress' })
    assert.deepEqual(await begun(), refused)
    await world.patch(`/v1/tasks/${task}`, { title: 'Still watched' })
    assert.deepEqual(await begun(), refused, 'another field was not watched')
  })

  it('reports a trigger that cannot be evaluated or has no event, and still shows the steps', async () => {
    const shown = await preview(watching({ when: 'task.custom_fields.size > 3' }))
    assert.equal(shown.trigger.status, 'unknown')
    assert.match(shown.trigger.reason, /size/)
    assert.equal(shown.steps[0].status, 'would_run')
    const graph = watching({ event_types: ['workflow.comment.created'], when: "event.data.object.body == 'go'" })
    const commented = await preview(graph)
    assert.deepEqual([commented.trigger.event, commented.trigger.status], [null, 'unknown'])
    const body = { workspace: desk.workspace, body: 'go' }
    await world.make(`/v1/tasks/${desk.task}/comments`, body)
    const again = await preview(graph)
    assert.deepEqual([again.trigger.event, again.trigger.status], ['workflow.comment.created', 'would_start'])
  })

  it('reports that a task outside the project of the flow starts nothing', async () => {
    const shown = await preview(smallGraph(), desk.task, { project: desk.id('other_project') })
    assert.equal(shown.trigger.status, 'would_not_start')
    assert.match(shown.trigger.reason, /project/)
  })

  it('uses the first trigger whose runs have a task', async () => {
    const graph = smallGraph()
    const weekly = { id: 'weekly', type: 'trigger.schedule', config: { cron: '0 9 * * MON', timezone: 'UTC' } }
    const both = {
      ...graph,
      nodes: [weekly, ...graph.nodes],
      edges: [...graph.edges, { source: 'weekly', target: 'say' }],
    }
    assert.equal((await preview(both)).trigger.node, 'by_hand')
    const create = { id: 'make', type: 'task.create', config: { set: { title: 'Plan' } } }
    const alone = { ...graph, nodes: [weekly, create], edges: [{ source: 'weekly', target: 'make' }] }
    const shown = await preview(alone)
    assert.deepEqual([shown.trigger.node, shown.outcome], ['weekly', 'succeeded'])
  })

  it('counts the events of the last seven days that would have started it', async () => {
    const { workspace } = await desk.fresh()
    const task = (await world.make('/v1/tasks', { workspace, title: 'Counted' })).id
    const make = async () => {
      const graph = watching({ changed_fields: ['priority'] })
      const { id } = await world.make('/v1/automation_flows', { workspace, name: 'Count', graph })
      return (await world.make(`/v1/automation_flows/${id}/preview`, { workspace, task })).matches_last_7_days
    }
    for (const priority of ['low', 'high', 'urgent']) await world.patch(`/v1/tasks/${task}`, { priority })
    await world.patch(`/v1/tasks/${task}`, { title: 'Not counted' })
    assert.equal(await make(), 3)
    world.clock.advance(7 * 86_400_000 + 1)
    assert.equal(await make(), 0)
  })

  it('counts the firings and due tasks of the last seven days that would have started it', async () => {
    const { workspace, project } = await desk.fresh()
    const now = Math.floor(world.clock.now() / 1000)
    const day = 86_400
    const make = async (title: string, due_at: number, more: object = {}) =>
      (await world.make('/v1/tasks', { workspace, project, title, due_at, ...more })).id
    const task = await make('Due yesterday', now - day)
    await make('Due six days ago', now - 6 * day, { labels: ['late'] })
    await make('Due eight days ago', now - 8 * day)
    await make('Due in an hour', now + 3600)
    await world.make(`/v1/tasks/${await make('Done', now - 2 * day)}/complete`, {})
    const count = async (type: string, config: object) => {
      const nodes = [
        { id: 'when', type, config },
        { id: 'make', type: 'task.create', config: { set: { title: 'Plan' } } },
      ]
      const graph = { schema_version: 1, nodes, edges: [{ source: 'when', target: 'make' }] }
      const { id } = await world.make('/v1/automation_flows', { workspace, name: 'Clock', graph })
      return (await world.make(`/v1/automation_flows/${id}/preview`, { workspace, task })).matches_last_7_days
    }
    const schedule = { timezone: 'Europe/Berlin' }
    const counted = [
      await count('trigger.schedule', { ...schedule, cron: '0 9 * * *' }),
      await count('trigger.schedule', { ...schedule, cron: '0 * * * *' }),
      // A firing with a query counts once, whatever number of tasks it matches.
      await count('trigger.schedule', { ...schedule, cron: '0 9 * * *', task_query: 'title:due' }),
      await count('trigger.schedule', { ...schedule, cron: '0 9 * * *', task_query: 'title:nothing' }),
      await count('trigger.due', { offset_seconds: 0 }),
      await count('trigger.due', { offset_seconds: 0, only_open: false }),
      await count('trigger.due', { offset_seconds: -2 * 3600 }),
      await count('trigger.due', { offset_seconds: 0, when: "'late' in task.labels" }),
    ]
    assert.deepEqual(counted, [7, 7 * 24, 7, 0, 2, 3, 3, 1])
  })

  it('requires a task of the workspace that is not deleted, by id or key', async () => {
    const { id } = await desk.draft(smallGraph())
    const path = `/v1/automation_flows/${id}/preview`
    const { workspace } = desk
    const gone = (await world.make('/v1/tasks', { workspace, title: 'Gone' })).id
    await world.delete(`/v1/tasks/${gone}`)
    for (const task of ['tsk_none', desk.id('elsewhere_task'), gone]) {
      assertRefused(await world.post(path, { workspace, task }), 'invalid_request_body', 'task')
    }
    const { key } = (await world.get(`/v1/tasks/${desk.task}`)).body
    assert.equal((await world.make(path, { workspace, task: key })).task, desk.task)
    assertRefused(
      await world.post(path, { workspace: desk.id('elsewhere'), task: desk.task }),
      'resource_not_found',
      null,
    )
  })

  it('shows a step without the required scope as one that would fail', async () => {
    const { id } = await desk.draft(smallGraph())
    const key = (await world.key({ scopes: ['automations:write', 'tasks:read'] })).secret
    const shown = await desk.preview(id, { key })
    assert.deepEqual([shown.missing_scopes, shown.outcome], [['comments:write'], 'failed'])
    assert.match(shown.steps[0].reason, /insufficient_scope/)
    assert.deepEqual(shown.steps[0].changes, [])
  })

  it('neither shows nor tests the content of events that the credential may not read', async () => {
    const body = 'Only for those who read comments'
    await world.make(`/v1/tasks/${desk.task}/comments`, { workspace: desk.workspace, body })
    const when = `event.data.object.body == "${body}"`
    const graph = watching({ event_types: ['workflow.comment.created'], when })
    const { id } = await desk.draft(graph)
    const previewBy = async (scopes: readonly string[]) => {
      const { secret } = await world.key({ scopes: scopes as never })
      const sent = { workspace: desk.workspace, task: desk.task }
      const { status, body: shown } = await world.post(`/v1/automation_flows/${id}/preview`, sent, { key: secret })
      assert.equal(status, 200)
      return [shown.trigger.event, shown.trigger.status, shown.matches_last_7_days, shown.missing_scopes]
    }
    const others = ['automations:write', 'tasks:read', 'comments:write']
    assert.deepEqual(await previewBy([...others, 'comments:read']), ['workflow.comment.created', 'would_start', 1, []])
    assert.deepEqual(await previewBy(others), [null, 'unknown', 0, ['comments:read']])
  })
})

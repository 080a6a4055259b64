/** The effect of each type of step: exactly its rows, events, audit entries and journal entry. */
import assert from 'node:assert/strict'
import { beforeEach, it } from 'node:test'
import { type Placeholder, query } from '../../src/db/query.ts'
import { startByHand } from '../../src/resources/automation_runs/start-by-hand.ts'
import { addTeam } from '../../src/resources/teams/write.ts'
import { drainRuns } from '../../src/workers/automations/runs.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { openDesk } from './desk.ts'
import { chain } from './graphs.ts'

const outputOf = query((db, p: Placeholder<{ realm: number; run: string }>) =>
  db
    .selectFrom('automation_steps')
    .select(['node', 'output'])
    .where('realm', '=', p('realm'))
    .where('run', '=', p('run'))
    .orderBy('number'),
)

const lastAudit = query((db, p: Placeholder<{ organization: string }>) =>
  db
    .selectFrom('audit_entries')
    .select(['entry'])
    .where('organization', '=', p('organization'))
    .orderBy('sequence', 'desc')
    .limit(1),
)

const lastEvents = query((db, p: Placeholder<{ realm: number }>) =>
  db
    .selectFrom('events')
    .select(['type', 'actor_type', 'actor_id', 'credential', 'request', 'causes', 'commit_size'])
    .where('realm', '=', p('realm'))
    .orderBy('sequence', 'desc')
    .limit(2),
)

onEveryWorld('a step of an automation', (world) => {
  const desk = openFirst(() => openDesk(world))
  let task: string
  let flow: string

  beforeEach(async () => {
    const { workspace, project } = desk
    task = (await world.make('/v1/tasks', { workspace, project, title: 'Subject', labels: ['new', 'old'] })).id
  })

  const shown = async (path: string) => (await world.get(path)).body

  /** Activates the graph, starts a run by hand and executes it. Returns the run as GET shows it. */
  async function carryOut(graph: object, subject = task) {
    flow = (await desk.activate(graph)).id
    const run = await startByHand(world.services, flow, subject)
    await world.markWritten()
    await drainRuns(world.services)
    return await shown(`/v1/automation_runs/${run.id}?workspace=${desk.workspace}`)
  }

  async function outputs(run: string): Promise<unknown[]> {
    const rows = await world.services.store.reader('system').all(outputOf, { realm: world.acme.realms.live, run })
    return rows.map(({ output }) => (output === null ? null : JSON.parse(output)))
  }

  const started = 'automation.run.started'
  const succeeded = 'automation.run.succeeded'

  it('a condition asks for the teams that the assignee is in at that moment', async () => {
    const team = await addTeam(world.services, world.acme.id, { name: 'Design' })
    const other = await addTeam(world.services, world.acme.id, { name: 'Sales' })
    const graph = {
      schema_version: 1,
      nodes: [
        { id: 'by_hand', type: 'trigger.manual', config: {} },
        { id: 'ours', type: 'condition', config: { expr: `'${team.id}' in task.teams` } },
        { id: 'say', type: 'task.comment', config: { body: { $template: '{{ size(task.teams) }}' } } },
      ],
      edges: [
        { source: 'by_hand', target: 'ours' },
        { source: 'ours', port: 'true', target: 'say' },
      ],
    }
    const { id } = await desk.activate(graph)
    const said = async () => {
      await startByHand(world.services, id, task)
      await drainRuns(world.services)
      const { data } = await shown(`/v1/tasks/${task}/comments`)
      return data.map(({ body }: { body: string }) => body)
    }
    assert.deepEqual(await said(), [], 'the task has no assignee')
    await world.patch(`/v1/tasks/${task}`, { assignee: desk.id('user') })
    await world.make(`/v1/teams/${other.id}/members`, { user: desk.id('user') })
    assert.deepEqual(await said(), [], 'the assignee is in another team')
    await world.make(`/v1/teams/${team.id}/members`, { user: desk.id('user') })
    assert.deepEqual(await said(), ['2'])
    await world.delete(`/v1/teams/${team.id}/members/${desk.id('user')}`)
    assert.deepEqual(await said(), ['2'], 'the assignee has left the team')
  })

  it('task.update sets fields through the rules of PATCH, in the name of the flow', async () => {
    const set = {
      title: { $template: '{{ task.title }}!' },
      due_at: { $expr: 'now + 60' },
      custom_fields: { round: { $expr: '1 + 1' } },
    }
    const run = await carryOut(chain({ id: 'change', type: 'task.update', config: { set } }))
    await world.assertWritten({ events: [started, 'workflow.task.updated', succeeded], audit: ['tasks.update'] })
    const due_at = Math.floor(world.clock.now() / 1000) + 60
    const changed = await shown(`/v1/tasks/${task}`)
    assert.deepEqual(
      [changed.title, changed.due_at, changed.custom_fields, changed.revision],
      ['Subject!', due_at, { round: 2 }, 2],
    )
    assert.deepEqual(run.steps, [
      {
        number: 1,
        node: 'change',
        path: [],
        status: 'succeeded',
        reason: null,
        port: null,
        changes: [
          {
            type: 'workflow.task.updated',
            object: 'task',
            id: task,
            fields: {
              title: { from: 'Subject', to: 'Subject!' },
              due_at: { from: null, to: due_at },
              custom_fields: { from: {}, to: { round: 2 } },
            },
          },
        ],
        failure: null,
        attempts: 1,
        reused: false,
        correction: null,
        started_at: Math.floor(world.clock.now() / 1000),
        ended_at: Math.floor(world.clock.now() / 1000),
      },
    ])
    assert.deepEqual([run.status, run.usage.steps, run.current_node], ['succeeded', 1, null])
    assert.deepEqual(await outputs(run.id), [{ task: changed, changed: true }])
  })

  it('its events and its audit entry name the flow, the chain of causes, the run and the node', async () => {
    const run = await carryOut(chain({ id: 'change', type: 'task.update', config: { set: { priority: 'high' } } }))
    const reader = world.services.store.reader('system')
    const events = await reader.all(lastEvents, { realm: world.acme.realms.live })
    for (const event of events) {
      const { type: _, ...about } = event
      const causes = JSON.stringify([flow])
      const unassigned = { credential: null, request: null }
      assert.deepEqual(about, { actor_type: 'automation', actor_id: flow, ...unassigned, causes, commit_size: 2 })
    }
    const { entry } = (await reader.first(lastAudit, { organization: world.acme.id })) ?? { entry: '{}' }
    const { action, actor, target, workspace, changed_fields, reason } = JSON.parse(entry)
    assert.deepEqual(
      [action, actor, target],
      ['tasks.update', { type: 'automation', id: flow }, { object: 'task', id: task }],
    )
    assert.deepEqual([workspace, changed_fields], [desk.workspace, ['priority']])
    assert.equal(reason, `Run ${run.id}, node change.`)
  })

  it('a step that changes nothing succeeds and writes nothing', async () => {
    const run = await carryOut(chain({ id: 'same', type: 'task.update', config: { set: { title: 'Subject' } } }))
    await world.assertWritten({ events: [started, succeeded], audit: [] })
    assert.deepEqual([run.steps[0].status, run.steps[0].changes], ['succeeded', []])
    assert.equal(((await outputs(run.id)) as { changed: boolean }[])[0]?.changed, false)
  })

  it('task.move, task.assign and task.label change place, person and labels', async () => {
    const { project, column } = desk
    const run = await carryOut(
      chain(
        { id: 'move', type: 'task.move', config: { project, column } },
        { id: 'assign', type: 'task.assign', config: { assignee: desk.id('user') } },
        {
          id: 'label',
          type: 'task.label',
          config: { add: ['old', { $template: 'by {{ flow.name }}' }], remove: ['new'] },
        },
      ),
    )
    await world.assertWritten({
      events: [started, 'workflow.task.moved', 'workflow.task.updated', 'workflow.task.updated', succeeded],
      audit: ['tasks.move', 'tasks.update', 'tasks.update'],
    })
    const changed = await shown(`/v1/tasks/${task}`)
    assert.deepEqual(
      [changed.column, changed.assignee, changed.labels],
      [column, desk.id('user'), ['old', 'by A flow']],
    )
    assert.deepEqual(
      run.steps.map((step: { changes: { fields: object }[] }) => Object.keys(step.changes[0]?.fields ?? {})),
      [['column'], ['assignee'], ['labels']],
    )
  })

  it('task.complete completes; with only_if_open a canceled task stays canceled', async () => {
    const graph = chain({ id: 'done', type: 'task.complete', config: { only_if_open: true } })
    await carryOut(graph)
    await world.assertWritten({ events: [started, 'workflow.task.completed', succeeded], audit: ['tasks.complete'] })
    await world.patch(`/v1/tasks/${task}`, { status: 'canceled' })
    await carryOut(graph)
    await world.assertWritten({ events: [started, succeeded], audit: [] })
    assert.equal((await shown(`/v1/tasks/${task}`)).status, 'canceled')
  })

  it('task.comment comments as the flow; task.create and templates create tasks of the flow', async () => {
    const { project, column } = desk
    const run = await carryOut(
      chain(
        { id: 'say', type: 'task.comment', config: { body: { $template: 'About {{ task.key }}' } } },
        { id: 'make', type: 'task.create', config: { project, column, set: { title: 'Made', priority: 'low' } } },
        { id: 'copy', type: 'task.create_from_template', config: { template: desk.id('template') } },
      ),
    )
    await world.assertWritten({
      events: [started, 'workflow.comment.created', 'workflow.task.created', 'workflow.task.created', succeeded],
      audit: ['task_comments.create', 'tasks.create', 'task_templates.instantiate'],
    })
    const by = { type: 'automation', id: flow }
    const { data } = await shown(`/v1/tasks/${task}/comments?workspace=${desk.workspace}`)
    const subject = await shown(`/v1/tasks/${task}`)
    assert.deepEqual([data[0].author, data[0].body], [by, `About ${subject.key}`])
    const [said, made, copied] = run.steps.map((step: { changes: { id: string }[] }) => step.changes[0]?.id)
    assert.equal(said, data[0].id)
    const task1 = await shown(`/v1/tasks/${made}`)
    assert.deepEqual([task1.creator, task1.title, task1.column, task1.priority], [by, 'Made', column, 'low'])
    const task2 = await shown(`/v1/tasks/${copied}`)
    assert.deepEqual([task2.creator, task2.title, task2.template], [by, 'Cut it', desk.id('template')])
    assert.deepEqual(
      (await outputs(run.id)).map((output) => Object.keys(output as object)),
      [['comment'], ['task'], ['task']],
    )
  })

  it('task.add_dependency links a task that an earlier step created', async () => {
    const run = await carryOut(
      chain(
        { id: 'make', type: 'task.create', config: { project: desk.project, set: { title: 'First this' } } },
        {
          id: 'link',
          type: 'task.add_dependency',
          config: { task: { $expr: 'steps.make.output.task.id' }, to: task, kind: 'blocks' },
        },
      ),
    )
    await world.assertWritten({
      events: [started, 'workflow.task.created', 'workflow.dependency.created', succeeded],
      audit: ['tasks.create', 'task_dependencies.create'],
    })
    const made = run.steps[0].changes[0].id
    const { data } = await shown(`/v1/tasks/${made}/dependencies?workspace=${desk.workspace}`)
    assert.deepEqual(
      [data[0].from, data[0].to, data[0].kind, data[0].creator],
      [made, task, 'blocks', { type: 'automation', id: flow }],
    )
  })

  it('timer.start starts a user’s timer on the task, timer.stop stops it', async () => {
    const user = desk.id('user')
    const run = await carryOut(
      chain(
        { id: 'start', type: 'timer.start', config: { user, note: 'By rule', billable: true } },
        { id: 'wait', type: 'delay', config: { seconds: 90 } },
        { id: 'stop', type: 'timer.stop', config: {} },
      ),
    )
    assert.equal(run.status, 'sleeping')
    world.clock.advance(90_000)
    await drainRuns(world.services)
    await world.assertWritten({
      events: [started, 'workflow.time_entry.started', 'workflow.time_entry.stopped', succeeded],
      audit: ['time_entries.start', 'time_entries.stop'],
    })
    const entry = await shown(`/v1/time_entries/${run.steps[0].changes[0].id}`)
    const { user: whose, duration_ms, note, billable, status } = entry
    assert.deepEqual(
      { whose, duration_ms, note, billable, status },
      {
        whose: user,
        duration_ms: 90_000,
        note: 'By rule',
        billable: true,
        status: 'stopped',
      },
    )
  })
})

/** Steps that create or change many tasks, and those of the parent: all or none, each by the rules of one alone. */
import assert from 'node:assert/strict'
import { beforeEach, it } from 'node:test'
import { type Placeholder, query } from '../../src/db/query.ts'
import { startByHand } from '../../src/resources/automation_runs/start-by-hand.ts'
import { drainRuns } from '../../src/workers/automations/runs.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { openDesk } from './desk.ts'
import { chain, comment, type Node } from './graphs.ts'

const outputsOf = query((db, p: Placeholder<{ realm: number; run: string }>) =>
  db
    .selectFrom('automation_steps')
    .select(['node', 'output', 'input'])
    .where('realm', '=', p('realm'))
    .where('run', '=', p('run'))
    .orderBy('number'),
)

interface Shown {
  readonly id: string
  readonly title: string
  readonly [field: string]: unknown
}

const started = 'automation.run.started'
const [created, updated] = ['workflow.task.created', 'workflow.task.updated']
const [succeeded, failed] = ['automation.run.succeeded', 'automation.run.failed']

onEveryWorld('a step for many tasks', (world) => {
  const desk = openFirst(() => openDesk(world))
  let task: string

  beforeEach(async () => {
    const { workspace, project } = desk
    task = (await world.make('/v1/tasks', { workspace, project, title: 'Ship', labels: ['Build', 'Test'] })).id
  })

  const shown = async (path: string) => (await world.get(path)).body

  async function carryOut(steps: readonly Node[], subject = task, project: string | null = null) {
    const graph = { ...chain(...steps), schema_version: 8 }
    const { id } = await desk.activate(graph, { project })
    const run = await startByHand(world.services, id, subject)
    await world.markWritten()
    await drainRuns(world.services)
    const reader = world.services.store.reader('system')
    const rows = await reader.all(outputsOf, { realm: world.acme.realms.live, run: run.id })
    const outputs = rows.map(({ output }) => (output === null ? null : JSON.parse(output)))
    // A long one is cut.
    const inputs = rows.map(({ input }) => (input === null || input.endsWith('…') ? null : JSON.parse(input)))
    return { ...(await shown(`/v1/automation_runs/${run.id}?workspace=${desk.workspace}`)), outputs, inputs, flow: id }
  }

  const subtasksOf = async (parent: string): Promise<Shown[]> => {
    const { data } = await shown(`/v1/tasks?workspace=${desk.workspace}&parent=${parent}&limit=100`)
    return data.toReversed()
  }

  const child = async (title: string, more: object = {}) =>
    await world.make('/v1/tasks', { workspace: desk.workspace, project: desk.project, title, parent: task, ...more })

  it('creates a list of subtasks in the project of their parent, with an audit entry for each', async () => {
    const tasks = [{ title: 'Notes', assignee: desk.id('user') }, { title: { $template: 'Tag {{ task.title }}' } }]
    const run = await carryOut([{ id: 'make', type: 'task.create_many', config: { parent: '$subject', tasks } }])
    await world.assertWritten({
      events: [started, created, created, updated, succeeded],
      audit: ['tasks.batch', 'tasks.batch', 'tasks.batch'],
    })
    const subtasks = await subtasksOf(task)
    assert.deepEqual(
      subtasks.map(({ title, assignee, project, creator }) => [title, assignee, project, creator]),
      [
        ['Notes', desk.id('user'), desk.project, { type: 'automation', id: run.flow }],
        ['Tag Ship', null, desk.project, { type: 'automation', id: run.flow }],
      ],
    )
    assert.equal((await shown(`/v1/tasks/${task}`)).subtask_count, 2)
    const named = subtasks.map(({ id, key, title, status, priority, assignee, due_at }) => {
      return { id, key, title, status, priority, assignee, due_at }
    })
    assert.deepEqual(run.outputs, [{ count: 2, tasks: named }])
    assert.deepEqual(run.inputs, [
      { parent: '$subject', tasks: [{ title: 'Notes', assignee: desk.id('user') }, { title: 'Tag Ship' }] },
    ])
    assert.deepEqual(
      run.steps[0].changes.map(({ id, type }: Shown) => [id, type]),
      [
        [subtasks[0]?.id, created],
        [subtasks[1]?.id, created],
        [task, updated],
      ],
    )
  })

  it('creates a task for each item of a list, whose fields see the item and its number', async () => {
    const set = { title: { $template: '{{ index + 1 }}. {{ item }}' }, labels: { $expr: '[item]' } }
    const config = { items: { $expr: 'task.labels' }, max_items: 5, set }
    const run = await carryOut([{ id: 'make', type: 'task.create_many', config }])
    const made = await Promise.all(run.outputs[0].tasks.map(({ id }: Shown) => shown(`/v1/tasks/${id}`)))
    assert.deepEqual(
      made.map(({ title, labels, parent, project }) => [title, labels, parent, project]),
      [
        ['1. Build', ['Build'], null, null],
        ['2. Test', ['Test'], null, null],
      ],
    )
  })

  it('creates nothing of an empty list, and none of a list that is too long', async () => {
    const set = { title: { $expr: 'item' } }
    const list = (source: string) => ({ items: { $expr: source }, max_items: 1, set })
    const none = await carryOut([{ id: 'make', type: 'task.create_many', config: list('[]') }])
    await world.assertWritten({ events: [started, succeeded], audit: [] })
    assert.deepEqual(none.outputs, [{ count: 0, tasks: [] }])
    const long = await carryOut([{ id: 'make', type: 'task.create_many', config: list('task.labels') }])
    await world.assertWritten({ events: [started, failed], audit: [] })
    assert.deepEqual(long.failure, {
      code: 'too_many_items',
      message: 'The list has 2 items; `max_items` allows 1.',
      node: 'make',
    })
    const config = { ...list('task.labels'), on_overflow: 'truncate' }
    const cut = await carryOut([{ id: 'make', type: 'task.create_many', config }])
    assert.deepEqual(
      cut.outputs[0].tasks.map(({ title }: Shown) => title),
      ['Build'],
    )
  })

  it('creates all tasks or none, and its failure names the task', async () => {
    const fields = { title: 'Second', custom_fields: { size: { $expr: "'x'" } }, assignee: { $expr: "'usr_missing'" } }
    const config = { tasks: [{ title: 'First' }, fields], parent: '$subject' }
    const run = await carryOut([{ id: 'make', type: 'task.create_many', config }])
    await world.assertWritten({ events: [started, failed], audit: [] })
    assert.equal(run.failure.code, 'invalid_request_body')
    assert.match(run.failure.message, /^tasks\[1\]\.assignee: /)
    assert.deepEqual(await subtasksOf(task), [])
  })

  it('changes the tasks that match, each with its own values, and no other', async () => {
    const label = `late-${task.slice(-6)}`
    const [first, second] = [await child('First', { labels: [label] }), await child('Second', { labels: [label] })]
    await child('Other')
    const set = { title: { $template: '{{ index }} {{ item.title }}' }, priority: 'high' }
    const config = { query: `labels:"${label}"`, max_tasks: 2, set }
    const run = await carryOut([{ id: 'all', type: 'task.update_many', config }])
    await world.assertWritten({ events: [started, updated, updated, succeeded], audit: ['tasks.bulk', 'tasks.bulk'] })
    const now = await subtasksOf(task)
    assert.deepEqual(
      now.map(({ title, priority }) => [title, priority]),
      [
        ['0 First', 'high'],
        ['1 Second', 'high'],
        ['Other', 'none'],
      ],
    )
    assert.deepEqual(
      run.steps[0].changes.map(({ id, fields }: Shown) => [id, fields]),
      [
        [first.id, { title: { from: 'First', to: '0 First' }, priority: { from: 'none', to: 'high' } }],
        [second.id, { title: { from: 'Second', to: '1 Second' }, priority: { from: 'none', to: 'high' } }],
      ],
    )
    assert.deepEqual([run.outputs[0].count, run.outputs[0].changed], [2, 2])
    const again = await carryOut([
      { id: 'all', type: 'task.update_many', config: { ...config, set: { priority: 'high' } } },
    ])
    await world.assertWritten({ events: [started, succeeded], audit: [] })
    assert.deepEqual([again.outputs[0].count, again.outputs[0].changed], [2, 0])
  })

  it('changes the subtasks of a task, and the parent counts them once', async () => {
    for (const title of ['One', 'Two', 'Three']) await child(title)
    const config = { parent: '$subject', max_tasks: 10, set: { status: 'done' } }
    await carryOut([{ id: 'all', type: 'task.update_many', config }])
    const done = 'workflow.task.completed'
    await world.assertWritten({
      events: [started, done, done, done, updated, succeeded],
      audit: ['tasks.bulk', 'tasks.bulk', 'tasks.bulk', 'tasks.bulk'],
    })
    assert.equal((await shown(`/v1/tasks/${task}`)).subtask_done_count, 3)
  })

  it('changes none if more match than it may, or the oldest of them', async () => {
    for (const title of ['One', 'Two', 'Three']) await child(title)
    const config = { parent: '$subject', query: 'status = todo', max_tasks: 2, set: { priority: 'low' } }
    const run = await carryOut([{ id: 'all', type: 'task.update_many', config }])
    await world.assertWritten({ events: [started, failed], audit: [] })
    assert.deepEqual(
      [run.failure.code, run.failure.message],
      ['too_many_tasks', 'More than 2 tasks match; `max_tasks` allows 2. None was changed.'],
    )
    await carryOut([{ id: 'all', type: 'task.update_many', config: { ...config, on_overflow: 'truncate' } }])
    assert.deepEqual(
      (await subtasksOf(task)).map(({ priority }) => priority),
      ['low', 'low', 'none'],
    )
  })

  it('changes all tasks or none: one that cannot be changed is named, and the error port is taken', async () => {
    await child('Fine')
    const wrong = await child('Wrong')
    const set = { assignee: { $expr: `item.title == 'Wrong' ? 'usr_missing' : '${desk.id('user')}'` }, priority: 'low' }
    const config = { parent: '$subject', max_tasks: 5, set }
    const graph = {
      ...chain({ id: 'all', type: 'task.update_many', on_error: 'branch', config }, comment('out')),
      schema_version: 8,
    }
    graph.edges.push({ source: 'all', port: 'error', target: 'error' })
    graph.nodes.push(comment('error'))
    const { id } = await desk.activate(graph)
    const { id: run } = await startByHand(world.services, id, task)
    await drainRuns(world.services)
    const { steps } = await shown(`/v1/automation_runs/${run}?workspace=${desk.workspace}`)
    assert.equal(steps[0].failure.code, 'invalid_request_body')
    assert.ok(steps[0].failure.message.startsWith(`set.assignee: ${wrong.key}: `), steps[0].failure.message)
    assert.deepEqual(
      steps.map(({ node, status }: Shown) => [node, status]),
      [
        ['all', 'failed'],
        ['out', 'skipped'],
        ['error', 'succeeded'],
      ],
    )
    assert.deepEqual(
      (await subtasksOf(task)).map(({ priority }) => priority),
      ['none', 'none'],
    )
  })

  it('finds tasks of the flow’s project only, and none of an archived one', async () => {
    const label = `here-${task.slice(-6)}`
    const { workspace, project } = desk
    const here = await world.make('/v1/tasks', { workspace, project, title: 'Here', labels: [label] })
    const there = { workspace, project: desk.id('other_project'), title: 'There', labels: [label] }
    await world.make('/v1/tasks', there)
    const config = { query: `labels:"${label}"`, max_tasks: 9, set: { priority: 'urgent' } }
    const run = await carryOut([{ id: 'all', type: 'task.update_many', config }], task, project)
    assert.deepEqual(
      run.outputs[0].tasks.map(({ id }: Shown) => id),
      [here.id],
    )
  })

  it('task.update_parent changes the parent of the run’s task; without one it fails with no_parent', async () => {
    const { id } = await child('Part', { priority: 'urgent' })
    const step = { id: 'up', type: 'task.update_parent', config: { set: { priority: { $expr: 'task.priority' } } } }
    const run = await carryOut([step], id)
    await world.assertWritten({ events: [started, updated, succeeded], audit: ['tasks.update'] })
    assert.equal((await shown(`/v1/tasks/${task}`)).priority, 'urgent')
    assert.deepEqual([run.outputs[0].task.id, run.outputs[0].changed], [task, true])
    const alone = await carryOut([step])
    const { key } = await shown(`/v1/tasks/${task}`)
    assert.deepEqual(alone.failure, { code: 'no_parent', message: `The task ${key} has no parent.`, node: 'up' })
    const goesOn = await carryOut([{ ...step, on_error: 'continue' }, comment('next')])
    assert.deepEqual([goesOn.status, goesOn.steps[0].status], ['succeeded', 'failed'])
  })

  it('follow one another: what one creates, the next changes, and the next the parent of', async () => {
    const make = {
      parent: '$subject',
      items: { $expr: 'task.labels' },
      max_items: 5,
      set: { title: { $expr: 'item' } },
    }
    const all = { parent: '$subject', max_tasks: 5, set: { title: { $template: '{{ index }} {{ item.title }}' } } }
    const description = { $template: '{{ task.title }}+' }
    const run = await carryOut([
      { id: 'make', type: 'task.create_many', config: make },
      { id: 'all', type: 'task.update_many', config: all },
      {
        id: 'up',
        type: 'task.update_parent',
        config: { task: { $expr: 'steps.make.output.tasks[0].id' }, set: { description } },
      },
    ])
    assert.equal(run.status, 'succeeded', JSON.stringify(run.failure))
    assert.deepEqual(
      (await subtasksOf(task)).map(({ title }) => title),
      ['0 Build', '1 Test'],
    )
    assert.equal((await shown(`/v1/tasks/${task}`)).description, 'Ship+')
  })

  it('is previewed with before and after of each task, and changes nothing', async () => {
    for (const title of ['One', 'Two']) await child(title)
    const config = { parent: '$subject', max_tasks: 5, set: { title: { $template: '{{ item.title }}!' } } }
    const make = { parent: '$subject', tasks: [{ title: 'Three' }] }
    const graph = {
      ...chain({ id: 'all', type: 'task.update_many', config }, { id: 'make', type: 'task.create_many', config: make }),
      schema_version: 8,
    }
    const flow = await desk.draft(graph)
    await world.markWritten()
    const preview = await world.make(`/v1/automation_flows/${flow.id}/preview`, { workspace: desk.workspace, task })
    await world.assertWritten({ events: [], audit: ['automation_flows.preview'] })
    const fields = preview.steps.map(({ changes }: { changes: { fields: { title?: object } }[] }) =>
      changes.map((change) => change.fields.title),
    )
    assert.deepEqual(fields, [
      [
        { from: 'One', to: 'One!' },
        { from: 'Two', to: 'Two!' },
      ],
      [{ from: null, to: 'Three' }, undefined],
    ])
    assert.deepEqual(
      (await subtasksOf(task)).map(({ title }) => title),
      ['One', 'Two'],
    )
  })

  it('runs again with corrected tasks in place of a list, and with a corrected field for all tasks', async () => {
    const config = {
      parent: '$subject',
      items: { $expr: 'task.custom_fields.parts' },
      max_items: 5,
      set: { title: 'x' },
    }
    const all = {
      parent: '$subject',
      max_tasks: 5,
      set: { title: { $template: '{{ item.title }}!' }, priority: 'low' },
    }
    const run = await carryOut([
      { id: 'make', type: 'task.create_many', config },
      { id: 'all', type: 'task.update_many', config: all },
    ])
    assert.deepEqual([run.status, run.failure.node, run.failure.code], ['failed', 'make', 'evaluation_failed'])
    const rerun = async (id: string, from_step: string, step_input: object) => {
      const body = { workspace: desk.workspace, from_step, step_input }
      const reply = await world.post(`/v1/automation_runs/${id}/rerun`, body)
      if (reply.status === 200) await drainRuns(world.services)
      return reply
    }
    const wrong = await rerun(run.id, 'make', { items: ['a'] })
    assert.deepEqual([wrong.status, wrong.body.error.param], [400, 'step_input.items'])
    const unknown = await rerun(run.id, 'make', { tasks: [{ title: 'A' }, { title: 'B', status: 'finished' }] })
    assert.deepEqual([unknown.status, unknown.body.error.param], [400, 'step_input.tasks[1].status'])
    const reply = await rerun(run.id, 'make', { tasks: [{ title: 'A' }, { title: '{{ b }}' }] })
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual(
      (await subtasksOf(task)).map(({ title, priority }) => [title, priority]),
      [
        ['A!', 'low'],
        ['{{ b }}!', 'low'],
      ],
    )
    const second = await rerun(reply.body.id, 'all', { set: { priority: 'high' } })
    assert.equal(second.status, 200, second.text)
    assert.deepEqual(
      (await subtasksOf(task)).map(({ title, priority }) => [title, priority]),
      [
        ['A!!', 'high'],
        ['{{ b }}!!', 'high'],
      ],
    )
    const { steps } = await shown(`/v1/automation_runs/${second.body.id}/steps?workspace=${desk.workspace}&node=all`)
    assert.deepEqual(JSON.parse(steps[0].input), { parent: '$subject', max_tasks: 5, set: { priority: 'high' } })
  })

  it('a hundred tasks with long texts are journaled shortened', async () => {
    const text = 'x'.repeat(10_000)
    const set = { title: { $expr: 'item' }, description: text }
    const flat = `'${'x,'.repeat(99)}x'.split(',')`
    const run = await carryOut([
      { id: 'make', type: 'task.create_many', config: { items: { $expr: flat }, max_items: 100, set } },
    ])
    assert.equal(run.status, 'succeeded', JSON.stringify(run.failure))
    assert.deepEqual([run.outputs[0].count, run.steps[0].changes.length], [100, 100])
    assert.equal(run.steps[0].changes[99].fields.description.to, `${'x'.repeat(200)}…`)
    assert.ok(JSON.stringify(run.steps[0]).length < 200_000)
  })
})

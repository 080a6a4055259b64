/**
 * Steps that create and change many tasks, with workers that are killed at any point of any of their transactions; half of the runs repeat
 * a failed one from its step, with corrected settings. Each task is created and changed once, or not at all.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { query } from '../../server/src/db/query.ts'
import { startByHand } from '../../server/src/resources/automation_runs/start-by-hand.ts'
import { drainRuns } from '../../server/src/workers/automations/runs.ts'
import type { Dice } from '../dice.ts'
import { type Send, type Server, tryKilledRuns } from '../killed-runs.ts'
import { type EngineName, prefixed, row, type Trial, type Violated } from '../row.ts'

/** The claim and four steps, the last of which ends the run: a worker that outlives them would not end. */
const transactions = 5
/** A lost run would be waited for without end. */
const patience_ms = 10_000

export const many = row({
  name: 'many',
  promise:
    'A step for many tasks creates and changes each of them once, or none, whichever process dies when; so does a step that was repeated with corrected settings.',
  cycle: 'a run with steps for many tasks, or a rerun from a corrected one, whose worker is killed once',
  cycles: { short: 12, long: 1_000 },
  unproven: ['Machines that lose power: the row power does that for all writes.'],
  async run(trial) {
    let runs = 0
    for (const engine of trial.engines) {
      if (!trial.isOver) runs += await tryEngine(trial, engine, prefixed(trial, engine))
    }
    return { cycles: runs, figures: { runs } }
  },
})

interface Cycle {
  readonly run: string
  readonly task: string
  readonly isCorrected: boolean
}

async function tryEngine(trial: Trial, engine: EngineName, violated: Violated): Promise<number> {
  return await tryKilledRuns(trial, engine, {
    transactions,
    make: makeFlow,
    begin,
    kindOf: ({ isCorrected }) => (isCorrected ? ', corrected' : ''),
    async end(server, cycle) {
      await finish(server, cycle, violated)
      await judge(server, cycle, violated)
    },
  })
}

interface Place {
  readonly workspace: string
  readonly flow: string
}

const titles = ['Notes', 'Tag', 'Mail']

/** Fails at its first step for a task without parts. */
async function makeFlow(send: Send): Promise<Place> {
  const workspace = (await send('/v1/workspaces', { title: 'Durable' })).id as string
  const task = (await send('/v1/tasks', { workspace, title: 'A sample', custom_fields: { parts: titles } })).id
  const nodes = [
    node('by_hand', 'trigger.manual', {}),
    node('make', 'task.create_many', {
      ...{ parent: '$subject', items: { $expr: 'task.custom_fields.parts' }, max_items: 5 },
      set: { title: { $expr: 'item' } },
    }),
    node('all', 'task.update_many', {
      ...{ parent: '$subject', max_tasks: 5 },
      set: { title: { $template: '{{ index }} {{ item.title }}' } },
    }),
    node('up', 'task.update_parent', {
      task: { $expr: 'steps.make.output.tasks[0].id' },
      set: { description: { $template: '{{ task.title }}+' } },
    }),
    node('say', 'task.comment', { body: 'done' }),
  ]
  const edges = nodes.slice(1).map(({ id }, i) => ({ source: nodes[i]?.id, target: id }))
  const settings = { max_runs_per_hour: 3600, pause_after_failures: 100 }
  const graph = { schema_version: 8, settings, nodes, edges }
  const { id: flow } = await send('/v1/automation_flows', { workspace, name: 'Many', graph })
  const { preview_token } = await send(`/v1/automation_flows/${flow}/preview`, { workspace, task })
  await send(`/v1/automation_flows/${flow}/activate`, { workspace, preview_token, scope_acknowledged: true })
  return { workspace, flow: flow as string }
}

function node(id: string, type: string, config: object) {
  return { id, type, config }
}

async function begin(send: Send, { services }: Server, { workspace, flow }: Place, dice: Dice): Promise<Cycle> {
  const isCorrected = dice.chance(0.5)
  const fields = isCorrected ? {} : { custom_fields: { parts: titles } }
  const task = (await send('/v1/tasks', { workspace, title: 'Subject', ...fields })).id as string
  const { id: run } = await startByHand(services, flow, task)
  if (!isCorrected) return { run, task, isCorrected }
  await drainRuns(services)
  const step_input = { tasks: titles.map((title) => ({ title })) }
  const again = await send(`/v1/automation_runs/${run}/rerun`, { workspace, from_step: 'make', step_input })
  return { run: again.id as string, task, isCorrected }
}

const findRun = query<{ status: string; ended_at: number | null }, { id: string }>((db, p) =>
  db.selectFrom('automation_runs').select(['status', 'ended_at']).where('id', '=', p('id')),
)

/** Another worker goes on once the lease of the dead one has ended. */
async function finish({ services }: Server, { run }: Cycle, violated: Violated): Promise<void> {
  const until = Date.now() + patience_ms
  for (;;) {
    await drainRuns(services)
    const found = await services.store.reader('system').first(findRun, { id: run })
    if (found?.ended_at !== null) return
    if (Date.now() > until) return violated(`${run} does not end`)
    await sleep(50)
  }
}

const childrenOf = query<{ id: string; title: string; revision: number }, { task: string }>((db, p) =>
  db.selectFrom('tasks').select(['id', 'title', 'revision']).where('parent', '=', p('task')).orderBy('id'),
)

const findTask = query<{ subtask_count: number; description: string | null }, { task: string }>((db, p) =>
  db.selectFrom('tasks').select(['subtask_count', 'description']).where('id', '=', p('task')),
)

const commentsOf = query<{ body: string }, { task: string }>((db, p) =>
  db.selectFrom('comments').select('body').where('task', '=', p('task')).orderBy('id'),
)

const eventsOf = query<{ type: string }, { object: string }>((db, p) =>
  db.selectFrom('events').select('type').where('object_id', '=', p('object')).orderBy('sequence'),
)

const correctionOf = query<{ correction: string | null }, { run: string; node: string }>((db, p) =>
  db.selectFrom('automation_steps').select('correction').where('run', '=', p('run')).where('node', '=', p('node')),
)

async function judge({ services }: Server, { run, task, isCorrected }: Cycle, violated: Violated): Promise<void> {
  const reader = services.store.reader('system')
  const found = await reader.first(findRun, { id: run })
  if (found?.status !== 'succeeded') violated(`${run} is ${found?.status}`)
  const children = await reader.all(childrenOf, { task })
  const names = children.map(({ title }) => title).join()
  const expected = titles.map((title, i) => `${i} ${title}`).join()
  if (names !== expected) violated(`${task} has the subtasks ${names} instead of ${expected}`)
  for (const { id, revision } of children) {
    const told = (await reader.all(eventsOf, { object: id })).map(({ type }) => type).join()
    if (told !== 'workflow.task.created,workflow.task.updated') violated(`${id} was announced by ${told}`)
    if (revision !== 2) violated(`${id} has revision ${revision}`)
  }
  const subject = await reader.first(findTask, { task })
  if (subject?.subtask_count !== titles.length) violated(`${task} counts ${subject?.subtask_count} subtasks`)
  if (subject?.description !== 'Subject+') violated(`${task} is described as ${subject?.description}`)
  const said = (await reader.all(commentsOf, { task })).map(({ body }) => body).join()
  if (said !== 'done') violated(`${task} has the comments ${said}`)
  const entries = await reader.all(correctionOf, { run, node: 'make' })
  const corrected = entries.filter(({ correction }) => correction !== null).length
  if (entries.length !== 1 || corrected !== (isCorrected ? 1 : 0)) {
    violated(`${run} has ${entries.length} entries of the step, ${corrected} of them corrected`)
  }
}

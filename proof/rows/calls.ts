/**
 * Flows that call other flows, with workers that are killed at any point of any of their transactions. A step calls once, the called run
 * runs once, and the calling run goes on once, as the called one ended.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { query } from '../../server/src/db/query.ts'
import { startByHand } from '../../server/src/resources/automation_runs/start-by-hand.ts'
import { drainRuns } from '../../server/src/workers/automations/runs.ts'
import type { Dice } from '../dice.ts'
import { type Send, type Server, tryKilledRuns } from '../killed-runs.ts'
import { type EngineName, prefixed, row, type Trial, type Violated } from '../row.ts'

/** The transactions of a run that waits for another one: each claims, calls or ends, and goes on. */
const transactions = 6
/** A lost run would be waited for without end. */
const patience_ms = 10_000

export const calls = row({
  name: 'calls',
  promise:
    'A step calls another flow once, whichever process dies when; the called run runs once, and the calling run goes on once, as that one ended.',
  cycle: 'a run that calls another flow and waits for it or not, whose worker is killed once',
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

interface Flows {
  readonly workspace: string
  /** By whether they wait. */
  readonly waiting: string
  readonly apart: string
}

interface Cycle {
  readonly run: string
  readonly task: string
  readonly waits: boolean
  readonly fails: boolean
}

interface FlowNode {
  readonly id: string
  readonly [field: string]: unknown
}

async function tryEngine(trial: Trial, engine: EngineName, violated: Violated): Promise<number> {
  return await tryKilledRuns(trial, engine, {
    transactions,
    make: makeFlows,
    begin,
    async end(server, cycle) {
      await finish(server, cycle, violated)
      await judge(server, cycle, violated)
    },
  })
}

async function makeFlows(send: Send): Promise<Flows> {
  const workspace = (await send('/v1/workspaces', { title: 'Durable' })).id as string
  const task = (await send('/v1/tasks', { workspace, title: 'A sample' })).id as string
  const flow = async (name: string, nodes: readonly FlowNode[], edges: readonly object[]) => {
    const settings = { max_runs_per_hour: 3600, pause_after_failures: 100 }
    const graph = { schema_version: 7, settings, nodes, edges }
    const { id } = await send('/v1/automation_flows', { workspace, name, graph })
    const { preview_token } = await send(`/v1/automation_flows/${id}/preview`, { workspace, task })
    await send(`/v1/automation_flows/${id}/activate`, { workspace, preview_token, scope_acknowledged: true })
    return id as string
  }
  const inputs = [{ key: 'fails', kind: 'boolean', required: true }]
  const stop = (outcome: string) => ({ id: outcome, type: 'stop', config: { outcome, output: 1 } })
  const called = await flow(
    'Called',
    [
      node('called', 'trigger.call', { inputs, takes_task: true }),
      node('say', 'task.comment', { body: 'called' }),
      node('fails', 'condition', { expr: 'call.fails' }),
      stop('failed'),
      stop('succeeded'),
    ],
    [
      { source: 'called', target: 'say' },
      { source: 'say', target: 'fails' },
      { source: 'fails', target: 'failed' },
      { source: 'fails', port: 'false', target: 'succeeded' },
    ],
  )
  const calling = async (wait: boolean) => {
    const config = { flow: called, wait, inputs: { fails: { $expr: "'fails' in task.labels" } } }
    return await flow(
      wait ? 'Waits' : 'Goes on',
      [
        node('by_hand', 'trigger.manual', {}),
        { ...node('call', 'flow.call', config), on_error: 'branch' },
        node('out', 'task.comment', { body: 'out' }),
        node('error', 'task.comment', { body: 'error' }),
      ],
      [
        { source: 'by_hand', target: 'call' },
        { source: 'call', target: 'out' },
        { source: 'call', port: 'error', target: 'error' },
      ],
    )
  }
  return { workspace, waiting: await calling(true), apart: await calling(false) }
}

function node(id: string, type: string, config: object) {
  return { id, type, config }
}

async function begin(send: Send, { services }: Server, flows: Flows, dice: Dice): Promise<Cycle> {
  const [waits, fails] = [dice.chance(0.7), dice.chance(0.4)]
  const { workspace } = flows
  const task = (await send('/v1/tasks', { workspace, title: 'Subject', labels: fails ? ['fails'] : [] })).id as string
  const { id: run } = await startByHand(services, waits ? flows.waiting : flows.apart, task)
  return { run, task, waits, fails }
}

const runsOf = query<
  { id: string; called_by: string | null; status: string; ended_at: number | null; task: string | null },
  { task: string }
>((db, p) =>
  db
    .selectFrom('automation_runs')
    .select(['id', 'called_by', 'status', 'ended_at', 'task'])
    .where('task', '=', p('task'))
    .orderBy('id'),
)

/** Another worker goes on once the lease of the dead one has ended. */
async function finish({ services }: Server, { run, task }: Cycle, violated: Violated): Promise<void> {
  const until = Date.now() + patience_ms
  for (;;) {
    await drainRuns(services)
    const runs = await services.store.reader('system').all(runsOf, { task })
    if (runs.every(({ ended_at }) => ended_at !== null)) return
    if (Date.now() > until) return violated(`${run} or a run that it called does not end`)
    await sleep(50)
  }
}

const commentsOf = query<{ body: string }, { task: string }>((db, p) =>
  db.selectFrom('comments').select('body').where('task', '=', p('task')).orderBy('id'),
)

const eventsOf = query<{ type: string }, { run: string }>((db, p) =>
  db.selectFrom('events').select('type').where('object_id', '=', p('run')).orderBy('sequence'),
)

async function judge({ services }: Server, { run, task, waits, fails }: Cycle, violated: Violated): Promise<void> {
  const reader = services.store.reader('system')
  const runs = await reader.all(runsOf, { task })
  const called = runs.filter(({ called_by }) => called_by === run)
  if (called.length !== 1 || runs.length !== 2) {
    return violated(`${run} has called ${called.length} runs, and its task has ${runs.length}`)
  }
  const end = fails ? 'failed' : 'succeeded'
  if (called[0]?.status !== end) violated(`${called[0]?.id} is ${called[0]?.status} instead of ${end}`)
  const caller = runs.find(({ id }) => id === run)
  if (caller?.status !== 'succeeded') violated(`${run} is ${caller?.status} although it handles the error`)
  const port = waits && fails ? 'error' : 'out'
  const said = (await reader.all(commentsOf, { task })).map(({ body }) => body).toSorted()
  if (said.join() !== ['called', port].toSorted().join()) violated(`${run} has said ${said.join()} by the port ${port}`)
  const told = (await reader.all(eventsOf, { run: called[0]?.id ?? '' })).map(({ type }) => type)
  const expected = ['queued', 'started', end].map((name) => `automation.run.${name}`)
  if (told.join() !== expected.join()) violated(`${called[0]?.id} was announced by ${told.join()}`)
}

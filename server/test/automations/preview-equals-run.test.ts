/**
 * Random graphs are created, previewed, activated and run to their end. If nothing else changes meanwhile, the run equals
 * the preview, step by step and change by change. `ATRIUM_TEST_GRAPHS` is the number per engine, `ATRIUM_TEST_SEED` the
 * seed.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { commitSystemChange } from '../../src/api/write/system-change.ts'
import { type Program, programOf } from '../../src/automations/program.ts'
import { type Graph, type Node, versionOfNode } from '../../src/automations/schema.ts'
import { approvalPorts } from '../../src/automations/sketch.ts'
import { query } from '../../src/db/query.ts'
import type { AutomationFlowRow, AutomationRunRow, AutomationStepRow, TaskRow } from '../../src/db/schema.ts'
import { type Assumed, assumeStart } from '../../src/resources/automation_flows/assumed-start.ts'
import { findFlow } from '../../src/resources/automation_flows/shared/queries.ts'
import type { Change } from '../../src/resources/automation_runs/automation_run.ts'
import { findRun } from '../../src/resources/automation_runs/queries.ts'
import { writeSecret } from '../../src/resources/automation_runs/secrets.ts'
import { startRun } from '../../src/resources/automation_runs/start-run.ts'
import { taskNoun } from '../../src/resources/tasks/task.ts'
import { drainRuns } from '../../src/workers/automations/runs.ts'
import type { Reply } from '../call.ts'
import { onEveryEngine } from '../engines.ts'
import { openReceiver } from '../receiver.ts'
import { openWorld, type World } from '../world.ts'
import { arbitraryGraph, type Callable } from './arbitrary-graph.ts'
import { type Desk, openDesk } from './desk.ts'

const graphs = Number(process.env.ATRIUM_TEST_GRAPHS ?? 100)
const seed = Number(process.env.ATRIUM_TEST_SEED ?? 4_2026)

const wholeJournal = query<AutomationStepRow, { realm: number; run: string }>((db, p) =>
  db
    .selectFrom('automation_steps')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('run', '=', p('run'))
    .orderBy('number'),
)

const calledRuns = query<AutomationRunRow, { realm: number; run: string }>((db, p) =>
  db
    .selectFrom('automation_runs')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('called_by', '=', p('run'))
    .orderBy('id'),
)

interface NodeLike {
  readonly id: string
  readonly [field: string]: unknown
}

/** Flows that random graphs call: one that changes the task, one that fails at times, one that waits and calls, one that stands apart. */
async function callable(desk: Desk): Promise<Callable[]> {
  const inputs = [{ key: 'word', kind: 'text', required: true }]
  const trigger = (takes_task: boolean) => ({ id: 'called', type: 'trigger.call', config: { inputs, takes_task } })
  const output = { $expr: 'call.word' }
  const end = { id: 'end', type: 'stop', config: { outcome: 'succeeded', output } }
  const flow = async (takes_task: boolean, steps: readonly NodeLike[], more: readonly object[] = []) => {
    const nodes: readonly NodeLike[] = [trigger(takes_task), ...steps]
    const edges = nodes.slice(1).map(({ id }, i) => ({ source: nodes[i]?.id, target: id }))
    const settings = { max_runs_per_hour: 3600, pause_after_failures: 100 }
    const graph = {
      schema_version: 7,
      settings,
      nodes: [...nodes, ...more.slice(0, 1)],
      edges: [...edges, ...more.slice(1)],
    }
    return (await desk.activate(graph)).id as string
  }
  const label = { id: 'label', type: 'task.label', config: { add: [{ $expr: "'called ' + string(size(call.word))" }] } }
  const changing = await flow(true, [label, end])
  const odd = { id: 'odd', type: 'condition', config: { expr: 'size(call.word) % 2 == 1' } }
  const fails = { id: 'fails', type: 'stop', config: { outcome: 'failed', message: 'Odd.', output } }
  const failing = await flow(false, [odd, fails], [end, { source: 'odd', port: 'false', target: 'end' }])
  const nested = { id: 'nested', type: 'flow.call', config: { flow: changing, inputs: { word: output } } }
  const slow = await flow(true, [{ id: 'rest', type: 'delay', config: { seconds: 90 } }, nested])
  // It takes no number of a task, which a later step of the caller would get.
  const body = { $template: 'Apart: {{ call.word }}' }
  const make = { id: 'make', type: 'task.comment', config: { task: desk.id('other_task'), body } }
  const apart = await flow(false, [make])
  return [{ flow: changing }, { flow: failing }, { flow: slow, slow: true }, { flow: apart, apart: true }]
}

/** Steps that refer to objects of the desk, in place of some comments. `pick` chooses. */
function named(graph: Graph, desk: Desk, pick: number): Graph {
  const [project, column] = [desk.project, desk.column]
  const others: readonly Pick<Node, 'type' | 'config'>[] = [
    { type: 'task.move', config: { project, column } },
    { type: 'task.assign', config: { assignee: desk.id('user') } },
    { type: 'task.add_dependency', config: { to: desk.id('other_task'), kind: 'relates_to' } },
    { type: 'task.create_from_template', config: { template: desk.id('template'), overrides: { title: 'Made' } } },
    { type: 'task.complete', config: { only_if_open: true } },
    { type: 'timer.start', config: { user: desk.id('user'), note: 'At it' } },
    { type: 'timer.stop', config: { user: desk.id('user') } },
    { type: 'task.create', config: { project, column, set: { title: 'Placed', assignee: desk.id('user') } } },
    { type: 'task.update', config: { set: { status: 'in_progress', custom_fields: { round: pick } } } },
    { type: 'task.move', config: { project: desk.id('other_project') } },
    {
      type: 'task.create_many',
      config: { parent: desk.id('other_task'), tasks: [{ title: 'Part', assignee: desk.id('user') }], project, column },
    },
    {
      type: 'task.update_many',
      config: { query: 'labels:many', max_tasks: 50, set: { custom_fields: { round: pick } } },
    },
  ]
  const nodes = graph.nodes.map((node, i) => {
    const other = node.type === 'task.comment' ? others[(pick + i) % (others.length + 2)] : undefined
    return other === undefined ? node : ({ ...node, ...other } as Node)
  })
  const schema_version = Math.max(graph.schema_version, ...nodes.map(versionOfNode)) as Graph['schema_version']
  return { ...graph, schema_version, nodes }
}

interface Did {
  readonly node: string
  readonly path: readonly number[]
  readonly ran: boolean
  readonly changes: readonly Change[]
}

/** Values of the clock: a run that sleeps does later what its preview does at once. */
const moments = new Set(['expires_at', 'completed_at', 'started_at', 'ended_at', 'duration_ms'])

/**
 * The same with new ids numbered in order of appearance, because those of a preview exist nowhere, and with times
 * replaced.
 */
function comparable(steps: readonly Did[], known: string): unknown {
  const seen = new Map<string, string>()
  const timeless = (name: string, value: unknown) =>
    moments.has(name) ? JSON.parse(JSON.stringify(value).replaceAll(/\d+/g, '0')) : value
  const text = JSON.stringify(steps, timeless).replaceAll(/[a-z]+_[0-7][0-9A-HJKMNP-TV-Z]{25}/g, (id) => {
    if (known.includes(id)) return id
    if (!seen.has(id)) seen.set(id, `#${seen.size + 1}`)
    return seen.get(id) as string
  })
  return JSON.parse(text)
}

/** A preview knows what is asked; who decides and when is known after the run. */
function asRequested([requested]: readonly Change[]): readonly Change[] {
  return requested === undefined ? [] : [requested]
}

class Trial {
  readonly world: World
  readonly desk: Desk
  readonly realm: number
  /** The key of the person who is asked. */
  readonly key: string
  truncated = 0
  calls = 0

  constructor(world: World, desk: Desk, key: string) {
    this.key = key
    this.world = world
    this.desk = desk
    this.realm = world.acme.realms.live
  }

  async graph(graph: Graph): Promise<void> {
    const { world, desk } = this
    const flow = await desk.draft(graph)
    const decisions = this.chosen(graph)
    assert.deepEqual(flow.graph, graph)
    const before = await this.assumed(flow.id, programOf(graph))
    const asked = { workspace: desk.workspace, task: desk.task, decisions }
    const preview = await world.make(`/v1/automation_flows/${flow.id}/preview`, asked)
    assert.equal(preview.trigger.node, before.trigger.id)
    const { preview_token } = preview
    const { workspace } = desk
    const body = { workspace, preview_token, scope_acknowledged: true }
    const active = await world.make(`/v1/automation_flows/${flow.id}/activate`, body)
    const run = await this.run(active.id, programOf(graph), before, decisions)
    const truncated = preview.warnings.some(({ code }: { code: string }) => code === 'preview_truncated')
    if (!truncated) await this.compareCalls(preview, run)
    await world.make(`/v1/automation_flows/${flow.id}/pause`, { workspace })
    await this.compare(preview, run, programOf(graph).steps)
  }

  /** How the approvals of a graph end, by node. */
  private chosen({ nodes }: Graph): Readonly<Record<string, string>> {
    const asking = nodes.filter((node) => node.type === 'approval.wait')
    return Object.fromEntries(
      asking.map(({ id, config }, i) => {
        const ports = approvalPorts(config)
        return [id, ports[(id.length + i + nodes.length) % ports.length] as string]
      }),
    )
  }

  /** Decides as the preview has assumed; what is to time out is left to the clock. */
  private async decide(run: AutomationRunRow, decisions: Readonly<Record<string, string>>): Promise<void> {
    const { data } = (await this.world.get(`/v1/automation_approvals?automation_run=${run.id}&status=pending`)).body
    for (const { id, node } of data) {
      const decision = decisions[node]
      if (decision === 'timed_out') this.world.clock.set(run.wake_at as number)
      else await this.world.make(`/v1/automation_approvals/${id}/decide`, { decision }, { key: this.key })
    }
  }

  /** The event that the preview assumes to start the run. */
  private async assumed(id: string, program: Program): Promise<Assumed> {
    const { world, desk, realm } = this
    const reader = world.services.store.reader('system')
    const flow = (await findFlow(reader, realm, id)) as AutomationFlowRow
    const task = (await taskNoun.find(reader, { realm } as never, desk.task)) as TaskRow
    const viewer = { mode: 'live', scopes: null } as const
    const next = { ...flow, version: flow.version + 1 }
    return await assumeStart(reader, next, program, task, viewer, world.clock.now(), null)
  }

  /** Starts a run and executes it to its end, however long it waits. */
  private async run(
    id: string,
    program: Program,
    { trigger, event, task }: Assumed,
    decisions: Readonly<Record<string, string>>,
  ): Promise<AutomationRunRow> {
    const { services, acme, clock } = this.world
    const change = {
      organization: acme.id,
      realms: [{ realm: this.realm, mode: 'live' as const }],
      action: 'automation_runs.start',
    }
    const started = await commitSystemChange(services, change, async (work) => {
      const flow = (await findFlow(work.tx, this.realm, id)) as AutomationFlowRow
      const about = { trigger: trigger.id, key: 'trial', task: task?.id ?? null, event, causes: [] }
      return await startRun(work, { flow, program, ...about })
    })
    const place = { realm: this.realm, id: (started as AutomationRunRow).id }
    for (let naps = 0; ; naps++) {
      await drainRuns(services)
      const run = (await findRun(services.store.reader('system'), place)) as AutomationRunRow
      if (run.ended_at !== null) return run
      assert.ok(naps < 1000, `${run.id} does not end`)
      if (program.steps.get(run.current_node ?? '')?.node.type === 'approval.wait') {
        await this.decide(run, decisions)
        continue
      }
      const inner = run.wake_at === null ? await this.wakeOfCalled(run) : run.wake_at
      if (inner !== null) {
        clock.set(inner)
        continue
      }
      assert.ok(run.wake_at !== null, `${run.id} is stuck: ${run.status} at ${run.current_node}`)
    }
  }

  /** When a run goes on that this one has called, or that one of these has called; null if all have ended. */
  private async wakeOfCalled({ id }: { readonly id: string }): Promise<number | null> {
    for (const inner of await this.calledBy(id)) {
      const wake = inner.ended_at === null ? (inner.wake_at ?? (await this.wakeOfCalled(inner))) : null
      if (wake !== null) return wake
    }
    return null
  }

  private async calledBy(run: string): Promise<AutomationRunRow[]> {
    return await this.world.services.store.reader('system').all(calledRuns, { realm: this.realm, run })
  }

  /** Runs that are called are those that the preview shows, with their steps; those that no run waits for are last. */
  private async compareCalls(preview: Reply['body'], run: AutomationRunRow): Promise<void> {
    for (let wake = await this.wakeOfCalled(run); wake !== null; wake = await this.wakeOfCalled(run)) {
      this.world.clock.set(Math.max(wake, this.world.clock.now()))
      await drainRuns(this.world.services)
    }
    const did: unknown[] = []
    const visit = async (caller: string): Promise<void> => {
      for (const called of await this.calledBy(caller)) {
        const { id, called_by_node, called_by_path, automation_flow, status } = called
        const reader = this.world.services.store.reader('system')
        const journal = await reader.all(wholeJournal, { realm: this.realm, run: id })
        const steps = journal.map((step) => `${step.node} ${step.status !== 'skipped'}`)
        did.push([called_by_node, called_by_path, automation_flow, status, steps])
        await visit(id)
      }
    }
    await visit(run.id)
    const shown = preview.calls.map(({ node, path, automation_flow, outcome, steps }: Reply['body']) => [
      ...[node, path.join('.'), automation_flow, outcome],
      steps.map((step: { node: string; status: string }) => `${step.node} ${step.status !== 'would_skip'}`),
    ])
    const sorted = (calls: readonly unknown[]) => calls.map((call) => JSON.stringify(call)).sort()
    assert.deepEqual(sorted(shown), sorted(did))
    this.calls += did.length
  }

  private async compare(preview: Reply['body'], run: AutomationRunRow, run_steps: Program['steps']): Promise<void> {
    const reader = this.world.services.store.reader('system')
    const journal = await reader.all(wholeJournal, { realm: this.realm, run: run.id })
    const known = JSON.stringify([this.desk.ids, this.world.acme])
    const isAsking = (node: string) => run_steps.get(node)?.node.type === 'approval.wait'
    const done = journal.map(({ node, path, status, changes }): Did => {
      return {
        node,
        path: path === '' ? [] : path.split('.').map(Number),
        ran: status !== 'skipped',
        changes: isAsking(node) ? asRequested(JSON.parse(changes)) : JSON.parse(changes),
      }
    })
    const shown: Did[] = preview.steps.map(({ node, path, status, changes }: Did & { status: string }) => {
      return { node, path, ran: status !== 'would_skip', changes }
    })
    const truncated = preview.warnings.some(({ code }: { code: string }) => code === 'preview_truncated')
    if (truncated) {
      // The preview reached its time limit; the steps that it shows must be right.
      this.truncated++
      const sure = preview.steps.findIndex(({ status }: { status: string }) => status === 'unknown')
      assert.deepEqual(comparable(shown.slice(0, sure), known), comparable(done.slice(0, sure), known))
      return
    }
    const flow = `${known}${run.automation_flow}`
    assert.deepEqual(comparable(shown, flow), comparable(done, flow))
    assert.equal(preview.outcome, run.status, JSON.stringify(run.failure))
  }
}

onEveryEngine('random graphs', (engine) => {
  it(`${graphs} of them validate, preview, activate and run to their end, and each run equals its preview`, async (t) => {
    const world = await openWorld(engine)
    const chat = await openReceiver()
    try {
      const desk = await openDesk(world)
      const approver = desk.id('user')
      const { secret: key } = await world.key({ owner: { type: 'user', id: approver } })
      const trial = new Trial(world, desk, key)
      const { id: organization } = world.acme
      await writeSecret(world.services, { organization, mode: 'live', name: 'team_chat', value: chat.url })
      const began = performance.now()
      await fc.assert(
        fc.asyncProperty(
          arbitraryGraph({ chat: true, approver, called: await callable(desk) }),
          fc.nat(1000),
          (graph, pick) => trial.graph(named(graph, trial.desk, pick)),
        ),
        { numRuns: graphs, seed, endOnFailure: true },
      )
      const seconds = ((performance.now() - began) / 1000).toFixed(1)
      t.diagnostic(
        `${graphs} graphs in ${seconds} s; ${trial.truncated} previews were cut short, ${trial.calls} flows were called`,
      )
    } finally {
      await chat.close()
      await world.close()
    }
  })
})

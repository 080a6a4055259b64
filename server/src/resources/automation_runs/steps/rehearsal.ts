/**
 * Rehearses a run: the order and the steps are those of a real run, but it neither waits nor calls other servers. The
 * result of an outside call is unknown, so each later step is certain, doubtful or skipped. A step is certain if only certain
 * steps lead to it and it uses no unknown value; doubtful steps are not executed and state why. A call is assumed to
 * succeed: steps after it stay certain, and its error port is doubtful. Without calls, the order equals that of `Walk`.
 */

import { automation_limits } from '../../../automations/limits.ts'
import type { Program } from '../../../automations/program.ts'
import type { StepNode } from '../../../automations/schema.ts'
import { type ApprovalPort, approvalPorts } from '../../../automations/sketch.ts'
import type { AutomationRunRow } from '../../../db/schema.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Change } from '../automation_run.ts'
import { isOpen } from '../end-run.ts'
import { authorityOf } from '../shared/authority.ts'
import { startRun } from '../start-run.ts'
import { assumedOutput } from './approval.ts'
import { callChange, calledOutput, failedCall, refusedCall } from './call-flow.ts'
import type { ExecutionContext } from './context.ts'
import { usedNames } from './names.ts'
import { type Asked, type Called, RefusedAfterWrite, type StepOutcome } from './outcome.ts'
import type { OutsideInputs } from './outside-inputs.ts'
import { entryName, loadState, type RunState } from './run-state.ts'
import { performStep } from './step.ts'

export interface RehearsedStep {
  readonly node: string
  readonly path: readonly number[]
  readonly status: 'would_run' | 'would_skip' | 'would_wait' | 'unknown'
  readonly reason: string | null
  readonly changes: readonly Change[]
}

/** A called flow, rehearsed. */
export interface RehearsedCall {
  /** The step that calls it. */
  readonly node: string
  readonly path: readonly number[]
  /** The index of the call in whose flow that step is; null for a step of the rehearsed flow itself. */
  readonly parent: number | null
  readonly automation_flow: string
  /** Of the version that would run. */
  readonly program: Program
  readonly steps: readonly RehearsedStep[]
  outcome: 'succeeded' | 'failed' | null
}

/** What the runs of one rehearsal share. */
interface Together {
  /** When the rehearsal ends, in milliseconds. */
  readonly until: number
  readonly calls: RehearsedCall[]
  /** Called runs that no run waits for; they are rehearsed after the others, because they begin at an unknown time. */
  readonly later: (() => Promise<void>)[]
}

/** How a scope ended: it continues, the run ended at a stop, or a step failed and nothing handled the failure. */
type Ending = 'continues' | 'ended' | 'failed'

/** Why a node may not run; null if it certainly runs. */
type Doubt = string | null

/** The port that the rehearsal follows from an `approval.wait`, by node; `approved` for one that is not listed. */
export type Decisions = ReadonlyMap<string, ApprovalPort>

/** The steps that change the run's task. */
const changers = new Set([
  ...['task.update', 'task.move', 'task.complete', 'task.assign', 'task.label', 'flow.call'],
  // A new subtask counts at its parent, and one of many tasks may be the run's own.
  ...['task.create_many', 'task.update_many', 'task.update_parent'],
])

export class RehearsedRun {
  readonly steps: RehearsedStep[] = []
  truncated = false
  outcome: 'succeeded' | 'failed' | null = null
  private readonly context: ExecutionContext
  private readonly state: RunState
  private readonly clock: Clock
  private readonly together: Together
  /** The index of its call; null for the rehearsed flow itself. */
  private readonly number: number | null
  /** What the stop returns at which it ended; undefined if that is unknown. */
  private output: unknown = null
  private message: string | null = null
  /** Whether it waits, or depends on an answer from outside. */
  private takesTime = false
  /** Steps, by node and path, whose output is unknown. */
  private readonly unknown = new Set<string>()
  /** Why later steps may not run at all. */
  private doubt: Doubt = null
  /** The step that changes the task in an unknown way. */
  private changer: string | null = null

  private readonly decisions: Decisions

  /** `clock` limits how long the steps may take. A called run has what it shares with the others, and its number. */
  constructor(
    context: ExecutionContext,
    clock: Clock,
    decisions: Decisions,
    called: { readonly together: Together; readonly number: number } | null = null,
  ) {
    this.context = context
    this.decisions = decisions
    this.state = context.state
    this.clock = clock
    const until = clock.now() + automation_limits.automation_preview_ms
    this.together = called?.together ?? { until, calls: [], later: [] }
    this.number = called?.number ?? null
  }

  async run(): Promise<void> {
    const { program } = this.state.scene
    const begun = new Map(program.targets(this.state.run.trigger_node, 'out').map((id) => [id, null as Doubt]))
    const ending = await this.scope(null, begun, [])
    if (this.doubt !== null) this.outcome = null
    else if (ending === 'failed') this.outcome = 'failed'
    else if (ending === 'continues') this.outcome = 'succeeded'
    if (this.number !== null) return
    // These may call others.
    for (let next = this.together.later.shift(); next !== undefined; next = this.together.later.shift()) await next()
  }

  /** The called flows, in the order of their calls; those that no run waits for are last. */
  get calls(): readonly RehearsedCall[] {
    return this.together.calls
  }

  /** Executes the nodes of a scope in order; `taken` holds the nodes that a taken edge leads to. */
  private async scope(id: string | null, taken: Map<string, Doubt>, path: readonly number[]): Promise<Ending> {
    for (const node of this.state.scene.program.order.get(id) ?? []) {
      const doubt = taken.get(node.id)
      if (doubt === undefined) this.skip(node, path)
      else {
        const ending = await this.step(node, path, this.doubt ?? this.checkLimits() ?? doubt, taken)
        if (ending !== 'continues') return ending
      }
    }
    return 'continues'
  }

  /** Makes later steps doubtful after the limit of time or steps. */
  private checkLimits(): Doubt {
    const enough = this.steps.length >= automation_limits.automation_steps_max
    if (!enough && this.clock.now() < this.together.until) return null
    this.truncated = true
    this.doubt = 'The preview ended before this step.'
    return this.doubt
  }

  private skip(node: StepNode, path: readonly number[]): void {
    this.report(node, path, 'would_skip', null)
    this.state.entries.set(entryName(node.id, path), { node: node.id, path, status: 'skipped', output: null })
  }

  private report(
    node: StepNode,
    path: readonly number[],
    status: RehearsedStep['status'],
    reason: string | null,
    changes: readonly Change[] = [],
  ): void {
    if (status === 'would_wait' || status === 'unknown') this.takesTime = true
    this.steps.push({ node: node.id, path, status, reason, changes })
  }

  private async step(
    node: StepNode,
    path: readonly number[],
    doubt: Doubt,
    taken: Map<string, Doubt>,
  ): Promise<Ending> {
    if (doubt !== null) {
      this.reportDoubtful(node, path, doubt)
      if (node.type === 'stop') this.doubt ??= `The run may have ended at ${node.id}.`
      this.takeAll(node, taken, doubt)
      return 'continues'
    }
    const missing = this.missingValue(node, path)
    if (missing !== null) return this.assumeUnknown(node, path, missing, taken)
    const outcome = await this.perform(node, path)
    return await this.follow(node, path, outcome, taken)
  }

  private async perform(node: StepNode, path: readonly number[]): Promise<StepOutcome> {
    try {
      return await performStep(this.context, { node, path })
    } catch (error) {
      if (error instanceof RefusedAfterWrite) return error.failure
      throw error
    }
  }

  /** Which value the step needs but is unknown; null if the step can be executed. */
  private missingValue(node: StepNode, path: readonly number[]): string | null {
    const { program, event } = this.state.scene
    const { variables, steps } = usedNames(program, node)
    for (const step of steps) {
      const depth = program.steps.get(step)?.within.length ?? 0
      if (this.unknown.has(entryName(step, path.slice(0, depth)))) {
        return `It uses the output of ${step}, which is unknown before a run.`
      }
    }
    if (event === null && (variables.has('event') || variables.has('before'))) {
      return 'It uses the event, but the preview has none.'
    }
    if (this.changer === null || !variables.has('task')) return null
    return `It uses the task, which ${this.changer} changes in a way that is unknown before a run.`
  }

  /** A step that certainly runs, with an unknown effect. */
  private assumeUnknown(node: StepNode, path: readonly number[], reason: string, taken: Map<string, Doubt>): Ending {
    if (node.type === 'delay' || node.type === 'wait_until') {
      this.remember(node, path, undefined)
      this.report(node, path, 'would_wait', reason)
      this.take(node, 'out', taken, null)
      return 'continues'
    }
    if (node.type === 'approval.wait') {
      this.remember(node, path, undefined)
      this.report(node, path, 'would_wait', reason)
      this.take(node, this.decisionOf(node), taken, null)
      return 'continues'
    }
    if (node.type === 'stop') {
      this.report(node, path, 'would_run', reason)
      this.outcome = node.config.outcome
      this.output = undefined
      return 'ended'
    }
    this.reportDoubtful(node, path, reason)
    if (changers.has(node.type)) this.changer ??= node.id
    if (node.type === 'condition' || node.type === 'switch')
      this.takeAll(node, taken, `The port that ${node.id} takes is unknown.`)
    else this.take(node, 'out', taken, null)
    this.takeErrorPort(node, taken)
    if (node.type === 'flow.call') this.take(node, 'timed_out', taken, lateOnly(node))
    return 'continues'
  }

  private async follow(
    node: StepNode,
    path: readonly number[],
    outcome: StepOutcome,
    taken: Map<string, Doubt>,
  ): Promise<Ending> {
    if (outcome.kind === 'failed')
      return this.failed(node, path, `Would fail (${outcome.code}): ${outcome.message}`, taken)
    if (outcome.kind === 'stop') {
      this.report(node, path, 'would_run', outcome.message)
      this.outcome = outcome.outcome
      this.output = outcome.output
      this.message = outcome.message
      return 'ended'
    }
    if (outcome.kind === 'ask') return this.assumeDecided(node, path, outcome, taken)
    if (outcome.kind === 'start') return await this.call(node, path, outcome, taken)
    if (outcome.kind === 'call') {
      this.takesTime = true
      this.remember(node, path, undefined)
      this.report(node, path, 'would_run', describeCall(outcome.inputs))
      this.take(node, 'out', taken, null)
      this.takeErrorPort(node, taken)
      return 'continues'
    }
    if (outcome.kind === 'wait') {
      const woke_at = Math.floor(outcome.until / 1000)
      this.remember(node, path, { woke_at })
      this.report(node, path, 'would_wait', `Until ${new Date(outcome.until).toISOString()}.`)
      this.take(node, 'out', taken, null)
      return 'continues'
    }
    this.remember(node, path, outcome.output)
    this.report(node, path, 'would_run', null, outcome.changes)
    this.take(node, outcome.port ?? 'out', taken, null)
    return node.type === 'for_each' ? await this.items(node, path, outcome.items ?? 0) : 'continues'
  }

  /** A rehearsal asks no person: it goes on by the port that its caller has chosen. */
  private assumeDecided(node: StepNode, path: readonly number[], asked: Asked, taken: Map<string, Doubt>): Ending {
    const port = this.decisionOf(node)
    this.remember(node, path, assumedOutput(port, asked.approval, this.context.now))
    const { text } = asked.approval
    this.report(node, path, 'would_wait', `Would ask, and is assumed to be ${port}: ${cut(text)}`, asked.changes)
    this.take(node, port, taken, null)
    return 'continues'
  }

  /** Starts the called run as the step would, and rehearses it: at once if this run waits for it. */
  private async call(
    node: StepNode,
    path: readonly number[],
    called: Called,
    taken: Map<string, Doubt>,
  ): Promise<Ending> {
    const { tx, now } = this.context
    const { flow } = this.state.scene
    const run = await startRun({ tx, now, emit: () => undefined }, called.start)
    if (run === null) throw new RangeError(`${node.id} has already called.`)
    if (!isOpen(run)) {
      const { code, message } = refusedCall(run, flow.name)
      return this.failed(node, path, `Would fail (${code}): ${message}`, taken, { output: calledOutput(run) })
    }
    const changes = [callChange(run)]
    if (!called.waits) {
      this.together.later.push(async () => void (await this.rehearseCalled(node, path, run)))
      this.remember(node, path, calledOutput(run))
      this.report(node, path, 'would_run', null, changes)
      this.take(node, 'out', taken, null)
      return 'continues'
    }
    const inner = await this.rehearseCalled(node, path, run)
    if (inner.changer !== null && inner.state.scene.subject === this.state.scene.subject) this.changer ??= node.id
    if (inner.takesTime) this.takesTime = true
    return this.followCalled(node, path, run, inner, changes, taken)
  }

  /** A rehearsed called run; its steps are added to the calls. */
  private async rehearseCalled(node: StepNode, path: readonly number[], run: AutomationRunRow): Promise<RehearsedRun> {
    const { tx, now, mails } = this.context
    const { together } = this
    const state = await loadState(tx, { ...run, status: 'running', started_at: now })
    const authority = await authorityOf(tx, state.scene.version, now)
    const called = { together, number: together.calls.length }
    const inner = new RehearsedRun({ tx, now, authority, state, mails }, this.clock, new Map(), called)
    const { steps } = inner
    const call: RehearsedCall = {
      ...{ node: node.id, path, parent: this.number, automation_flow: run.automation_flow },
      ...{ program: state.scene.program, steps, outcome: null },
    }
    together.calls.push(call)
    await inner.run()
    call.outcome = inner.outcome
    if (inner.truncated) this.truncated = true
    return inner
  }

  /** Goes on as the called run ended; one whose end is unknown is assumed to succeed, as an outside call is. */
  private followCalled(
    node: StepNode,
    path: readonly number[],
    run: AutomationRunRow,
    inner: RehearsedRun,
    changes: readonly Change[],
    taken: Map<string, Doubt>,
  ): Ending {
    const { outcome, message, output } = inner
    if (outcome === 'failed') {
      const failure = JSON.stringify({ code: 'call_failed', message: message ?? inner.reasonOfFailure(), node: null })
      const ended = { ...run, status: 'failed', failure }
      const { code, message: why } = failedCall(ended)
      const kept = output === undefined ? undefined : calledOutput(ended, output)
      const reason = `Would fail (${code}): ${why}`
      if (inner.takesTime) this.take(node, 'timed_out', taken, lateOnly(node))
      return this.failed(node, path, reason, taken, { output: kept, changes })
    }
    const isKnown = outcome === 'succeeded' && output !== undefined
    const ended = { ...run, status: 'succeeded', status_reason: message }
    this.remember(node, path, isKnown ? calledOutput(ended, output) : undefined)
    this.report(node, path, 'would_run', null, changes)
    this.take(node, 'out', taken, null)
    if (outcome === null) this.takeErrorPort(node, taken)
    if (inner.takesTime) this.take(node, 'timed_out', taken, lateOnly(node))
    return 'continues'
  }

  /** Why the last step failed, as it was reported. */
  private reasonOfFailure(): string {
    return this.steps.findLast(({ reason }) => reason?.startsWith('Would fail'))?.reason ?? 'The flow stopped the run.'
  }

  private decisionOf({ id }: StepNode): ApprovalPort {
    return this.decisions.get(id) ?? 'approved'
  }

  /** `kept`: the output of a step that failed and what it changed; only a call has them. */
  private failed(
    node: StepNode,
    path: readonly number[],
    reason: string,
    taken: Map<string, Doubt>,
    kept: { readonly output?: unknown; readonly changes?: readonly Change[] } = {},
  ): Ending {
    const { output = null, changes = [] } = kept
    this.report(node, path, 'would_run', reason, changes)
    this.state.entries.set(entryName(node.id, path), { node: node.id, path, status: 'failed', output })
    const on_error = 'on_error' in node ? (node.on_error ?? 'fail') : 'fail'
    if (on_error === 'fail') return 'failed'
    this.take(node, on_error === 'branch' ? 'error' : 'out', taken, null)
    return 'continues'
  }

  private async items(
    node: Extract<StepNode, { type: 'for_each' }>,
    path: readonly number[],
    count: number,
  ): Promise<Ending> {
    const first = this.state.scene.program.order.get(node.id)?.[0]
    for (let item = 0; item < count; item++) {
      const begun = new Map<string, Doubt>(first === undefined ? [] : [[first.id, null]])
      const ending = await this.scope(node.id, begun, [...path, item])
      if (ending === 'ended' || (ending === 'failed' && node.config.on_item_error !== 'continue')) return ending
    }
    return 'continues'
  }

  /** Records a step's output; undefined means unknown. */
  private remember(node: StepNode, path: readonly number[], output: unknown): void {
    const name = entryName(node.id, path)
    if (output === undefined) this.unknown.add(name)
    this.state.entries.set(name, { node: node.id, path, status: 'succeeded', output: output ?? null })
  }

  /** Reports a doubtful step and its body. */
  private reportDoubtful(node: StepNode, path: readonly number[], reason: string): void {
    this.unknown.add(entryName(node.id, path))
    this.report(node, path, 'unknown', reason)
    for (const inner of this.state.scene.program.order.get(node.id) ?? []) {
      if (inner.type === 'stop') this.doubt ??= `The run may have ended at ${inner.id}.`
      this.reportDoubtful(inner, [...path, 0], reason)
    }
  }

  /** A certain edge outweighs doubtful ones. */
  private take(node: StepNode, port: string, taken: Map<string, Doubt>, doubt: Doubt): void {
    for (const target of this.state.scene.program.targets(node.id, port)) {
      if (doubt === null || !taken.has(target)) taken.set(target, doubt)
    }
  }

  private takeAll(node: StepNode, taken: Map<string, Doubt>, doubt: Doubt): void {
    for (const port of portsOf(node)) this.take(node, port, taken, doubt)
  }

  private takeErrorPort(node: StepNode, taken: Map<string, Doubt>): void {
    if ('on_error' in node && node.on_error === 'branch') this.take(node, 'error', taken, `Only if ${node.id} fails.`)
  }
}

function portsOf(node: StepNode): string[] {
  if (node.type === 'condition') return ['true', 'false']
  if (node.type === 'switch') return [...node.config.cases.map(({ port }) => port), 'default']
  if (node.type === 'approval.wait') return [...approvalPorts(node.config)]
  return ['out', 'error', 'timed_out']
}

function lateOnly({ id }: StepNode): string {
  return `Only if the flow that ${id} calls takes too long.`
}

/** The request that a call would send, without its secret. */
function describeCall(inputs: OutsideInputs): string {
  if (inputs.type === 'ai.step') {
    return `Would ask for at most ${inputs.config.max_output_tokens} tokens, with: ${cut(inputs.config.input ?? {})}`
  }
  if (inputs.type === 'chat.post') {
    return `Would post to the chat of the secret ${inputs.config.secret}: ${cut(inputs.config.text)}`
  }
  const { method, url, secret, body } = inputs.config
  const what = body === undefined ? '' : ` ${cut(body)}`
  return `Would send ${method} ${url}${secret === undefined ? '' : ` with the secret ${secret}`}${what}`
}

function cut(value: unknown): string {
  const text = JSON.stringify(value)
  const most = automation_limits.automation_failure_chars_max
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`
}

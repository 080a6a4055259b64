/**
 * A run tried out: the order of the walk and the steps themselves are a run's own, but nothing is waited for and nobody is
 * called. What a call would bring cannot be known, so from there on a step is sure, or doubtful, or would be skipped: sure
 * while only sure steps lead to it and it uses nothing unknown. Doubtful steps are not carried out and say why.
 *
 * A call is taken to succeed: what comes behind it stays sure, but the way of its error port is doubtful. Where nothing is
 * called, this goes exactly as `Walk` does.
 */
import type { StepNode } from '../../../automations/schema.ts'
import { limits } from '../../../lib/limits.ts'
import type { Change } from '../automation_run.ts'
import { spokenOf } from './names.ts'
import { entryName, type RunState } from './run-state.ts'
import { HalfDone, type OutsideInputs, performStep, type StepOutcome, type StepWork } from './step.ts'

export interface RehearsedStep {
  readonly node: string
  readonly path: readonly number[]
  readonly status: 'would_run' | 'would_skip' | 'would_wait' | 'unknown'
  readonly reason: string | null
  readonly changes: readonly Change[]
}

/** `failed`: a step has failed, and nobody around it has gone on. */
type Ending = 'on' | 'over' | 'failed'

/** Why a node may or may not run; `null`: it runs for sure. */
type Doubt = string | null

/** The steps that change the run's task. */
const changers = new Set(['task.update', 'task.move', 'task.complete', 'task.assign', 'task.label'])

export class RehearsedRun {
  readonly steps: RehearsedStep[] = []
  truncated = false
  outcome: 'succeeded' | 'failed' | null = null
  private readonly work: StepWork
  private readonly state: RunState
  private readonly until: number
  /** Steps, by node and path, of which nobody knows what they leave behind. */
  private readonly unknown = new Set<string>()
  /** Why whatever comes now may not come at all. */
  private doubt: Doubt = null
  /** The step that will change the task in a way that is not known. */
  private changer: string | null = null

  constructor(work: StepWork, state: RunState) {
    this.work = work
    this.state = state
    this.until = performance.now() + limits.automation_preview_ms
  }

  async run(): Promise<void> {
    const { program } = this.state.scene
    const begun = new Map(program.targets(this.state.run.trigger_node, 'out').map((id) => [id, null as Doubt]))
    const ending = await this.scope(null, begun, [])
    if (this.doubt !== null) this.outcome = null
    else if (ending === 'failed') this.outcome = 'failed'
    else if (ending === 'on') this.outcome = 'succeeded'
  }

  /** The nodes of a scope in their order; `taken` are those that an edge leads to so far. */
  private async scope(id: string | null, taken: Map<string, Doubt>, path: readonly number[]): Promise<Ending> {
    for (const node of this.state.scene.program.order.get(id) ?? []) {
      const doubt = taken.get(node.id)
      if (doubt === undefined) this.skip(node, path)
      else {
        const ending = await this.step(node, path, this.doubt ?? this.late() ?? doubt, taken)
        if (ending !== 'on') return ending
      }
    }
    return 'on'
  }

  /** Time and steps are bounded: what lies behind is in doubt. */
  private late(): Doubt {
    const enough = this.steps.length >= limits.automation_steps_max
    if (!enough && performance.now() < this.until) return null
    this.truncated = true
    this.doubt = 'The preview ended before it came here.'
    return this.doubt
  }

  private skip(node: StepNode, path: readonly number[]): void {
    this.tell(node, path, 'would_skip', null)
    this.state.entries.set(entryName(node.id, path), { node: node.id, path, status: 'skipped', output: null })
  }

  private tell(
    node: StepNode,
    path: readonly number[],
    status: RehearsedStep['status'],
    reason: string | null,
    changes: readonly Change[] = [],
  ): void {
    this.steps.push({ node: node.id, path, status, reason, changes })
  }

  private async step(
    node: StepNode,
    path: readonly number[],
    doubt: Doubt,
    taken: Map<string, Doubt>,
  ): Promise<Ending> {
    if (doubt !== null) {
      this.forget(node, path, doubt)
      if (node.type === 'stop') this.doubt ??= `The run may have ended at ${node.id}.`
      this.takeAll(node, taken, doubt)
      return 'on'
    }
    const lacking = this.lacking(node, path)
    if (lacking !== null) return this.blind(node, path, lacking, taken)
    const outcome = await this.perform(node, path)
    return await this.follow(node, path, outcome, taken)
  }

  private async perform(node: StepNode, path: readonly number[]): Promise<StepOutcome> {
    try {
      return await performStep(this.work, this.state, { node, path })
    } catch (error) {
      if (error instanceof HalfDone) return error.failure
      throw error
    }
  }

  /** What a step would need to know and nobody does; `null` when it can be carried out. */
  private lacking(node: StepNode, path: readonly number[]): string | null {
    const { program, event } = this.state.scene
    const { variables, steps } = spokenOf(program, node)
    for (const step of steps) {
      const depth = program.steps.get(step)?.within.length ?? 0
      if (this.unknown.has(entryName(step, path.slice(0, depth)))) {
        return `It uses what ${step} leaves behind, which is not known before a run.`
      }
    }
    if (event === null && (variables.has('event') || variables.has('before'))) {
      return 'It uses the event, and there is none to try with.'
    }
    if (this.changer === null || !variables.has('task')) return null
    return `It uses the task, which ${this.changer} will have changed in a way that is not known before a run.`
  }

  /** A step that would come for sure, though nobody knows what it would do. */
  private blind(node: StepNode, path: readonly number[], reason: string, taken: Map<string, Doubt>): Ending {
    if (node.type === 'delay' || node.type === 'wait_until') {
      this.remember(node, path, undefined)
      this.tell(node, path, 'would_wait', reason)
      this.take(node, 'out', taken, null)
      return 'on'
    }
    if (node.type === 'stop') {
      this.tell(node, path, 'would_run', reason)
      this.outcome = node.config.outcome
      return 'over'
    }
    this.forget(node, path, reason)
    if (changers.has(node.type)) this.changer ??= node.id
    if (node.type === 'condition' || node.type === 'switch')
      this.takeAll(node, taken, `Nobody knows which way ${node.id} goes.`)
    else this.take(node, 'out', taken, null)
    this.maybeFails(node, taken)
    return 'on'
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
      this.tell(node, path, 'would_run', outcome.message)
      this.outcome = outcome.outcome
      return 'over'
    }
    if (outcome.kind === 'call') {
      this.remember(node, path, undefined)
      this.tell(node, path, 'would_run', saying(outcome.inputs))
      this.take(node, 'out', taken, null)
      this.maybeFails(node, taken)
      return 'on'
    }
    if (outcome.kind === 'wait') {
      const woke_at = Math.floor(outcome.until / 1000)
      this.remember(node, path, { woke_at })
      this.tell(node, path, 'would_wait', `Until ${new Date(outcome.until).toISOString()}.`)
      this.take(node, 'out', taken, null)
      return 'on'
    }
    this.remember(node, path, outcome.output)
    this.tell(node, path, 'would_run', null, outcome.changes)
    this.take(node, outcome.port ?? 'out', taken, null)
    return node.type === 'for_each' ? await this.items(node, path, outcome.items ?? 0) : 'on'
  }

  private failed(node: StepNode, path: readonly number[], reason: string, taken: Map<string, Doubt>): Ending {
    this.tell(node, path, 'would_run', reason)
    this.state.entries.set(entryName(node.id, path), { node: node.id, path, status: 'failed', output: null })
    const on_error = 'on_error' in node ? (node.on_error ?? 'fail') : 'fail'
    if (on_error === 'fail') return 'failed'
    this.take(node, on_error === 'branch' ? 'error' : 'out', taken, null)
    return 'on'
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
      if (ending === 'over' || (ending === 'failed' && node.config.on_item_error !== 'continue')) return ending
    }
    return 'on'
  }

  /** What a step left behind, `undefined` when nobody knows. */
  private remember(node: StepNode, path: readonly number[], output: unknown): void {
    const name = entryName(node.id, path)
    if (output === undefined) this.unknown.add(name)
    this.state.entries.set(name, { node: node.id, path, status: 'succeeded', output: output ?? null })
  }

  /** Lists a step that is in doubt, and the body that it has. */
  private forget(node: StepNode, path: readonly number[], reason: string): void {
    this.unknown.add(entryName(node.id, path))
    this.tell(node, path, 'unknown', reason)
    for (const inner of this.state.scene.program.order.get(node.id) ?? []) {
      if (inner.type === 'stop') this.doubt ??= `The run may have ended at ${inner.id}.`
      this.forget(inner, [...path, 0], reason)
    }
  }

  /** A way that is sure stays sure, whatever else leads there. */
  private take(node: StepNode, port: string, taken: Map<string, Doubt>, doubt: Doubt): void {
    for (const target of this.state.scene.program.targets(node.id, port)) {
      if (doubt === null || !taken.has(target)) taken.set(target, doubt)
    }
  }

  private takeAll(node: StepNode, taken: Map<string, Doubt>, doubt: Doubt): void {
    for (const port of portsOf(node)) this.take(node, port, taken, doubt)
  }

  private maybeFails(node: StepNode, taken: Map<string, Doubt>): void {
    if ('on_error' in node && node.on_error === 'branch') this.take(node, 'error', taken, `Only if ${node.id} fails.`)
  }
}

function portsOf(node: StepNode): string[] {
  if (node.type === 'condition') return ['true', 'false']
  if (node.type === 'switch') return [...node.config.cases.map(({ port }) => port), 'default']
  return ['out', 'error']
}

/** What a call would send, without its secret. */
function saying(inputs: OutsideInputs): string {
  if (inputs.type === 'ai.step') {
    return `Would ask for at most ${inputs.config.max_output_tokens} tokens, with: ${cut(inputs.config.input ?? {})}`
  }
  const { method, url, secret, body } = inputs.config
  const what = body === undefined ? '' : ` ${cut(body)}`
  return `Would send ${method} ${url}${secret === undefined ? '' : ` with the secret ${secret}`}${what}`
}

function cut(value: unknown): string {
  const text = JSON.stringify(value)
  const most = limits.automation_failure_chars_max
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`
}

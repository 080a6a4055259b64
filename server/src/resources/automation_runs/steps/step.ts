/**
 * Executes one step of a run: resolves its inputs, checks its authority, and applies its effect. Live runs, shadow runs
 * and rehearsals differ only in the transaction they pass: committed, read-only or rolled back. Waits and outside calls
 * are returned to the caller instead of executed. Nothing is emitted or journaled here; the outcome lists the events,
 * and the caller that commits records them (contract/16#actions).
 */
import { Refusal } from '../../../api/declare/errors.ts'
import type { Scope } from '../../../api/declare/scopes.ts'
import { limits } from '../../../api/limits.ts'
import { automation_limits } from '../../../automations/limits.ts'
import { resolveInputs, type StepInputs } from '../../../automations/resolve.ts'
import type { StepNode } from '../../../automations/schema.ts'
import { type FindEntry, stepVariables } from '../../../automations/variables.ts'
import type { TaskRow } from '../../../db/schema.ts'
import type { Tx } from '../../../db/store.ts'
import { millis, seconds } from '../../../lib/clock.ts'
import { callerOfFlow, scopesOfStep } from '../authority.ts'
import type { Change } from '../automation_run.ts'
import { readSubject, type Subject } from '../queries-subject.ts'
import { changeOf, type Told } from './changes.ts'
import { type ActingInputs, carryOut } from './effects.ts'
import { entryName, orgOf, type RunState } from './run-state.ts'

/** A step to execute. */
export interface StepPlace {
  readonly node: StepNode
  readonly path: readonly number[]
}

export interface StepWork {
  readonly tx: Tx
  /** Milliseconds. */
  readonly now: number
  /** The run's present scopes; null if it has lost its authority. */
  readonly authority: ReadonlySet<Scope> | null
  /** The run's task if this transaction has already read it: as expressions see it, and its row for effects. */
  readonly subject?: { readonly shown: Subject | null; readonly row: TaskRow | undefined }
}

export type OutsideInputs = Extract<StepInputs, { type: 'http.request' | 'ai.step' }>

export interface StepFailed {
  readonly kind: 'failed'
  readonly code: string
  readonly message: string
}

export type StepOutcome =
  | {
      readonly kind: 'done'
      readonly port: string | null
      readonly items: number | null
      readonly output: unknown
      readonly emitted: readonly Told[]
      readonly changes: readonly Change[]
    }
  | StepFailed
  /** A stop: the run ends with this `message`. */
  | { readonly kind: 'stop'; readonly outcome: 'succeeded' | 'failed'; readonly message: string | null }
  /** Sleeps until this time, in milliseconds. */
  | { readonly kind: 'wait'; readonly until: number }
  | { readonly kind: 'call'; readonly inputs: OutsideInputs }

/** A refusal after the first write; the owner of the transaction must roll it back. */
export class HalfDone extends Error {
  readonly failure: StepFailed

  constructor(failure: StepFailed) {
    super(failure.message)
    this.failure = failure
  }
}

/** Executes the step without its waits and outside calls. Throws HalfDone, and what the store throws. */
export async function performStep(work: StepWork, state: RunState, { node, path }: StepPlace): Promise<StepOutcome> {
  const refused = refuseUnauthorised(work, state, node)
  if (refused !== null) return refused
  const { program } = state.scene
  const facts = await factsOf(work, state)
  const find: FindEntry = (id, at) => state.entries.get(entryName(id, at))
  const variables = stepVariables(program, { node: node.id, path }, find, facts)
  const resolved = resolveInputs(program, node.id, variables)
  if (!resolved.ok) return failed(resolved.failure.code, resolved.failure.message)
  return await follow(work, state, resolved.inputs)
}

/** The failure of a step without authority; null if the step may run. */
export function refuseUnauthorised(work: StepWork, { scene }: RunState, node: StepNode): StepFailed | null {
  if (work.authority === null) {
    return failed(
      'insufficient_scope',
      'The credential that activated this version of the flow was deleted or has expired.',
    )
  }
  const missing = scopesOfStep(node.type, scene.subject !== null).find((scope) => !work.authority?.has(scope))
  if (missing === undefined) return null
  return failed('insufficient_scope', `The step requires the scope ${missing}, which the flow no longer has.`)
}

export function failed(code: string, message: string): StepFailed {
  const most = automation_limits.automation_failure_chars_max
  const shortened = message.length > most ? `${message.slice(0, most).toWellFormed()}…` : message
  return { kind: 'failed', code, message: shortened }
}

/** The run's task in its present state; null if the run has none or it was deleted. */
export async function subjectOf(tx: Tx, { subject, realm, program }: RunState['scene']): Promise<Subject | null> {
  return subject === null ? null : await readSubject(tx, realm, subject, program)
}

async function factsOf({ tx, now, subject }: StepWork, { scene, run }: RunState) {
  const { event, before, flow } = scene
  return {
    event,
    before,
    task: subject === undefined ? await subjectOf(tx, scene) : subject.shown,
    now: seconds(now),
    flow,
    org: orgOf(scene),
    run: {
      id: run.id,
      trigger: run.trigger_node,
      started_at: seconds(run.started_at ?? now),
      depth: run.depth,
    },
  }
}

async function follow(work: StepWork, state: RunState, inputs: StepInputs): Promise<StepOutcome> {
  switch (inputs.type) {
    case 'condition':
    case 'switch':
      return done({ port: inputs.port, output: inputs.output })
    case 'for_each':
      return done({ items: inputs.items, output: inputs.output })
    case 'delay':
      return { kind: 'wait', until: work.now + millis(inputs.config.seconds) }
    case 'wait_until':
      return waitUntil(work.now, inputs.config)
    case 'stop':
      return { kind: 'stop', outcome: inputs.config.outcome, message: inputs.config.message ?? null }
    case 'http.request':
    case 'ai.step':
      return { kind: 'call', inputs }
    default:
      return await act(work, state, inputs)
  }
}

interface WaitUntil {
  readonly at: number
  readonly if_past?: 'continue' | 'fail'
}

function waitUntil(now: number, { at, if_past }: WaitUntil): StepOutcome {
  const until = Math.min(millis(at), millis(limits.moment_seconds_max))
  if (until > now) return { kind: 'wait', until }
  if (if_past === 'fail') return failed('wait_is_past', `The time to wait for, ${at}, is in the past.`)
  return done({ output: { woke_at: seconds(now) } })
}

async function act(
  { tx, now, authority, subject }: StepWork,
  state: RunState,
  inputs: ActingInputs,
): Promise<StepOutcome> {
  const { scene } = state
  const emitted: Told[] = []
  const flow = {
    realm: scene.realm,
    id: scene.flow.id,
    organization: scene.organization.organization,
    mode_of_data: scene.mode,
  }
  const effect = {
    tx,
    now,
    caller: callerOfFlow(flow, scene.organization, scene.version.credential, authority ?? new Set()),
    workspace: scene.flow.workspace,
    subject: scene.subject,
    row: subject?.row,
    emit: (type: Told['type'], after: object, before?: object) => void emitted.push({ type, after, before }),
  }
  const wasDirty = tx.dirty
  try {
    const output = await carryOut(effect, inputs)
    return done({ output, emitted, changes: emitted.map(changeOf) })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { param } = error.options
    const failure = failed(error.code, param === undefined ? error.message : `${param}: ${error.message}`)
    if (tx.dirty && !wasDirty) throw new HalfDone(failure)
    return failure
  }
}

/** The outcome of a step that succeeded. */
export function done(given: Partial<Omit<Extract<StepOutcome, { kind: 'done' }>, 'kind'>>): StepOutcome {
  return { kind: 'done', port: null, items: null, output: null, emitted: [], changes: [], ...given }
}

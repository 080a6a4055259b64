/**
 * One step of a run: what it is told to do, whether it may, and the doing. Runs, runs in shadow mode and rehearsals all come
 * through here: they differ only in the transaction that they hand in. A run's is committed; a shadow's takes no writes; a
 * rehearsal's is rolled back. Waiting and calls to the outside are not done here but named, for whoever asked to see to.
 *
 * Nothing is emitted or journaled here: the outcome says what was told, and the one who commits writes it down.
 */
import { Refusal } from '../../../api/errors.ts'
import type { Scope } from '../../../api/scopes.ts'
import { resolveInputs, type StepInputs } from '../../../automations/resolve.ts'
import type { StepNode } from '../../../automations/schema.ts'
import { type FindEntry, stepVariables } from '../../../automations/variables.ts'
import type { TaskRow } from '../../../db/schema.ts'
import type { Tx } from '../../../db/store.ts'
import { millis, seconds } from '../../../lib/clock.ts'
import { limits } from '../../../lib/limits.ts'
import { callerOfFlow, scopesOfStep } from '../authority.ts'
import type { Change } from '../automation_run.ts'
import { readSubject, type Subject } from '../queries-subject.ts'
import { changeOf, type Told } from './changes.ts'
import { type ActingInputs, carryOut } from './effects.ts'
import { entryName, orgOf, type RunState } from './run-state.ts'

/** A step that is to be done. */
export interface StepPlace {
  readonly node: StepNode
  readonly path: readonly number[]
}

export interface StepWork {
  readonly tx: Tx
  /** Milliseconds. */
  readonly now: number
  /** What the run may do now; `null`: nothing any more. */
  readonly authority: ReadonlySet<Scope> | null
  /** What was read of the run's task in this transaction already, as expressions and as effects see it. */
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
      readonly told: readonly Told[]
      readonly changes: readonly Change[]
    }
  | StepFailed
  /** A stop: the run ends; `message` is what it says. */
  | { readonly kind: 'stop'; readonly outcome: 'succeeded' | 'failed'; readonly message: string | null }
  /** Sleeps until then, in milliseconds. */
  | { readonly kind: 'wait'; readonly until: number }
  | { readonly kind: 'call'; readonly inputs: OutsideInputs }

/** What a refusal left half done: whoever holds the transaction must roll it back. */
export class HalfDone extends Error {
  readonly failure: StepFailed

  constructor(failure: StepFailed) {
    super(failure.message)
    this.failure = failure
  }
}

/** Does the step, as far as that is done inside. Throws HalfDone, and what the store throws. */
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

/** The failure of a step that may not be done any more; `null` when it may. */
export function refuseUnauthorised(work: StepWork, { scene }: RunState, node: StepNode): StepFailed | null {
  if (work.authority === null) {
    return failed('insufficient_scope', 'The credential that activated this version of the flow stands no more.')
  }
  const missing = scopesOfStep(node.type, scene.subject !== null).find((scope) => !work.authority?.has(scope))
  if (missing === undefined) return null
  return failed('insufficient_scope', `This needs the scope ${missing}, which the flow does not have any more.`)
}

export function failed(code: string, message: string): StepFailed {
  const most = limits.automation_failure_chars_max
  const told = message.length > most ? `${message.slice(0, most).toWellFormed()}…` : message
  return { kind: 'failed', code, message: told }
}

/** The run's task as it is now; `null` when it has none, or it was deleted. */
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
  if (if_past === 'fail') return failed('wait_is_past', `The moment to wait for, ${at}, is past.`)
  return done({ output: { woke_at: seconds(now) } })
}

async function act(
  { tx, now, authority, subject }: StepWork,
  state: RunState,
  inputs: ActingInputs,
): Promise<StepOutcome> {
  const { scene } = state
  const told: Told[] = []
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
    emit: (type: Told['type'], after: object, before?: object) => void told.push({ type, after, before }),
  }
  const wasDirty = tx.dirty
  try {
    const output = await carryOut(effect, inputs)
    return done({ output, told, changes: told.map(changeOf) })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { param } = error.options
    const failure = failed(error.code, param === undefined ? error.message : `${param}: ${error.message}`)
    if (tx.dirty && !wasDirty) throw new HalfDone(failure)
    return failure
  }
}

/** A step that is over and well. */
export function done(given: Partial<Omit<Extract<StepOutcome, { kind: 'done' }>, 'kind'>>): StepOutcome {
  return { kind: 'done', port: null, items: null, output: null, told: [], changes: [], ...given }
}

/** How a step comes out, before anything of it is journaled. */
import { automation_limits } from '../../../automations/limits.ts'
import type { AutomationApprovalRow } from '../../../db/schema.ts'
import type { Change } from '../automation_run.ts'
import type { Start } from '../start-run.ts'
import type { EmittedEvent } from './changes.ts'
import type { OutsideInputs } from './outside-inputs.ts'

export interface StepFailed {
  readonly kind: 'failed'
  readonly code: string
  readonly message: string
  readonly input?: unknown
}

/** People are asked: the run sleeps until the approval ends. */
export interface Asked {
  readonly kind: 'ask'
  readonly approval: AutomationApprovalRow
  readonly changes: readonly Change[]
}

/** Another flow is called: its run starts in the transaction of the step. */
export interface Called {
  readonly kind: 'start'
  readonly start: Start
  readonly waits: boolean
  /** Time, in milliseconds, at which the step stops waiting; null without a timeout. */
  readonly expires_at: number | null
  readonly input?: unknown
}

export type StepOutcome =
  | {
      readonly kind: 'done'
      readonly port: string | null
      readonly items: number | null
      readonly output: unknown
      readonly emitted: readonly EmittedEvent[]
      readonly changes: readonly Change[]
      /** The settings of the step with computed values, for its journal entry. */
      readonly input?: unknown
    }
  | StepFailed
  | Asked
  | Called
  /** A stop: the run ends with this `message`; a flow that called it receives the output. */
  | {
      readonly kind: 'stop'
      readonly outcome: 'succeeded' | 'failed'
      readonly message: string | null
      readonly output: unknown
    }
  /** Sleeps until this time, in milliseconds. */
  | { readonly kind: 'wait'; readonly until: number }
  | { readonly kind: 'call'; readonly inputs: OutsideInputs }

/** A refusal after the first write; the owner of the transaction must roll it back. */
export class RefusedAfterWrite extends Error {
  readonly failure: StepFailed

  constructor(failure: StepFailed) {
    super(failure.message)
    this.failure = failure
  }
}

/** An effect that fails before its first write with a code that the API does not have, such as `no_parent`. */
export class StepRefused extends Error {
  readonly failure: StepFailed

  constructor(code: string, message: string) {
    super(message)
    this.failure = failed(code, message)
  }
}

export function failed(code: string, message: string): StepFailed {
  const most = automation_limits.automation_failure_chars_max
  const shortened = message.length > most ? `${message.slice(0, most).toWellFormed()}…` : message
  return { kind: 'failed', code, message: shortened }
}

/** The outcome of a step that succeeded. */
export function done(given: Partial<Omit<Extract<StepOutcome, { kind: 'done' }>, 'kind'>>): StepOutcome {
  return { kind: 'done', port: null, items: null, output: null, emitted: [], changes: [], ...given }
}

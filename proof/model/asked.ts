/** A request in the contract's terms, and what the model expects of its answer. */
import type { Expected, Json, Name } from './names.ts'
import type { OperationModel } from './operation.ts'
import type { Code, Param } from './refused.ts'
import type { Credential } from './state.ts'

export interface Presented {
  /** As it is sent, or a name; `null`: no header. */
  readonly secret: string | null
  /** Whose it is; `null`: nobody's. */
  readonly is: Credential | null
}

export interface Asked {
  readonly operation: OperationModel
  readonly presented: Presented
  /** The credential stands in the URL as well. */
  readonly inUrl: boolean
  readonly params: Readonly<Record<string, string>>
  readonly query: readonly (readonly [name: string, value: string])[]
  readonly body: Json | undefined
  /** Sent instead of the body. */
  readonly raw: { readonly text: string; readonly type: string | null } | null
  /** The Idempotency-Key headers of a write. */
  readonly keys: readonly string[]
  readonly headers: Readonly<Record<string, string>>
}

/** What is left of each credit window; `null`: it has no limit. */
export type Remaining = Readonly<Record<'minute' | 'day' | 'plan_day', number | null>>

export interface Expectation {
  readonly status: number
  readonly code: Code | null
  readonly param: Param
  readonly answer: { readonly [name: string]: Expected } | null
  /** What the tag begins with; `null`: it is a hash. */
  readonly revision: number | null
  /** The tag's name, where a later request may send it. */
  readonly tag: Name | null
  /** The request's own name. */
  readonly request: Name
  /** The request whose answer is given again. */
  readonly replayOf: Name | null
  readonly isDryRun: boolean
  /** After it; `null`: it was refused before it was counted. */
  readonly remaining: Remaining | null | 'unknown'
  /** Frames of a stream, instead of an answer. */
  readonly frames: readonly Expected[] | null
}

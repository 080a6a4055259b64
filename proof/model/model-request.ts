/** A request in the contract's terms, and the answer that the model expects. */
import type { Expected, Name } from './names.ts'
import type { Code, Param } from './refused.ts'

export type { ModelRequest, Presented } from './operation.ts'

/** The rest of each credit window; `null`: unlimited. */
export type Remaining = Readonly<Record<'minute' | 'day' | 'plan_day', number | null>>

export interface Expectation {
  readonly status: number
  readonly code: Code | null
  readonly param: Param
  readonly answer: { readonly [name: string]: Expected } | null
  /** The revision at the beginning of the tag; `null`: the tag is a hash. */
  readonly revision: number | null
  /** The tag's name, if a later request may send it. */
  readonly tag: Name | null
  /** The request's name. */
  readonly request: Name
  /** The request whose answer is replayed. */
  readonly replayOf: Name | null
  readonly isDryRun: boolean
  /** After the request; `null`: it was refused before it was counted. */
  readonly remaining: Remaining | null | 'unknown'
  /** The frames of a stream, instead of an answer. */
  readonly frames: readonly Expected[] | null
}

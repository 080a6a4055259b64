/** What the checks of settings share: the facts that they need, and how they report. */
import type { Scope } from '../api/declare/scopes.ts'

/** Facts that this folder does not import; the caller passes them, so graphs can be checked alone. */
export interface Known {
  /** All event types by name, each with the scope that reads its objects. */
  readonly event_types: ReadonlyMap<string, Scope>
  readonly task_statuses: readonly string[]
  readonly task_priorities: readonly string[]
  /** The current time in milliseconds, from which schedules are checked. */
  readonly now_ms: number
  /** Why a task filter is invalid (contract/06#filter); undefined if it is valid. */
  readonly filterFault: (filter: string) => string | undefined
}

export type AddFault = (param: string, what: string) => void

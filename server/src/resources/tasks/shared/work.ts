import type { Caller } from '../../../api/declare/caller.ts'
import type { EventType } from '../../../api/declare/event.ts'
import type { Tx } from '../../../db/store.ts'

/** The part of a write's context that the shared functions need. `now` is in milliseconds. */
export interface TaskWork {
  readonly tx: Tx
  readonly caller: Caller
  readonly now: number
  emit(event: EventType, after: object, before?: object): void
}

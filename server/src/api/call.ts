/** One request on its way through the rules. */
import type { Caller } from './caller.ts'
import type { Charge } from './charge.ts'
import type { Operation } from './operation.ts'
import type { Request } from './request.ts'

/** What is learnt of a request while the rules are applied; the request log is written from it. */
export interface Call {
  readonly request: Request
  readonly operation: Operation | null
  readonly params: Readonly<Record<string, string>>
  /** A write that is to change nothing. */
  readonly dryRun: boolean
  caller: Caller | null
  charge: Charge | null
  version: string | null
  queryNames: string[]
  idempotencyKey: string | null
  originalRequest: string | null
  errorCode: string | null
  errorParam: string | null
  /** Ids of the events that the request caused. */
  events: string[]
}

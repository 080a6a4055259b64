import type { Charge } from '../credits/charge.ts'
import type { Caller } from '../declare/caller.ts'
import type { Operation } from '../declare/operation.ts'
import type { Request } from '../declare/request.ts'

/** What the rules have found out about a request. The request log is written from it. */
export interface Call {
  readonly request: Request
  readonly operation: Operation | null
  readonly params: Readonly<Record<string, string>>
  /** The write changes nothing (contract/17#dry-run). */
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

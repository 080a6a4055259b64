/** The addresses of flows for incoming webhooks, and the requests that started runs (contract/16#incoming-webhooks). */
import { randomBase62 } from '../../../lib/base62.ts'
import { FlowAddresses } from './addresses.ts'
import { Arrivals } from './arrivals.ts'

/** A request as expressions see it. */
export interface HookRequest {
  /** The key by which the sender identifies the request; null without one. */
  readonly id: string | null
  readonly body: unknown
  /** The headers that the trigger names, in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Several values of a name are a list. */
  readonly query: Readonly<Record<string, string | readonly string[]>>
}

/** 256 random bits. */
export const newUrlSecret = () => randomBase62(43)

export const hookAddresses = new FlowAddresses({ table: 'automation_hooks', prefix: 'hook', newSecret: newUrlSecret })

export const hookRequests = new Arrivals<HookRequest>({
  table: 'automation_hook_requests',
  key: 'request_key',
  content: 'request',
})

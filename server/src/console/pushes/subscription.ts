/** A browser that shows notices, as its person sees it. */
import { createHash } from 'node:crypto'
import type { PushSubscriptionRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import type { PushSubscriptionEntry } from '../shapes.ts'

/** The page finds its own browser in the list by this id. */
export function subscriptionId(endpoint: string): string {
  return `psb_${createHash('sha256').update(endpoint).digest('hex').slice(0, 32)}`
}

export function showSubscription({ id, created, user_agent }: PushSubscriptionRow): PushSubscriptionEntry {
  return { id, created: seconds(created), user_agent }
}

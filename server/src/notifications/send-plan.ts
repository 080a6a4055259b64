/** What is sent besides the inbox: plans the mails and the notices of browsers of one transaction. Choices are read once. */
import type { Tx } from '../db/store.ts'
import type { KindName } from './kinds.ts'
import { inbox_limits } from './limits.ts'
import { planMailOf } from './mail-plan.ts'
import { allPreferences, no_preferences, type Preferences } from './preferences.ts'
import { planPushesOf, subscriptionsOf } from './push-plan.ts'

/** By which ways people hear. */
export interface Reach {
  readonly mails: boolean
  readonly pushes: boolean
}

export const inbox_only: Reach = { mails: false, pushes: false }

export class SendPlan {
  private readonly tx: Tx
  private readonly organization: string
  private readonly now: number
  private readonly reach: Reach
  private choices: Promise<Map<string, Preferences>> | null = null
  private subscriptions: Promise<Map<string, string[]>> | null = null

  constructor(tx: Tx, organization: string, now: number, reach: Reach) {
    this.tx = tx
    this.organization = organization
    this.now = now
    this.reach = reach
  }

  /** Plans what an entry leads to. `at` is when it happened: an old entry, as after a rebuild, is not sent. */
  async add(realm: number, user: string, entry: { readonly id: string; readonly kind: KindName; readonly at: number }) {
    const { tx, now, organization, reach } = this
    if (now - entry.at > inbox_limits.inbox_sent_within_ms) return
    this.subscriptions ??= reach.pushes ? subscriptionsOf(tx, organization) : Promise.resolve(new Map())
    const subscriptions = (await this.subscriptions).get(user) ?? []
    if (!reach.mails && subscriptions.length === 0) return
    this.choices ??= allPreferences(tx, organization)
    const preferences = (await this.choices).get(user) ?? no_preferences
    const to = { realm, organization, user, preferences }
    if (reach.mails) await planMailOf(tx, to, entry, now)
    planPushesOf(tx, { ...to, subscriptions }, entry, now)
  }
}

/** The plan of a transaction; null if nothing is sent: test data stays in the inbox. */
export function sendPlan(tx: Tx, organization: string, mode: string, now: number, reach: Reach): SendPlan | null {
  return mode === 'live' && (reach.mails || reach.pushes) ? new SendPlan(tx, organization, now, reach) : null
}

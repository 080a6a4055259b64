/** Who sends a request, and whose data it may touch: made by `authenticate.ts`, read by everything after it. */
import type { Scope as StoreScope } from '../db/store.ts'
import type { Scope } from './scopes.ts'

export type Mode = 'live' | 'test'
export type Plan = 'studio' | 'enterprise'

export interface Owner {
  /** An automation owns no credential: its runs act under one that activated it. */
  readonly type: 'organization' | 'user' | 'application' | 'automation'
  readonly id: string
}

export interface Caller {
  readonly credential: string
  /** `session`: a page of the console, in the hands of the person who owns it. */
  readonly kind: 'api_key' | 'access_token' | 'session'
  readonly organization: string
  /** The number of the organization's live or test data set. */
  readonly realm: number
  readonly mode: Mode
  readonly plan: Plan | null
  readonly scopes: ReadonlySet<Scope>
  readonly owner: Owner
  /** Of a session: its person gave a password or passkey just before. */
  readonly confirmed?: boolean
  readonly apiVersion: string
  /** The organization's API service user: author of comments, owner of boards made by organization keys. */
  readonly serviceUser: string
  readonly createdAt: number
  readonly expiresAt: number | null
  /** What the store lets this caller's queries see. */
  readonly storeScope: StoreScope
}

/** The user on whose behalf the caller acts: the key's user, else the service user (decisions §7, §15). */
export function actingUser(caller: Caller): string {
  return caller.owner.type === 'user' ? caller.owner.id : caller.serviceUser
}

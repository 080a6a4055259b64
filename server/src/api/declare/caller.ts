/** The sender of a request and the data it may access. Created by `authenticate.ts`. */
import type { Scope as StoreScope } from '../../db/store.ts'
import type { Scope } from './scopes.ts'

export type Mode = 'live' | 'test'
export type Plan = 'studio' | 'enterprise'

/** The parts of the server that a token can be limited to: `/mcp`, or everything else. */
export type Resource = 'mcp' | 'api'

export interface Owner {
  /** An automation owns no credential: its runs use the one that activated the flow. */
  readonly type: 'organization' | 'user' | 'application' | 'automation'
  readonly id: string
}

/** The owner of data: an organization and one of its two data sets. Every look-up is limited to one tenant. */
export interface Tenant {
  readonly organization: string
  /** The number of the organization's live or test data set. */
  readonly realm: number
}

/** What a guest sees of a data set: these projects, with the workspaces that they are in, and nothing else. */
export interface GuestAccess {
  readonly projects: ReadonlySet<string>
  readonly workspaces: ReadonlySet<string>
}

/** The access of a guest for whom a look-up is made; null for any other caller, and for the server's own work. */
export function guestOf(tenant: Tenant | Caller): GuestAccess | null {
  return 'guest' in tenant ? tenant.guest : null
}

/** A credential in use: its tenant, rights and owner. */
export interface Caller extends Tenant {
  readonly credential: string
  /** Digest of the secret in use: a rolled key has two for a while. Console sessions have none. */
  readonly digest?: string
  /** `session` is a console page of the person who owns it. */
  readonly kind: 'api_key' | 'access_token' | 'session'
  readonly mode: Mode
  readonly plan: Plan | null
  readonly scopes: ReadonlySet<Scope>
  readonly owner: Owner
  /** For a token of an OAuth grant: the only part of the server that accepts it, if it is limited to one. */
  readonly resource?: Resource
  /** For a session: the person recently confirmed with password or passkey. */
  readonly confirmed?: boolean
  readonly apiVersion: string
  /** The organization's API service user: author of comments, owner of boards made by organization keys. */
  readonly serviceUser: string
  readonly createdAt: number
  readonly expiresAt: number | null
  /** The projects of a guest; null: a person or credential that sees the whole organization. */
  readonly guest: GuestAccess | null
  /** The rows that this caller's queries may see. */
  readonly storeScope: StoreScope
}

/** The user on whose behalf the caller acts: the key's user, else the service user (contract/07#service-user). */
export function actingUser(caller: Caller): string {
  return caller.owner.type === 'user' ? caller.owner.id : caller.serviceUser
}

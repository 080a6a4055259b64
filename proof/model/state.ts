/**
 * The model's state of an organization: plain data, so that a dry run can restore it. Times are Unix seconds; the trial's clock
 * moves in whole seconds.
 */
import type { Fields, Json, Name } from './names.ts'
import type { Code } from './refused.ts'

export type Mode = 'live' | 'test'
export type Kind = string

export interface Thing {
  readonly kind: Kind
  readonly id: Name
  /** As GET shows it. */
  shown: Fields
  isDeleted: boolean
  /** Fields that no answer shows. */
  readonly hidden: Record<string, Json>
}

/** The effect of one write on one object. */
export interface ObjectChange {
  readonly type: string
  readonly object: Fields
  readonly previous: Fields | string | null
  readonly workspace: Name | null
}

/** The events of one commit, in any order. */
export interface Commit {
  readonly events: readonly ObjectChange[]
  /** The names of the events by position, and of the commit. */
  readonly ids: readonly Name[]
  readonly id: Name
  /** Of the first event. */
  readonly sequence: number
  readonly created: number
  readonly actor: Fields
  readonly request: Fields | null
}

export interface Kept {
  readonly print: string
  readonly created: number
  readonly request: Name
  readonly status: number
  readonly code: Code | null
}

export interface Realm {
  readonly mode: Mode
  /** In order of creation. */
  readonly things: Thing[]
  readonly commits: Commit[]
  /** How many events precede the model. */
  readonly earlier: number
  readonly kept: Record<string, Kept>
  /** Cached counts by query. */
  readonly counts: Record<string, { count: number; computed: number }>
}

export interface Credential {
  readonly id: Name
  readonly secret: string
  readonly mode: Mode
  readonly scopes: readonly string[]
  readonly owner: { readonly type: string; readonly id: Name }
  readonly kind: 'api_key' | 'access_token'
  readonly expires: number | null
  isGone: boolean
}

export interface Window {
  begins: number
  used: number
}

interface AuditEntry {
  readonly action: string
  readonly mode: Mode
  readonly created: number
  readonly sequence: number
  readonly id: Name
  readonly fields: { readonly [name: string]: Json }
}

export interface LoggedRequest {
  readonly id: Name
  readonly mode: Mode
  readonly created: number
  readonly fields: Fields
}

/** Everything that requests can change. */
export interface Data {
  plan: 'studio' | 'enterprise' | null
  readonly realms: { readonly live: Realm; readonly test: Realm }
  readonly credentials: Credential[]
  /** By `<credential> minute`, `<credential> day` and `plan_day`. */
  readonly windows: Record<string, Window>
  readonly audit: AuditEntry[]
  readonly requests: LoggedRequest[]
  readonly disabled: string[]
}

export function newRealm(mode: Mode, earlier: number): Realm {
  return { mode, things: [], commits: [], earlier, kept: {}, counts: {} }
}

/** The last sequence of a log. */
export function lastSequence(realm: Realm): number {
  const last = realm.commits.at(-1)
  return last === undefined ? realm.earlier : last.sequence + last.events.length - 1
}

export function alive(realm: Realm, kind: Kind): Thing[] {
  return realm.things.filter((thing) => thing.kind === kind && !thing.isDeleted)
}

function _text(thing: Thing, field: string): string {
  return thing.shown[field] as string
}

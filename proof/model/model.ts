/**
 * The model of an organization: finds what requests name, changes objects, and keeps the logs. It is written from the contract
 * and never looks at a server.
 */
import type { Finder } from './forms.ts'
import { isElsewhere, MissingKind, prefixes, type Setting } from './kinds.ts'
import { anything, type Expected, type Fields, type Json, type Name, unknown_value } from './names.ts'
import type { Numbers } from './numbers.ts'
import { badBody, conflict, notFound, Refused } from './refused.ts'
import {
  alive,
  type Commit,
  type Credential,
  type Data,
  type Kind,
  lastSequence,
  type ObjectChange,
  type Realm,
  type Thing,
} from './state.ts'

export class Model implements Finder {
  data: Data
  readonly setting: Setting
  /** The trial's clock, in Unix seconds. */
  now: number
  /** Whether a name can be sent, because every server has bound it to a value. */
  readonly isKnown: (name: Name) => boolean
  /** Names below this number are assigned before the model begins. */
  private numbered = 100
  private happened: ObjectChange[] = []
  /** The mode of the current request. */
  private mode: 'live' | 'test' = 'live'

  constructor(data: Data, setting: Setting, now: number, isKnown: (name: Name) => boolean) {
    this.data = data
    this.setting = setting
    this.now = now
    this.isKnown = isKnown
  }

  /** A new name. */
  name(prefix: string): Name {
    return `${prefix}~${String(++this.numbered).padStart(6, '0')}`
  }

  realm(mode: 'live' | 'test'): Realm {
    return this.data.realms[mode]
  }

  /** Ids are found for requests of this mode from now on. */
  setMode(mode: 'live' | 'test'): void {
    this.mode = mode
  }

  /** The nameable things of a kind, in order of creation. */
  present(kind: Kind): Thing[] {
    return alive(this.realm(this.mode), kind).filter(({ id }) => this.isKnown(id))
  }

  /** Mostly a recent existing thing of this kind, sometimes a deleted, foreign or unknown one. */
  reference(kind: Kind, n: Numbers): string {
    if (kind === 'user') return this.user(n)
    const odd = n.below(100)
    if (odd >= 86) return this.stranger(kind, odd, n)
    if (kind === 'event' || kind === 'request_log' || kind === 'organization') return this.logged(kind, n)
    const living = this.present(kind).filter(({ hidden }) => hidden.isKept !== true)
    const found = living.at(-1 - n.below(Math.max(1, Math.min(6, living.length))))
    if (found === undefined) throw new MissingKind(kind)
    const { key, legacy_room_id: room } = found.shown
    if (kind === 'board' && typeof room === 'string' && n.chance(40)) return room
    return kind === 'task' && typeof key === 'string' && n.chance(10) && this.isKnown(workspaceKey(key))
      ? key
      : found.id
  }

  /** Objects that are not things of the realm. */
  private logged(kind: Kind, n: Numbers): string {
    if (kind === 'organization') return this.setting.organization.id as string
    const realm = this.realm(this.mode)
    const ids = kind === 'event' ? realm.commits.flatMap(({ ids: of }) => of) : this.data.requests.map(({ id }) => id)
    const known = ids.slice(-12).filter((id) => this.isKnown(id))
    if (known.length === 0) throw new MissingKind(kind)
    return n.pick(known.toReversed())
  }

  /** Audit entries from before the model begins. */
  earlierAudit(
    mode: 'live' | 'test',
  ): { readonly id: string; readonly shown: { readonly [name: string]: Expected } }[] {
    const unknown = anything as unknown as { readonly [name: string]: Expected }
    return Array.from({ length: this.setting.earlierAudit[mode] }, (_, i) => ({ id: `early ${i}`, shown: unknown }))
  }

  private user(n: Numbers): string {
    const users = this.setting.members.map(({ user }) => user as string)
    return n.chance(5) ? this.stranger('user', n.below(14) + 86, n) : n.pick(users)
  }

  private stranger(kind: Kind, odd: number, n: Numbers): string {
    const prefix = prefixes[kind] ?? 'xyz'
    const isTimed = kind === 'event' || kind === 'request_log'
    const never = isTimed ? `${prefix}_7${'Z'.repeat(25)}` : `${prefix}_01J${'0'.repeat(23)}`
    const dead = this.realm(this.mode).things.filter(
      (thing) => thing.kind === kind && thing.isDeleted && this.isKnown(thing.id),
    )
    if (odd >= 99) return n.pick(['a b', 'x', `${prefix}_`, '-'])
    if (odd >= 96) return never
    if (odd >= 93) return this.setting.foreign[kind]?.[0] ?? never
    if (odd >= 91) {
      const other = this.realm(this.mode === 'live' ? 'test' : 'live')
      return alive(other, kind).find(({ id }) => this.isKnown(id))?.id ?? never
    }
    return dead.length === 0 ? never : n.pick(dead.toReversed()).id
  }

  /** The thing that a reference names, deleted or not. */
  seek(realm: Realm, kind: Kind, reference: string): Thing | undefined {
    const byId = realm.things.find((thing) => thing.kind === kind && thing.id === reference)
    if (byId !== undefined) return byId
    if (kind === 'task') return realm.things.find((thing) => thing.kind === kind && thing.shown.key === reference)
    if (kind !== 'board') return undefined
    const rooms = realm.things.filter((thing) => thing.kind === kind && thing.shown.legacy_room_id === reference)
    if (rooms.length > 1) throw new Refused('resource_id_ambiguous', null)
    return rooms[0]
  }

  /** The thing that a path names, else 404 or 410. */
  find(realm: Realm, kind: Kind, reference: string, workspace?: unknown): Thing {
    const found = this.seek(realm, kind, reference)
    if (found === undefined || isElsewhere(found, workspace)) throw notFound()
    if (found.isDeleted) {
      if (kind === 'webhook_endpoint' || kind === 'board_member' || kind === 'api_key') throw notFound()
      throw new Refused('resource_deleted', null)
    }
    return found
  }

  /** The living thing that a body names, else 400 with its field. */
  referred(realm: Realm, kind: Kind, reference: string, param: string): Thing {
    const found = this.seek(realm, kind, reference)
    if (found === undefined || found.isDeleted) throw badBody(param)
    return found
  }

  /** The active member with this user id. */
  requireUser(user: string, param: string): void {
    const member = this.setting.members.find((each) => each.user === user)
    if (member === undefined || member.status !== 'active') throw badBody(param)
  }

  add(realm: Realm, kind: Kind, shown: Fields, hidden: Record<string, Json> = {}): Thing {
    const made: Thing = { kind, id: shown.id as string, shown, isDeleted: false, hidden }
    realm.things.push(made)
    return made
  }

  /** The fields that every object has. */
  head(kind: Kind): Fields {
    return { id: this.name(prefixes[kind] ?? kind), object: kind, created: this.now, updated: this.now }
  }

  /** Applies changed fields: raises the revision and records the event. Returns whether anything changed. */
  change(thing: Thing, fields: Fields, type: string): boolean {
    const before = thing.shown
    const changed = Object.entries(fields).filter(
      ([name, value]) => JSON.stringify(before[name]) !== JSON.stringify(value),
    )
    if (changed.length === 0) return false
    const after: Fields = { ...before, ...Object.fromEntries(changed), updated: this.now }
    if (typeof before.revision === 'number') after.revision = before.revision + 1
    thing.shown = after
    this.recordEvent(type, thing, before)
    return true
  }

  /** Records an event about a thing. `before`: the thing as shown before. */
  recordEvent(type: string, thing: Thing, before: Fields | null | typeof unknown_value = null): void {
    const object = structuredClone(thing.shown)
    const previous =
      before === null || before === unknown_value
        ? before
        : Object.fromEntries(
            Object.entries(before).filter(([name, value]) => JSON.stringify(object[name]) !== JSON.stringify(value)),
          )
    const workspace = thing.kind === 'workspace' ? thing.id : ((object.workspace as string | undefined) ?? null)
    this.happened.push({ type, object, previous, workspace })
  }

  remove(thing: Thing, type: string): void {
    thing.isDeleted = true
    this.recordEvent(type, thing)
  }

  /** Turns the recorded events into a commit of the realm's log. Returns it, or null without events. */
  commit(realm: Realm, actor: Fields, request: Fields | null): Commit | null {
    const events = this.happened
    this.happened = []
    if (events.length === 0) return null
    const commit: Commit = {
      events,
      ids: events.map(() => this.name('evt')),
      id: this.name('commit'),
      sequence: lastSequence(realm) + 1,
      created: this.now,
      actor,
      request,
    }
    realm.commits.push(commit)
    return commit
  }

  /** Discards the events recorded since the last commit. */
  discardEvents(): void {
    this.happened = []
  }

  workspaceOf(realm: Realm, reference: string): Thing {
    return this.referred(realm, 'workspace', reference, 'workspace')
  }

  /** A project usable in a workspace, or in any: alive and part of it. Archived projects are a conflict. */
  usableProject(realm: Realm, reference: string, workspace?: Json, param = 'project'): Thing {
    const project = this.referred(realm, 'project', reference, param)
    if (workspace !== undefined && project.shown.workspace !== workspace) throw badBody(param)
    if (project.shown.status === 'archived') throw conflict()
    return project
  }

  /** The sequence of the next audit entry. */
  nextAudit(): number {
    const { live, test } = this.setting.earlierAudit
    return live + test + this.data.audit.length + 1
  }

  credential(id: Name): Credential | undefined {
    return this.data.credentials.find((each) => each.id === id)
  }
}

function workspaceKey(key: string): string {
  return key.slice(0, key.lastIndexOf('-'))
}

/** A change without a request: what it is, how to apply it to a server, and what it records. */
import { MissingKind } from './kinds.ts'
import type { Model } from './model.ts'
import type { Expected, Fields, Json } from './names.ts'
import type { Numbers } from './numbers.ts'
import type { Server } from './server.ts'
import type { Realm, Thing } from './state.ts'

export interface Change {
  /** For the description of a counterexample. */
  readonly what: string
  /** Applies it to a server. Resolves with the result if that is compared. */
  readonly apply: (server: Server) => Promise<unknown>
  readonly expected: Expected | null
}

export type DrawChange = (n: Numbers, model: Model) => Change

const system: Fields = { type: 'system', id: 'system' }

/** Records the events as a change without a request. */
export function commit(model: Model, realm: Realm, action: string, target: Thing, more: Fields = {}): void {
  model.commit(realm, system, null)
  const workspace = (target.shown.workspace as Json | undefined) ?? null
  model.data.audit.push({
    action,
    mode: realm.mode,
    created: model.now,
    sequence: model.nextAudit(),
    id: model.name('aud'),
    fields: { credential: null, request: null, room: null, workspace, reason: null, target: target.id, ...more },
  })
}

export function one(model: Model, kind: string, n: Numbers, fits: (thing: Thing) => boolean = () => true): Thing {
  model.setMode('live')
  const found = model.present(kind).filter(fits)
  if (found.length === 0) throw new MissingKind(kind)
  return n.pick(found.toReversed())
}

export const place = (server: Server) => ({
  organization: server.organization,
  realm: server.realm,
  mode: 'live' as const,
})

/** A change that no request asked for: what it is, how a server is told, and what it writes down. */
import { Needed } from './kinds.ts'
import type { Model } from './model.ts'
import type { Expected, Fields, Json } from './names.ts'
import type { Numbers } from './numbers.ts'
import type { Server } from './server.ts'
import type { Realm, Thing } from './state.ts'

export interface Moved {
  /** For the reader of a counterexample. */
  readonly what: string
  /** Does it to a server; resolves with what it answered, if it is to be looked at. */
  readonly carry: (server: Server) => Promise<unknown>
  readonly expected: Expected | null
}

export type Move = (n: Numbers, model: Model) => Moved

const system: Fields = { type: 'system', id: 'system' }

/** Writes down what was told, as a change that no request asked for. */
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
  model.speakFor('live')
  const found = model.present(kind).filter(fits)
  if (found.length === 0) throw new Needed(kind)
  return n.pick(found.toReversed())
}

export const place = (server: Server) => ({
  organization: server.organization,
  realm: server.realm,
  mode: 'live' as const,
})

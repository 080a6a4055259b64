import type { Caller } from '../declare/caller.ts'
import type { EventActor } from './outbox.ts'

/** The actor in events and audit entries: the credential, or the person in a console session (contract/10#actors). */
export function actorOf(caller: Caller): EventActor {
  return caller.kind === 'session'
    ? { type: 'user', id: caller.owner.id }
    : { type: caller.kind, id: caller.credential }
}

import type { Caller } from './caller.ts'
import type { EventActor } from './outbox.ts'

/** Who events and the audit log say it was: the credential, or the person where one acts through the console. */
export function actorOf(caller: Caller): EventActor {
  return caller.kind === 'session'
    ? { type: 'user', id: caller.owner.id }
    : { type: caller.kind, id: caller.credential }
}

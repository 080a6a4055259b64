/** Tells people of new events: an entry is there within two seconds of the commit. */
import type { Services } from '../api/services.ts'
import { inboxesBehind, lookAhead, type RealmBehind, tellNext } from '../notifications/follow.ts'
import { inbox_limits } from '../notifications/limits.ts'
import { pause } from './pause.ts'
import type { Worker } from './worker.ts'

export const inboxWorker: Worker = {
  name: 'inbox',
  does: 'Writes entries of inboxes for new events.',
  period_ms: 500,
  lease_ms: 30_000,
  batch_max: inbox_limits.inbox_realms_max,
  everywhere: true,
  wakeUp: 'events',
  wake_ms: inbox_limits.inbox_wake_ms,
  async run(services, batch_max, stop) {
    const realms = await services.store.reader('system').all(inboxesBehind, { count: batch_max })
    await Promise.all(realms.map((place) => tellRealm(services, place)))
    if (realms.length >= inbox_limits.inbox_many_realms) await pause(inbox_limits.inbox_pause_ms, stop)
    // A step is bounded, so more events may follow.
    if (realms.length > 0) services.wakeUps.call('events')
    return realms.length
  },
}

async function tellRealm({ store, clock, log, mailer }: Services, place: RealmBehind): Promise<void> {
  const { realm, organization } = place
  const reach = { mails: mailer !== null, pushes: true }
  const scope = { organization, realms: [realm] }
  const { lost } = await store.write(scope, (tx) => tellNext(tx, place, clock.now(), reach), {
    ahead: (reader) => lookAhead(reader, place),
  })
  if (lost === null) return
  const message =
    'the newest events are missing after a failover or restore; inboxes continue with those in their place'
  log.error(message, { realm, event: lost.id, sequence: lost.sequence })
}

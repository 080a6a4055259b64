/** Brings the inbox up to date, as its workers do in a server. */
import type { Services } from '../src/api/services.ts'
import { inboxesBehind, tellNext } from '../src/notifications/follow.ts'

/** Writes the entries of all events of all realms. */
export async function fillInboxes({
  store,
  clock,
  mailer,
}: Pick<Services, 'store' | 'clock' | 'mailer'>): Promise<void> {
  for (;;) {
    const behind = await store.reader('system').all(inboxesBehind, { count: 50 })
    if (behind.length === 0) return
    for (const place of behind) {
      const scope = { organization: place.organization, realms: [place.realm] }
      await store.write(scope, (tx) => tellNext(tx, place, clock.now(), { mails: mailer !== null, pushes: true }))
    }
  }
}

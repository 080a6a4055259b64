/** Tells people of tasks that are due tomorrow or overdue. One process looks through all realms, in the order of their numbers. */
import { realmsOfClock, tellDue } from '../notifications/due.ts'
import { inbox_limits } from '../notifications/limits.ts'
import type { Worker } from './worker.ts'

export const inboxClockWorker: Worker = {
  name: 'inbox_clock',
  does: 'Writes entries of inboxes for tasks that are due tomorrow or overdue.',
  period_ms: 30_000,
  lease_ms: 120_000,
  batch_max: inbox_limits.inbox_realms_max,
  async run({ store, clock, mailer }, count, stop) {
    let realm = -1
    for (;;) {
      const found = await store.reader('system').all(realmsOfClock, { realm, count })
      for (const place of found) {
        if (stop.aborted) return 0
        await tellDue(store, place, clock.now(), { mails: mailer !== null, pushes: true })
      }
      const last = found.at(-1)
      // All realms are looked at; later dates belong to the next run.
      if (last === undefined || found.length < count) return 0
      realm = last.realm
    }
  },
}

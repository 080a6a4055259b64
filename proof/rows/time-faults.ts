/** What is broken on purpose for the row "time". */
import type { PlantedFault } from '../faults.ts'

export const time_faults = [
  {
    name: 'rounded_windows',
    what: 'a window of credits begins at the nearest minute or day, and not at the last',
    cycles: 200,
    plants: [
      {
        file: 'server/src/api/credit-limits.ts',
        find: 'const startsAt = now - (now % lengths[kind])',
        put: 'const startsAt = Math.round(now / lengths[kind]) * lengths[kind]',
      },
    ],
  },
  {
    name: 'impatient_lease',
    what: 'an export that a process holds is taken over before its lease is over',
    cycles: 1500,
    plants: [
      {
        file: 'server/src/workers/exports.ts',
        find: "eb('lease_until', '<=', p('now'))",
        put: "eb('lease_until', '>', p('now'))",
      },
    ],
  },
  {
    name: 'ids_by_the_clock',
    what: 'ids go back with the clock',
    cycles: 1500,
    plants: [
      {
        file: 'server/src/lib/ids.ts',
        find: 'if (now >= lastTime + 1) startMillisecond(now)',
        put: 'if (now !== lastTime) startMillisecond(now)',
      },
    ],
  },
  {
    name: 'retries_too_soon',
    what: 'the wait before another attempt is the one before the last',
    cycles: 1500,
    plants: [
      {
        file: 'server/src/workers/deliveries-attempt.ts',
        find: 'default_schedule)[made - 1]',
        put: 'default_schedule)[Math.max(0, made - 2)]',
      },
    ],
  },
  {
    name: 'signed_with_the_event',
    what: "an attempt is signed with the event's time, and not with its own",
    cycles: 1500,
    plants: [
      {
        file: 'server/src/workers/deliveries-attempt.ts',
        find: 'timestamp: seconds(now), body',
        put: 'timestamp: seconds(event.created), body',
      },
    ],
  },
  {
    name: 'schedules_in_utc',
    what: 'a schedule fires by the clock of Greenwich',
    cycles: 1500,
    plants: [
      {
        file: 'server/src/automations/cron.ts',
        find: "new Cron(cron, { timezone, mode: '5-part', paused: true })",
        put: "new Cron(cron, { timezone: 'UTC', mode: '5-part', paused: true })",
      },
    ],
  },
] as const satisfies readonly PlantedFault[]

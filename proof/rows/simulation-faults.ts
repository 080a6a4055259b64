/** The planted faults of the row "simulation". */
import { commit_faults } from '../commit-faults.ts'
import type { PlantedFault } from '../faults.ts'

export const simulation_faults = [
  ...commit_faults,
  {
    name: 'silence_is_success',
    what: 'a delivery that was not answered in time is taken for one that arrived',
    cycles: 12,
    plants: [
      {
        file: 'server/src/workers/deliveries-attempt.ts',
        find: 'const succeeded = answer.ok && answer.status >= 200 && answer.status <= 299',
        put: `const succeeded = answer.ok ? answer.status >= 200 && answer.status <= 299 : answer.failure === 'timeout'`,
      },
    ],
  },
  {
    name: 'leased_for_ever',
    what: 'an endpoint whose process was killed is left to it',
    cycles: 12,
    plants: [
      {
        file: 'server/src/workers/deliveries-courier.ts',
        find: ".where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', p('now'))]))\n      .where('consecutive_failures'",
        put: ".where('lease_until', 'is', null)\n      .where('consecutive_failures'",
      },
    ],
  },
  {
    name: 'unfenced_runs',
    what: 'a process that has lost an automation run to another goes on with it',
    cycles: 40,
    plants: [
      {
        file: 'server/src/resources/automation_runs/steps/transaction.ts',
        find: "if (row === undefined || row.epoch !== epoch || row.lease_owner !== lease_owner) return 'lost'\n  return row.revision === revision ? 'held' : 'stale'",
        put: "return row === undefined || revision < epoch || lease_owner === null ? 'lost' : 'held'",
      },
    ],
  },
  {
    name: 'spent_twice',
    what: 'what a request has cost is given back with what it has not',
    cycles: 12,
    plants: [
      {
        file: 'server/src/api/charge.ts',
        find: 'account.inHand += price - cost',
        put: 'account.inHand += price - 0 * cost',
      },
    ],
  },
  {
    name: 'a_gap_in_the_log',
    what: 'the number behind the last event of a commit is left out',
    cycles: 6,
    plants: [
      {
        file: 'server/src/db/sqlite-tx.ts',
        find: 'this.connection.run(writeEventHead, { realm, sequence })',
        put: 'this.connection.run(writeEventHead, { realm, sequence: sequence + 1 })',
      },
    ],
  },
  {
    name: 'kept_for_ever',
    what: 'what has outlived its time is kept ten times as long',
    cycles: 12,
    plants: [
      {
        file: 'server/src/workers/sweep-by-age.ts',
        find: 'before: clock.now() - kept_ms, count',
        put: 'before: clock.now() - 10 * kept_ms, count',
      },
    ],
  },
  {
    name: 'unseeded_jitter',
    what: 'how long to wait for another attempt depends on how long the machine has been up',
    cycles: 4,
    plants: [
      {
        file: 'server/src/lib/back-off.ts',
        find: '(Math.random() * 2 - 1) * percent',
        put: '(process.hrtime()[1] / 5e8 - 1) * percent',
      },
    ],
  },
] as const satisfies readonly PlantedFault[]

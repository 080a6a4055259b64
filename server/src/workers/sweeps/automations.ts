/**
 * Retention of automations: ended runs are deleted with their journals when they are too old or too many, open runs
 * never; previews and the daily costs of AI steps are deleted when they have no further use (contract/16#durability,
 * contract/16#preview-token).
 */
import type { Services } from '../../api/services.ts'
import { automation_limits } from '../../automations/limits.ts'
import { isOneOf } from '../../db/dialect.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { Tx } from '../../db/store.ts'
import { deleteOld } from '../../db/tables/delete-old.ts'
import type { Worker } from '../worker.ts'
import { sweepByAge } from './by-age.ts'

interface RowKey {
  readonly realm: number
  readonly id: string
}

const oldRuns = query<RowKey, { before: number; count: number }>((db, p) =>
  db
    .selectFrom('automation_runs')
    .select(['realm', 'id'])
    .where('ended_at', '<=', p('before'))
    .orderBy('ended_at')
    .limit(p('count')),
)

const flowsFrom = query<RowKey, { realm: number; id: string; count: number }>((db, p) =>
  db
    .selectFrom('automation_flows')
    .select(['realm', 'id'])
    .where((or) =>
      or.or([or('realm', '>', p('realm')), or.and([or('realm', '=', p('realm')), or('id', '>', p('id'))])]),
    )
    .orderBy('realm')
    .orderBy('id')
    .limit(p('count')),
)

/**
 * The newest run beyond those that are kept: it and the older ones are removed, except open runs. The offset scans one
 * index, rarely, and at most as far as runs are kept.
 */
const newestSurplus = query<{ id: string }, { realm: number; flow: string; kept: number }>((db, p) =>
  db
    .selectFrom('automation_runs')
    .select('id')
    .where('realm', '=', p('realm'))
    .where('automation_flow', '=', p('flow'))
    .orderBy('id', 'desc')
    .limit(1)
    .offset(p('kept')),
)

const runsUpTo = query<RowKey, { realm: number; flow: string; id: string; count: number }>((db, p) =>
  db
    .selectFrom('automation_runs')
    .select(['realm', 'id'])
    .where('realm', '=', p('realm'))
    .where('automation_flow', '=', p('flow'))
    .where('id', '<=', p('id'))
    .where('ended_at', 'is not', null)
    .orderBy('id')
    .limit(p('count')),
)

const removals = [
  query((db, p: Placeholder<{ realm: number; ids: string }>, dialect) =>
    db
      .deleteFrom('automation_steps')
      .where('realm', '=', p('realm'))
      .where(isOneOf(dialect, 'run', p('ids'))),
  ),
  query((db, p: Placeholder<{ realm: number; ids: string }>, dialect) =>
    db
      .deleteFrom('automation_attempts')
      .where('realm', '=', p('realm'))
      .where(isOneOf(dialect, 'run', p('ids'))),
  ),
  query((db, p: Placeholder<{ realm: number; ids: string }>, dialect) =>
    db
      .deleteFrom('automation_hook_requests')
      .where('realm', '=', p('realm'))
      .where(isOneOf(dialect, 'run', p('ids'))),
  ),
  query((db, p: Placeholder<{ realm: number; ids: string }>, dialect) =>
    db
      .deleteFrom('automation_submissions')
      .where('realm', '=', p('realm'))
      .where(isOneOf(dialect, 'run', p('ids'))),
  ),
  query((db, p: Placeholder<{ realm: number; ids: string }>, dialect) =>
    db
      .deleteFrom('automation_mails')
      .where('realm', '=', p('realm'))
      .where(isOneOf(dialect, 'run', p('ids'))),
  ),
  query((db, p: Placeholder<{ realm: number; ids: string }>, dialect) =>
    db
      .deleteFrom('automation_approvals')
      .where('realm', '=', p('realm'))
      .where(isOneOf(dialect, 'automation_run', p('ids'))),
  ),
  query((db, p: Placeholder<{ realm: number; ids: string }>, dialect) =>
    db
      .deleteFrom('automation_runs')
      .where('realm', '=', p('realm'))
      .where(isOneOf(dialect, 'id', p('ids'))),
  ),
]

function remove(tx: Tx, runs: readonly RowKey[]): number {
  const byRealm = Map.groupBy(runs, ({ realm }) => realm)
  for (const [realm, found] of byRealm) {
    const ids = JSON.stringify(found.map(({ id }) => id))
    for (const removal of removals) tx.write(removal, { realm, ids })
  }
  return runs.length
}

const oldRunsSweep: Worker = {
  name: 'automation_run_sweep',
  does: 'Removes automation runs that ended long ago, with their journals.',
  period_ms: 60_000,
  lease_ms: 60_000,
  batch_max: 200,
  run: ({ store, clock }: Services, count) =>
    store.write('system', async (tx) => {
      const before = clock.now() - automation_limits.automation_run_kept_ms
      return remove(tx, await tx.all(oldRuns, { before, count }))
    }),
}

const surplusRuns: Worker = {
  name: 'automation_history_sweep',
  does: 'Removes the oldest runs of flows that have more runs than are kept.',
  period_ms: 600_000,
  lease_ms: 60_000,
  batch_max: 200,
  async run({ store }: Services, count) {
    const reader = store.reader('system')
    let after: RowKey = { realm: -1, id: '' }
    for (;;) {
      const flows = await reader.all(flowsFrom, { ...after, count })
      for (const { realm, id: flow } of flows) {
        const last = await reader.first(newestSurplus, {
          realm,
          flow,
          kept: automation_limits.automation_runs_kept_max,
        })
        if (last === undefined) continue
        const removed = await store.write('system', async (tx) =>
          remove(tx, await tx.all(runsUpTo, { realm, flow, id: last.id, count })),
        )
        if (removed === count) return count
      }
      const last = flows.at(-1)
      if (last === undefined || flows.length < count) return 0
      after = last
    }
  },
}

export const automationSweeps: readonly Worker[] = [
  oldRunsSweep,
  surplusRuns,
  sweepByAge(
    'automation_preview_sweep',
    'Removes previews whose tokens have expired.',
    deleteOld('automation_previews', 'expires_at', ['realm', 'digest']),
    automation_limits.preview_token_ms,
  ),
  sweepByAge(
    'automation_ai_usage_sweep',
    'Removes old daily costs of AI steps.',
    deleteOld('automation_ai_usage', 'day', ['organization', 'day', 'realm', 'flow']),
    automation_limits.automation_ai_usage_kept_ms,
  ),
]

/**
 * Claims runs: a lease under a new epoch, so that the previous holder can commit nothing more. A queued run starts here
 * if its flow is still active in the same version, or it is a rerun, and a slot is free (contract/16#durability).
 */

import { automation_limits } from '../../../automations/limits.ts'
import { default_settings } from '../../../automations/schema.ts'
import { type Placeholder, query, updateQuery } from '../../../db/query.ts'
import type { AutomationRunRow } from '../../../db/schema.ts'
import { millis } from '../../../lib/clock.ts'
import { showAutomationRun } from '../automation_run.ts'
import { endRun } from '../end-run.ts'
import { automationRunStarted } from '../events.ts'
import { programOfFlow } from '../programs.ts'
import { slotIsFree, waitForSlot } from '../queries/slots.ts'
import { findRun } from '../queries.ts'
import { inRunTransaction, type RunServices, type StepTransaction } from './transaction.ts'

/** The fields of a due run that are known before its claim. */
export type DueRun = Pick<
  AutomationRunRow,
  'realm' | 'id' | 'organization' | 'automation_flow' | 'mode_of_data' | 'causes'
>

const due_columns = ['realm', 'id', 'organization', 'automation_flow', 'mode_of_data', 'causes'] as const

/** Due runs without a valid lease, those that have waited longest first. */
export const dueRuns = query<DueRun, { now: number; count: number }>((db, p) =>
  db
    .selectFrom('automation_runs')
    .select(due_columns)
    .where('due_at', '<=', p('now'))
    .where((or) => or.or([or('lease_until', 'is', null), or('lease_until', '<=', p('now'))]))
    .orderBy('due_at')
    .limit(p('count')),
)

const findFlow = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db
    .selectFrom('automation_flows')
    .select(['status', 'version'])
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id')),
)

/** Claims a due run for `owner` and returns its row; null if there is nothing to do or no slot is free. */
export async function claimRun(services: RunServices, due: DueRun, owner: string): Promise<AutomationRunRow | null> {
  return await inRunTransaction(services, due, async (transaction) => {
    const run = await findRun(transaction.tx, due)
    if (run === undefined) return null
    if (!isDue(run, transaction.now)) return isCommittedClaim(run, owner, transaction.now) ? run : null
    if (run.status !== 'queued') return takeLease(transaction, run, owner, {})
    return (await mayStart(transaction, run)) ? await start(transaction, run, owner) : null
  })
}

/** Whether this claim was committed already but its answer was lost. */
function isCommittedClaim(
  { lease_owner, lease_until, ended_at }: AutomationRunRow,
  owner: string,
  now: number,
): boolean {
  return lease_owner === owner && lease_until !== null && lease_until > now && ended_at === null
}

function isDue({ due_at, lease_until, ended_at }: AutomationRunRow, now: number): boolean {
  return ended_at === null && due_at !== null && due_at <= now && (lease_until === null || lease_until <= now)
}

/** A claim keeps the revision, because the run itself does not change. */
function takeLease(
  { tx, now }: StepTransaction,
  run: AutomationRunRow,
  owner: string,
  changes: Partial<AutomationRunRow>,
): AutomationRunRow {
  const until = now + automation_limits.automation_lease_ms
  const all = { ...changes, epoch: run.epoch + 1, lease_owner: owner, lease_until: until, due_at: until }
  tx.write(updateQuery('automation_runs', Object.keys(all)), { ...all, realm: run.realm, id: run.id })
  return { ...run, ...all }
}

async function mayStart(transaction: StepTransaction, run: AutomationRunRow): Promise<boolean> {
  const { tx, now } = transaction
  const flow = await tx.first(findFlow, { realm: run.realm, id: run.automation_flow })
  const isCurrent = flow?.version === run.flow_version || run.rerun_of !== null
  if (flow?.status !== 'active' || !isCurrent) {
    await endRun(transaction, run, { status: 'skipped', reason: 'flow_paused' })
    return false
  }
  const program = await programOfFlow(tx, { ...run, id: run.automation_flow, version: run.flow_version })
  const { limit } = { ...default_settings.concurrency, ...program.graph.settings?.concurrency }
  if (await slotIsFree(tx, run, limit, now)) return true
  waitForSlot(tx, run)
  return false
}

async function start(transaction: StepTransaction, run: AutomationRunRow, owner: string): Promise<AutomationRunRow> {
  const { tx, now } = transaction
  const program = await programOfFlow(tx, { ...run, id: run.automation_flow, version: run.flow_version })
  const timeout = program.graph.settings?.run_timeout_seconds ?? default_settings.run_timeout_seconds
  const changes = {
    status: 'running',
    started_at: now,
    deadline_at: now + millis(timeout),
    wake_at: null,
    holds_slot: 1,
    updated: now,
    revision: run.revision + 1,
  }
  const started = takeLease(transaction, run, owner, changes)
  transaction.emit(automationRunStarted, showAutomationRun(started), showAutomationRun(run))
  return started
}

/** The columns that a lease changes. */
type LeaseChange = { lease_owner: string | null; lease_until: number | null; due_at: number | null }

const setLease = query(
  (
    db,
    p: Placeholder<{
      lease_owner: string | null
      lease_until: number | null
      due_at: number | null
      realm: number
      id: string
      epoch: number
      owner: string | null
    }>,
  ) =>
    db
      .updateTable('automation_runs')
      .set({ lease_owner: p('lease_owner'), lease_until: p('lease_until'), due_at: p('due_at') })
      .where('realm', '=', p('realm'))
      .where('id', '=', p('id'))
      .where('epoch', '=', p('epoch'))
      .where('lease_owner', '=', p('owner')),
)

type Leased = Pick<AutomationRunRow, 'realm' | 'id' | 'organization' | 'epoch' | 'lease_owner'>

/** Renews the lease of a run with a long step; does nothing if the lease was lost. */
export async function renewLease(services: RunServices, run: Leased): Promise<void> {
  const until = services.clock.now() + automation_limits.automation_lease_ms
  await lease(services, run, { lease_owner: run.lease_owner, lease_until: until, due_at: until })
}

/** Releases a run between two steps, so that another process continues at once. */
export async function releaseRun(services: RunServices, run: Leased): Promise<void> {
  await lease(services, run, { lease_owner: null, lease_until: null, due_at: services.clock.now() })
}

async function lease({ store }: RunServices, run: Leased, changes: LeaseChange): Promise<void> {
  const { realm, id, organization, epoch, lease_owner: owner } = run
  const about = { realm, id, epoch, owner, ...changes }
  await store.write({ organization, realms: [realm] }, async (tx) => tx.write(setLease, about), { recorded: true })
}

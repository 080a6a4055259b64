/**
 * Opens and closes approvals, in the transaction of a step, of a decision, or of what ends a run. Writes of an organization are
 * serial, so an approval that is read as pending stays pending until the commit, and ends once.
 */
import type { EventType } from '../../../api/declare/event.ts'
import { isOneOf } from '../../../db/dialect.ts'
import { type Placeholder, query, updateQuery } from '../../../db/query.ts'
import type { AutomationApprovalRow } from '../../../db/schema.ts'
import type { Reader, Tx } from '../../../db/store.ts'
import { type ApprovalStatus, showAutomationApproval } from '../automation_approval.ts'
import { approvalEvents } from '../events.ts'

/** The parts of a transaction that closing an approval uses. `now` is in milliseconds. */
interface Closing<E extends EventType> {
  readonly tx: Tx
  readonly now: number
  emit(event: E, after: object, before?: object): void
}

type Closed = Exclude<ApprovalStatus, 'pending'>
type Decided = Pick<AutomationApprovalRow, 'decided_by' | 'comment'>

const of_no_person: Decided = { decided_by: null, comment: null }

/** Ends a pending approval, emits its event, and returns its row. */
export function closeApproval<S extends Closed>(
  { tx, now, emit }: Closing<(typeof approvalEvents)[S]>,
  approval: AutomationApprovalRow,
  status: S,
  decided: Decided = of_no_person,
): AutomationApprovalRow {
  const changes = { status, ...decided, decided_at: now, updated: now, revision: approval.revision + 1 }
  const { realm, id } = approval
  tx.write(updateQuery('automation_approvals', Object.keys(changes)), { ...changes, realm, id })
  const closed = { ...approval, ...changes }
  emit(approvalEvents[status], showAutomationApproval(closed), showAutomationApproval(approval))
  return closed
}

const ofStep = query<AutomationApprovalRow, { realm: number; run: string; node: string; path: string }>((db, p) =>
  db
    .selectFrom('automation_approvals')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('automation_run', '=', p('run'))
    .where('node', '=', p('node'))
    .where('path', '=', p('path')),
)

/** The approval that a step of a run has asked for. */
export async function approvalOfStep(
  reader: Reader,
  step: { readonly realm: number; readonly run: string; readonly node: string; readonly path: readonly number[] },
): Promise<AutomationApprovalRow | undefined> {
  return await reader.first(ofStep, { ...step, path: step.path.join('.') })
}

const pendingOfRun = query<AutomationApprovalRow, { realm: number; run: string }>((db, p) =>
  db
    .selectFrom('automation_approvals')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('automation_run', '=', p('run'))
    .where('status', '=', 'pending'),
)

/** Cancels what a run waits for: it ends, or its step has failed. */
export async function cancelApprovals(
  transaction: Closing<(typeof approvalEvents)['canceled']>,
  run: { readonly realm: number; readonly id: string },
): Promise<void> {
  const pending = await transaction.tx.all(pendingOfRun, { realm: run.realm, run: run.id })
  for (const approval of pending) closeApproval(transaction, approval, 'canceled')
}

const setDue = query((db, p: Placeholder<{ realm: number; id: string; now: number }>) =>
  db
    .updateTable('automation_runs')
    .set({ due_at: p('now') })
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id'))
    .where('ended_at', 'is', null),
)

/** Makes the run due that waits for an approval. A worker that holds it at this moment reads the approval in its own transaction. */
export function wakeRunOf(
  tx: Tx,
  { realm, automation_run: id }: Pick<AutomationApprovalRow, 'realm' | 'automation_run'>,
  now: number,
): void {
  tx.write(setDue, { realm, id, now })
}

export function isAsked({ asked }: Pick<AutomationApprovalRow, 'asked'>, user: string): boolean {
  return (JSON.parse(asked) as readonly string[]).includes(user)
}

const pendingOfRealm = query((db, p: Placeholder<{ realm: number }>) =>
  db
    .selectFrom('automation_approvals')
    .select(['realm', 'automation_run', 'asked'])
    .where('realm', '=', p('realm'))
    .where('status', '=', 'pending'),
)

/** Wakes the runs that wait for a person who can no longer decide: each looks whether another person can. */
export async function wakeRunsWaitingFor(tx: Tx, realm: number, user: string, now: number): Promise<void> {
  for (const approval of await tx.all(pendingOfRealm, { realm }))
    if (isAsked(approval, user)) wakeRunOf(tx, approval, now)
}

const deciders = query((db, p: Placeholder<{ organization: string; users: string }>, dialect) =>
  db
    .selectFrom('members')
    .leftJoin('account_memberships', (join) =>
      join
        .onRef('account_memberships.organization', '=', 'members.organization')
        .onRef('account_memberships.user', '=', 'members.user'),
    )
    .select('members.user')
    .where('members.organization', '=', p('organization'))
    .where('members.status', '=', 'active')
    .where((or) => or.or([or('account_memberships.role', 'is', null), or('account_memberships.role', '<>', 'guest')]))
    .where(isOneOf(dialect, 'members.user', p('users'))),
)

interface Organization {
  readonly organization: string
  readonly service_user: string
}

/** Those of some users who can decide, in the same order, each once: active members who are no guests, and the service user. */
export async function whoCanDecide(
  reader: Reader,
  { organization, service_user }: Organization,
  users: readonly (string | null)[],
): Promise<string[]> {
  const named = [...new Set(users.filter((user) => user !== null))]
  const rows = await reader.all(deciders, { organization, users: JSON.stringify(named) })
  const able = new Set([service_user, ...rows.map(({ user }) => user)])
  return named.filter((user) => able.has(user))
}

/**
 * Flow rows, their activated versions, and pausing: by request, by the system, or because the project is deleted
 * (contract/16#pause).
 */

import { refuse } from '../../../api/declare/errors.ts'
import type { EventType } from '../../../api/declare/event.ts'
import { findById } from '../../../api/declare/noun.ts'
import { applyChange } from '../../../api/write/change.ts'
import { type Placeholder, query } from '../../../db/query.ts'
import type { AutomationFlowRow, AutomationVersionRow } from '../../../db/schema.ts'
import type { Reader, Tx } from '../../../db/store.ts'
import { disarmFlow } from '../../automation_runs/shared/arm.ts'
import { showAutomationFlow } from '../automation_flow.ts'
import { automationFlowPaused } from '../events.ts'

/** The parts of a handler's context that these functions use. `now` is in milliseconds. */
export interface FlowTransaction {
  readonly tx: Tx
  readonly now: number
  emit(event: EventType, after: object, before?: object): void
}

const byId = findById('automation_flows')

/** Finds a flow by id. */
export async function findFlow(reader: Reader, realm: number, id: string): Promise<AutomationFlowRow | undefined> {
  return await reader.first(byId, { realm, id })
}

const byVersion = query<AutomationVersionRow, { realm: number; flow: string; version: number }>((db, p) =>
  db
    .selectFrom('automation_versions')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('flow', '=', p('flow'))
    .where('version', '=', p('version')),
)

/** Finds an activated version; only its name ever changes. */
export async function flowVersion(
  reader: Reader,
  realm: number,
  flow: string,
  version: number,
): Promise<AutomationVersionRow | undefined> {
  return await reader.first(byVersion, { realm, flow, version })
}

const latest = query<AutomationVersionRow, { realm: number; flow: string; count: number }>((db, p) =>
  db
    .selectFrom('automation_versions')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('flow', '=', p('flow'))
    .orderBy('version', 'desc')
    .limit(p('count')),
)

/** The latest activated versions, newest first. */
export async function latestVersions(
  reader: Reader,
  { realm, id }: Pick<AutomationFlowRow, 'realm' | 'id'>,
  count: number,
): Promise<readonly AutomationVersionRow[]> {
  return await reader.all(latest, { realm, flow: id, count })
}

const rename = query((db, p: Placeholder<{ realm: number; flow: string; version: number; name: string | null }>) =>
  db
    .updateTable('automation_versions')
    .set({ name: p('name') })
    .where('realm', '=', p('realm'))
    .where('flow', '=', p('flow'))
    .where('version', '=', p('version')),
)

/** Names an activated version, or removes its name, and returns its row. */
export function nameVersion(tx: Tx, row: AutomationVersionRow, name: string | null): AutomationVersionRow {
  tx.write(rename, { realm: row.realm, flow: row.flow, version: row.version, name })
  return { ...row, name }
}

export interface Pause {
  /** Kept with the flow and in the audit entry. */
  readonly reason: string | null
  readonly origin: 'user' | 'system'
}

/**
 * Pauses an active flow, emits `automation.flow.paused` and returns the row. No further runs start; runs that have
 * begun continue. A flow that is not active is returned unchanged.
 */
export async function pauseFlow(
  transaction: FlowTransaction,
  { realm, id }: Pick<AutomationFlowRow, 'realm' | 'id'>,
  { reason, origin }: Pause,
): Promise<AutomationFlowRow> {
  const { tx, now, emit } = transaction
  const flow = (await findFlow(tx, realm, id)) as AutomationFlowRow
  if (flow.status !== 'active') return flow
  const fields = { status: 'paused', paused_at: now, pause_reason: reason, pause_origin: origin }
  const paused = applyChange(tx, 'automation_flows', flow, fields, now) as AutomationFlowRow
  disarmFlow(tx, flow)
  emit(automationFlowPaused, showAutomationFlow(paused), showAutomationFlow(flow))
  return paused
}

const activeOfProject = query<Pick<AutomationFlowRow, 'realm' | 'id'>, { realm: number; project: string }>((db, p) =>
  db
    .selectFrom('automation_flows')
    .select(['realm', 'id'])
    .where('realm', '=', p('realm'))
    .where('project', '=', p('project'))
    .where('status', '=', 'active')
    .where('deleted_at', 'is', null)
    .orderBy('id'),
)

/**
 * Pauses the active flows of a deleted project. They keep its id: without it they would watch the whole workspace,
 * which no preview covered.
 */
export async function pauseFlowsOfProject(
  transaction: FlowTransaction,
  project: { realm: number; id: string },
): Promise<void> {
  const flows = await transaction.tx.all(activeOfProject, { realm: project.realm, project: project.id })
  for (const flow of flows) await pauseFlow(transaction, flow, { reason: 'The project was deleted.', origin: 'system' })
}

const removePreviews = query((db, p: Placeholder<{ realm: number; flow: string }>) =>
  db.deleteFrom('automation_previews').where('realm', '=', p('realm')).where('flow', '=', p('flow')),
)

/** Voids the previews of a changed flow. */
export function voidPreviews(tx: Tx, { realm, id }: AutomationFlowRow): void {
  tx.write(removePreviews, { realm, flow: id })
}

/** The refusal of a version that a flow does not have. */
export function unknownVersion({ version: latest }: AutomationFlowRow, version: number) {
  const known =
    latest === 0
      ? 'It was never activated.'
      : latest === 1
        ? 'Its only version is 1.'
        : `Its versions are 1 to ${latest}.`
  return refuse('invalid_request_body', { param: 'version', message: `The flow has no version ${version}. ${known}` })
}

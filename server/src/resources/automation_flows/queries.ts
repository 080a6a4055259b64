/** Flows beyond their look-up: the versions that were activated, the end of an active one, what its project's end does to it. */
import { applyChange } from '../../api/change.ts'
import type { EventType } from '../../api/event.ts'
import { findById } from '../../api/noun.ts'
import { query } from '../../db/query.ts'
import type { AutomationFlowRow, AutomationVersionRow } from '../../db/schema.ts'
import type { Reader, Tx } from '../../db/store.ts'
import { disarmFlow } from '../automation_runs/queries-arm.ts'
import { showAutomationFlow } from './automation_flow.ts'
import { automationFlowPaused } from './events.ts'

/** What these functions need of a handler. `now` is in milliseconds. */
export interface FlowWork {
  readonly tx: Tx
  readonly now: number
  emit(event: EventType, after: object, before?: object): void
}

const byId = findById('automation_flows')

/** The flow of a realm with this id. */
export async function findFlow(reader: Reader, realm: number, id: string): Promise<AutomationFlowRow | undefined> {
  return await reader.first(byId, { realm, id })
}

const byVersion = query<AutomationVersionRow>((db, p) =>
  db
    .selectFrom('automation_versions')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('flow', '=', p('flow'))
    .where('version', '=', p('version')),
)

/** What was activated as this version: it never changes. */
export async function flowVersion(
  reader: Reader,
  realm: number,
  flow: string,
  version: number,
): Promise<AutomationVersionRow | undefined> {
  return await reader.first(byVersion, { realm, flow, version })
}

export interface Pause {
  /** Kept with the flow and in the audit entry. */
  readonly reason: string | null
  readonly origin: 'user' | 'system'
}

/**
 * Pauses an active flow, emits `automation.flow.paused` and returns the row. Nothing starts any more; runs that have begun
 * go on to their end. One that is not active is returned as it is.
 */
export async function pauseFlow(
  work: FlowWork,
  { realm, id }: Pick<AutomationFlowRow, 'realm' | 'id'>,
  { reason, origin }: Pause,
): Promise<AutomationFlowRow> {
  const { tx, now, emit } = work
  const flow = (await findFlow(tx, realm, id)) as AutomationFlowRow
  if (flow.status !== 'active') return flow
  const fields = { status: 'paused', paused_at: now, pause_reason: reason, pause_origin: origin }
  const paused = applyChange(tx, 'automation_flows', flow, fields, now) as AutomationFlowRow
  disarmFlow(tx, flow)
  emit(automationFlowPaused, showAutomationFlow(paused), showAutomationFlow(flow))
  return paused
}

const activeOfProject = query<Pick<AutomationFlowRow, 'realm' | 'id'>>((db, p) =>
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
 * Pauses the active flows of a project that is deleted. They keep its id: without it they would watch the whole
 * workspace, which nobody has previewed.
 */
export async function pauseFlowsOfProject(work: FlowWork, project: { realm: number; id: string }): Promise<void> {
  const flows = await work.tx.all(activeOfProject, { realm: project.realm, project: project.id })
  for (const flow of flows) await pauseFlow(work, flow, { reason: 'The project was deleted.', origin: 'system' })
}

const removePreviews = query((db, p) =>
  db.deleteFrom('automation_previews').where('realm', '=', p('realm')).where('flow', '=', p('flow')),
)

/** A flow that has changed is not what was previewed. */
export function voidPreviews(tx: Tx, { realm, id }: AutomationFlowRow): void {
  tx.write(removePreviews, { realm, flow: id })
}

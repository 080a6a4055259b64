/** Whose rights the newest version of a flow has: renewing them, and noting that they no longer suffice (contract/16#authority). */
import type { EventType } from '../../../api/declare/event.ts'
import { applyChange } from '../../../api/write/change.ts'
import { type Placeholder, query } from '../../../db/query.ts'
import type { AutomationFlowRow } from '../../../db/schema.ts'
import type { Tx } from '../../../db/store.ts'
import { endOfAuthority, type Holder, holderOf, type VersionKey } from '../../automation_runs/shared/authority.ts'
import { showAutomationFlow } from '../automation_flow.ts'
import { automationFlowAuthorityEnded, automationFlowAuthorityRenewed, automationFlowUpdated } from '../events.ts'
import { type FlowTransaction, findFlow } from './queries.ts'

interface Renewal {
  readonly [name: string]: string | number
  readonly realm: number
  readonly flow: string
  readonly version: number
  readonly credential: string
  readonly type: string
  readonly id: string
  readonly now: number
}

const setHolder = query((db, p: Placeholder<Renewal>) =>
  db
    .updateTable('automation_versions')
    .set({
      authority_credential: p('credential'),
      authority_type: p('type'),
      authority_id: p('id'),
      authority_renewed_at: p('now'),
    })
    .where('realm', '=', p('realm'))
    .where('flow', '=', p('flow'))
    .where('version', '=', p('version')),
)

/** Gives one version the rights of a credential, for the steps of its runs that have not begun. `now` is in milliseconds. */
export function renewVersion(
  tx: Tx,
  version: VersionKey,
  { credential, type, id }: Pick<Holder, 'credential' | 'type' | 'id'>,
  now: number,
): void {
  tx.write(setHolder, { ...version, credential, type, id, now })
}

/** Gives the newest version of a flow the rights of a credential, and returns the flow's row. `now` is in milliseconds. */
export function renewAuthority(
  tx: Tx,
  flow: AutomationFlowRow,
  holder: Pick<Holder, 'credential' | 'type' | 'id'>,
  now: number,
): AutomationFlowRow {
  const { realm, id, version } = flow
  renewVersion(tx, { realm, flow: id, version }, holder, now)
  const shown = { authority_type: holder.type, authority_id: holder.id, authority_renewed_at: now }
  const valid = { authority_ended_at: null, authority_reason: null }
  return applyChange(tx, 'automation_flows', flow, { ...shown, ...valid }, now) ?? flow
}

/**
 * Compares an active flow with the rights that its newest version has now, and stores and announces a difference. Returns whether there
 * was one. A flow that is not active is left as it is.
 */
export async function checkAuthority(
  { tx, now, emit }: FlowTransaction,
  { realm, id }: Pick<AutomationFlowRow, 'realm' | 'id'>,
): Promise<boolean> {
  const flow = await findFlow(tx, realm, id)
  if (flow === undefined || flow.status !== 'active') return false
  const reason = await endOfAuthority(tx, await holderOf(tx, { realm, flow: id, version: flow.version }), now)
  const changes = { authority_reason: reason, authority_ended_at: reason === null ? null : now }
  if (reason === flow.authority_reason) return false
  const changed = applyChange(tx, 'automation_flows', flow, changes, now) ?? flow
  emit(announcement(flow.authority_reason, reason), showAutomationFlow(changed), showAutomationFlow(flow))
  return true
}

function announcement(before: string | null, after: string | null): EventType {
  if (before === null) return automationFlowAuthorityEnded
  return after === null ? automationFlowAuthorityRenewed : automationFlowUpdated
}

/**
 * Arms a flow at activation: events after the end of the log start its runs, schedules get their next firing, and due
 * dates are watched from now on. Disarming ends this. Both belong in the transaction that changes the flow's status
 * (contract/16#activation).
 */
import { refuse } from '../../../api/declare/errors.ts'
import { nextFiring } from '../../../automations/cron.ts'
import { automation_limits } from '../../../automations/limits.ts'
import type { Program } from '../../../automations/program.ts'
import type { TriggerNode } from '../../../automations/schema.ts'
import { type Placeholder, query } from '../../../db/query.ts'
import type { AutomationClockRow, AutomationFlowRow } from '../../../db/schema.ts'
import type { Tx } from '../../../db/store.ts'

const countActive = query((db, p: Placeholder<{ realm: number }>) =>
  db
    .selectFrom('automation_flows')
    .select((select) => select.fn.countAll().as('count'))
    .where('realm', '=', p('realm'))
    .where('status', '=', 'active'),
)

/** Starts following the log at its end; an existing position stays. */
const openPosition = query(
  (db, p: Placeholder<{ realm: number; organization: string; mode: string; sequence: number; now: number }>) =>
    db
      .insertInto('automation_positions')
      .values({
        realm: p('realm'),
        organization: p('organization'),
        mode: p('mode'),
        sequence: p('sequence'),
        event: null,
        looked_at: p('now'),
      })
      .onConflict((conflict) => conflict.column('realm').doNothing()),
)

const removeClocks = query((db, p: Placeholder<{ realm: number; flow: string }>) =>
  db.deleteFrom('automation_clocks').where('realm', '=', p('realm')).where('flow', '=', p('flow')),
)

const setActiveAfter = query((db, p: Placeholder<{ active_after: number; realm: number; id: string }>) =>
  db
    .updateTable('automation_flows')
    .set({ active_after: p('active_after') })
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id')),
)

type ArmedFlow = Pick<AutomationFlowRow, 'realm' | 'id' | 'organization' | 'mode_of_data' | 'version'>

/**
 * Arms the new version of a flow that this transaction activates. Its runs start from events after the activation event
 * and from clocks that begin at `now` (milliseconds). Refuses with 409 above the limit of active flows per realm.
 */
export async function armFlow(
  transaction: { readonly tx: Tx; readonly now: number },
  flow: ArmedFlow,
  program: Program,
): Promise<void> {
  const { tx, now } = transaction
  const { realm, organization, id, version } = flow
  if (Number((await tx.first(countActive, { realm }))?.count) > automation_limits.automation_active_flows_max) {
    const message = `${automation_limits.automation_active_flows_max} flows are active, which is the maximum. Pause one first.`
    throw refuse('resource_conflict', { message })
  }
  const heads = await tx.heads(organization)
  const sequence = (heads.events.get(realm) ?? 0) + 1
  tx.write(openPosition, { realm, organization, mode: flow.mode_of_data, sequence, now })
  tx.write(setActiveAfter, { realm, id, active_after: sequence })
  disarmFlow(tx, flow)
  for (const trigger of program.triggers.values()) {
    const clock = clockOf(trigger, now)
    if (clock !== null)
      tx.insert('automation_clocks', { realm, organization, flow: id, version, node: trigger.id, ...clock })
  }
}

/** Deletes the clocks of a flow. Its events need no action, because only active flows are considered. */
export function disarmFlow(tx: Tx, flow: Pick<AutomationFlowRow, 'realm' | 'id'>): void {
  tx.write(removeClocks, { realm: flow.realm, flow: flow.id })
}

function clockOf(
  trigger: TriggerNode,
  now: number,
): Pick<AutomationClockRow, 'kind' | 'next_at' | 'through_at' | 'through_task'> | null {
  if (trigger.type === 'trigger.schedule') {
    return { kind: 'schedule', next_at: nextFiring(trigger.config, now), through_at: null, through_task: null }
  }
  if (trigger.type === 'trigger.due') return { kind: 'due', next_at: null, through_at: now, through_task: null }
  return null
}

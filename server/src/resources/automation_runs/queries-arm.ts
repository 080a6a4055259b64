/**
 * Arming a flow when it is activated: from then on events behind the log's end start its runs, schedules have their next
 * firing, and due dates are watched from now on. Disarming ends that. Both belong into the transaction that changes the
 * flow's status (decisions §16).
 */
import { refuse } from '../../api/errors.ts'
import { nextFiring } from '../../automations/cron.ts'
import type { Program } from '../../automations/program.ts'
import type { TriggerNode } from '../../automations/schema.ts'
import { query } from '../../db/query.ts'
import type { AutomationClockRow, AutomationFlowRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { limits } from '../../lib/limits.ts'

const countActive = query((db, p) =>
  db
    .selectFrom('automation_flows')
    .select((select) => select.fn.countAll().as('count'))
    .where('realm', '=', p('realm'))
    .where('status', '=', 'active'),
)

/** The log is watched from its end; a position that stands already stays. */
const openPosition = query((db, p) =>
  db
    .insertInto('automation_positions')
    .values({
      realm: p('realm'),
      organization: p('organization'),
      mode: p('mode'),
      sequence: p('sequence'),
      looked_at: p('now'),
    })
    .onConflict((conflict) => conflict.column('realm').doNothing()),
)

const removeClocks = query((db, p) =>
  db.deleteFrom('automation_clocks').where('realm', '=', p('realm')).where('flow', '=', p('flow')),
)

const beginBehind = query((db, p) =>
  db
    .updateTable('automation_flows')
    .set({ active_after: p('active_after') })
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id')),
)

type ArmedFlow = Pick<AutomationFlowRow, 'realm' | 'id' | 'organization' | 'mode_of_data' | 'version'>

/**
 * Sets up what starts the runs of a flow that this transaction has made active, in its new version: events behind the one
 * that tells of its activation, and its clocks from `now` (milliseconds). Refuses a flow too many in its realm (409).
 */
export async function armFlow(
  work: { readonly tx: Tx; readonly now: number },
  flow: ArmedFlow,
  program: Program,
): Promise<void> {
  const { tx, now } = work
  const { realm, organization, id, version } = flow
  if (Number((await tx.first(countActive, { realm }))?.count) > limits.automation_active_flows_max) {
    const message = `${limits.automation_active_flows_max} flows are active already, as many as there may be: pause one first.`
    throw refuse('resource_conflict', { message })
  }
  const heads = await tx.heads(organization)
  const sequence = (heads.events.get(realm) ?? 0) + 1
  tx.write(openPosition, { realm, organization, mode: flow.mode_of_data, sequence, now })
  tx.write(beginBehind, { realm, id, active_after: sequence })
  disarmFlow(tx, flow)
  for (const trigger of program.triggers.values()) {
    const clock = clockOf(trigger, now)
    if (clock !== null)
      tx.insert('automation_clocks', { realm, organization, flow: id, version, node: trigger.id, ...clock })
  }
}

/** Stops all clocks of a flow. Its events are passed over because it is not active any more. */
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

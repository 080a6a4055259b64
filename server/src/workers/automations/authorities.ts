/**
 * Finds active flows whose rights have ended since they were activated, so that the flow says it and people hear of it before the next run
 * fails; and flows that have them again. It reads all active flows, page by page, and writes only those that differ (contract/16#authority).
 */
import type { Mode } from '../../api/declare/caller.ts'
import type { Services } from '../../api/services.ts'
import { commitSystemChange } from '../../api/write/system-change.ts'
import { automation_limits } from '../../automations/limits.ts'
import { query } from '../../db/query.ts'
import type { AutomationFlowRow } from '../../db/schema.ts'
import { checkAuthority } from '../../resources/automation_flows/shared/authority.ts'
import { endOfAuthority, holderOf } from '../../resources/automation_runs/shared/authority.ts'
import type { Worker } from '../worker.ts'

type CheckedFlow = Pick<
  AutomationFlowRow,
  'realm' | 'id' | 'organization' | 'mode_of_data' | 'version' | 'authority_reason'
>

/** Active flows of organizations with a plan: without one no flow runs, and none of them could be renewed. */
const activeFrom = query<CheckedFlow, { realm: number; id: string; count: number }>((db, p) =>
  db
    .selectFrom('automation_flows as flow')
    .innerJoin('organizations', 'organizations.organization', 'flow.organization')
    .select(['flow.realm', 'flow.id', 'flow.organization', 'flow.mode_of_data', 'flow.version'])
    .select('flow.authority_reason')
    .where('flow.status', '=', 'active')
    .where('flow.deleted_at', 'is', null)
    .where('organizations.plan', 'is not', null)
    .where((or) => or(or.refTuple('flow.realm', 'flow.id'), '>', or.tuple(p('realm'), p('id'))))
    .orderBy('flow.realm')
    .orderBy('flow.id')
    .limit(p('count')),
)

export const automationAuthoritiesWorker: Worker = {
  name: 'automation_authorities',
  does: 'Finds automations whose authority has ended.',
  period_ms: automation_limits.automation_authority_period_ms,
  lease_ms: 60_000,
  batch_max: automation_limits.automation_authorities_max,
  async run(services, count, stop) {
    const reader = services.store.reader('system')
    let after = { realm: -1, id: '' }
    for (;;) {
      const flows = await reader.all(activeFrom, { ...after, count })
      for (const flow of flows) {
        if (stop.aborted) return 0
        await check(services, flow)
      }
      const last = flows.at(-1)
      // All flows are checked; later changes belong to the next run.
      if (last === undefined || flows.length < count) return 0
      after = { realm: last.realm, id: last.id }
    }
  },
}

/** Looks outside a transaction first: nearly all flows are as they were. */
async function check(services: Services, flow: CheckedFlow): Promise<void> {
  const { realm, id, organization, version } = flow
  const reader = services.store.reader('system')
  const holder = await holderOf(reader, { realm, flow: id, version })
  if ((await endOfAuthority(reader, holder, services.clock.now())) === flow.authority_reason) return
  const realms = [{ realm, mode: flow.mode_of_data as Mode }]
  const change = { organization, realms, action: 'automation_flows.check_authority' }
  await commitSystemChange(services, change, (transaction) => checkAuthority(transaction, flow))
}

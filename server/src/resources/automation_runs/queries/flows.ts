/** Active flows as the start of runs needs them: without the large columns, which the activated version holds. */
import { query } from '../../../db/query.ts'
import type { StartedFlow } from '../start-run.ts'

const columns = [
  'realm',
  'id',
  'created',
  'updated',
  'revision',
  'deleted_at',
  'organization',
  'mode_of_data',
  'workspace',
  'project',
  'name',
  'status',
  'mode',
  'version',
  'uses_ai',
  'activated_at',
  'activated_by_type',
  'activated_by_id',
  'paused_at',
  'pause_reason',
  'pause_origin',
  'last_run_at',
  'consecutive_failures',
  'active_after',
  'authority_type',
  'authority_id',
  'authority_renewed_at',
  'authority_ended_at',
  'authority_reason',
] as const satisfies readonly (keyof StartedFlow)[]

/** All active flows of a realm. */
export const activeFlows = query<StartedFlow, { realm: number }>((db, p) =>
  db
    .selectFrom('automation_flows')
    .select(columns)
    .where('realm', '=', p('realm'))
    .where('status', '=', 'active')
    .where('deleted_at', 'is', null)
    .orderBy('id'),
)

/** One active flow. */
export const findActiveFlow = query<StartedFlow, { realm: number; id: string }>((db, p) =>
  db
    .selectFrom('automation_flows')
    .select(columns)
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id'))
    .where('status', '=', 'active')
    .where('deleted_at', 'is', null),
)

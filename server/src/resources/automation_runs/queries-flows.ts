/** Flows as the start of their runs needs them: active, without what is large and what the activated version holds. */
import { query } from '../../db/query.ts'
import type { StartedFlow } from './queries-start.ts'

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
] as const satisfies readonly (keyof StartedFlow)[]

/** Of a realm (bound: realm). */
export const activeFlows = query<StartedFlow>((db, p) =>
  db
    .selectFrom('automation_flows')
    .select(columns)
    .where('realm', '=', p('realm'))
    .where('status', '=', 'active')
    .where('deleted_at', 'is', null)
    .orderBy('id'),
)

/** One (bound: realm, id). */
export const findActiveFlow = query<StartedFlow>((db, p) =>
  db
    .selectFrom('automation_flows')
    .select(columns)
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id'))
    .where('status', '=', 'active')
    .where('deleted_at', 'is', null),
)

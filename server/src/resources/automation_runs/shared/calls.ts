/** Calls that started runs of a flow (contract/16#calls). */
import { query } from '../../../db/query.ts'
import type { AutomationRunRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { parseStored } from '../../../lib/strict-json.ts'

export { programOfFlow } from '../programs.ts'

type Row = Pick<AutomationRunRow, 'inputs' | 'task' | 'created'>

const latestOfFlow = query<Row, { realm: number; flow: string; since: number; count: number }>((db, p) =>
  db
    .selectFrom('automation_runs')
    .select(['inputs', 'task', 'created'])
    .where('realm', '=', p('realm'))
    .where('automation_flow', '=', p('flow'))
    .where('created', '>=', p('since'))
    .where('trigger_type', '=', 'trigger.call')
    .where('called_by', 'is not', null)
    .where('status', '<>', 'skipped')
    .orderBy('id', 'desc')
    .limit(p('count')),
)

/** The latest calls that started runs of a flow, newest first, without reruns. */
export async function latestCalls(
  reader: Reader,
  flow: { readonly realm: number; readonly id: string },
  since: number,
  count: number,
): Promise<{ readonly call: object; readonly task: string | null; readonly at: number }[]> {
  const rows = await reader.all(latestOfFlow, { realm: flow.realm, flow: flow.id, since, count })
  return rows.map(({ inputs, task, created }) => ({
    call: parseStored<object>(inputs ?? '{}'),
    task,
    at: created,
  }))
}

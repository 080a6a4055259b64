import Type from 'typebox'
import { actingUser, type Caller } from '../../api/declare/caller.ts'
import { readOperation } from '../../api/declare/operation.ts'
import type { ParameterValues } from '../../api/declare/parameters.ts'
import { described, Seconds } from '../../api/declare/shapes.ts'
import type { TaskCount as Counted } from '../../api/request/task-counts.ts'
import type { Services } from '../../api/services.ts'
import type { Reader } from '../../db/store.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import { seconds } from '../../lib/clock.ts'
import { criteriaParameters, readCriteria } from './list/parameters.ts'
import { countTasks as countMatching } from './list/read.ts'

const TaskCount = Type.Object({
  object: described(Type.Literal('task_count'), 'Kind of object: always `task_count`.'),
  count: described(Type.Integer({ minimum: 0 }), 'Number of tasks that match.'),
  computed_at: described(Seconds, 'When the tasks were counted, in Unix seconds.'),
  expires_at: described(Seconds, 'Until when repeated requests get this answer, in Unix seconds.'),
})

/** Counts the tasks that a list with the same parameters shows; an answer may be up to 60 seconds old. */
export const countTasks = readOperation({
  id: 'tasks.count',
  method: 'GET',
  path: '/v1/tasks/count',
  summary: 'Count tasks',
  scope: 'tasks:read',
  credits: 50,
  query: criteriaParameters,
  returns: TaskCount,
  example: { query: { workspace: '{workspace}', status: 'done' } },
  async handle(context) {
    const { count, computedAt, expiresAt } = await countCached(context, context.query)
    return { object: 'task_count', count, computed_at: seconds(computedAt), expires_at: seconds(expiresAt) }
  },
})

interface CountContext {
  readonly reader: Reader
  readonly caller: Caller
  readonly services: Pick<Services, 'counts'>
  /** Milliseconds. */
  readonly now: number
}

/** The number of tasks that match the parameters, counted within the last 60 seconds. */
export async function countCached(
  context: CountContext,
  query: Partial<ParameterValues<typeof criteriaParameters>>,
): Promise<Counted> {
  const { caller, reader, services, now } = context
  const { criteria, filterText, is_personal } = await readCriteria(context, query)
  const { project, assignee, seen } = criteria
  const key = cacheKey({ ...query, project, assignee, seen }, filterText, is_personal ? actingUser(caller) : undefined)
  const known = services.counts.get(caller.realm, key, now)
  if (known !== undefined) return known
  return services.counts.keep(caller.realm, key, await countMatching(reader, caller.realm, criteria), now)
}

/** The same key for equal criteria: values in any order, a saved filter as its expression, `me` as its user. */
function cacheKey(
  query: Readonly<Record<string, unknown>>,
  filterText: string | undefined,
  me: string | undefined,
): string {
  const parts: Record<string, unknown> = {}
  for (const [parameter, value] of Object.entries(query)) {
    if (value !== undefined) parts[parameter] = Array.isArray(value) ? [...new Set(value)].sort() : value
  }
  if (filterText !== undefined) parts.filter = filterText
  if (me !== undefined) parts.me = me
  return canonicalJson(parts)
}

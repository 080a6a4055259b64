import Type from 'typebox'
import type { Caller } from '../../api/caller.ts'
import { readOperation } from '../../api/operation.ts'
import type { ParameterValues } from '../../api/parameters.ts'
import type { Services } from '../../api/services.ts'
import { Seconds } from '../../api/shapes.ts'
import type { TaskCount as Counted } from '../../api/task-counts.ts'
import type { Reader } from '../../db/store.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import { seconds } from '../../lib/clock.ts'
import { countTasks as countOf } from './queries-page.ts'
import { questionParameters, readQuestion } from './question.ts'

const TaskCount = Type.Object({
  object: Type.Literal('task_count'),
  count: Type.Integer({ minimum: 0 }),
  computed_at: Seconds,
  expires_at: Seconds,
})

/** Counts the tasks that a list with the same parameters shows; an answer may be up to 60 seconds old. */
export const countTasks = readOperation({
  id: 'tasks.count',
  method: 'GET',
  path: '/v1/tasks/count',
  summary: 'Count tasks',
  scope: 'tasks:read',
  credits: 50,
  query: questionParameters,
  returns: TaskCount,
  example: { query: { workspace: '{workspace}', status: 'done' } },
  async handle(context) {
    const { count, computedAt, expiresAt } = await countAsked(context, context.query)
    return { object: 'task_count', count, computed_at: seconds(computedAt), expires_at: seconds(expiresAt) }
  },
})

interface From {
  readonly reader: Reader
  readonly caller: Caller
  readonly services: Pick<Services, 'counts'>
  /** Milliseconds. */
  readonly now: number
}

/** How many tasks the parameters ask for, counted within the last 60 seconds. */
export async function countAsked(
  from: From,
  query: Partial<ParameterValues<typeof questionParameters>>,
): Promise<Counted> {
  const { caller, reader, services, now } = from
  const { question, filterText } = await readQuestion(from, query)
  const name = nameOf(query, filterText)
  const known = services.counts.get(caller.realm, name, now)
  if (known !== undefined) return known
  return services.counts.keep(caller.realm, name, await countOf(reader, caller.realm, question), now)
}

/** One name for each question: values in any order, a saved filter as what it says now. */
function nameOf(query: Readonly<Record<string, unknown>>, filterText: string | undefined): string {
  const parts: Record<string, unknown> = {}
  for (const [parameter, value] of Object.entries(query)) {
    if (value !== undefined) parts[parameter] = Array.isArray(value) ? [...new Set(value)].sort() : value
  }
  if (filterText !== undefined) parts.filter = filterText
  return canonicalJson(parts)
}

import Type from 'typebox'
import { readOperation } from '../../api/operation.ts'
import { Seconds } from '../../api/shapes.ts'
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
    const { caller, reader, services, now, query } = context
    const { question, filterText } = await readQuestion(context, query)
    const name = nameOf(query, filterText)
    let known = services.counts.get(caller.realm, name, now)
    if (known === undefined) {
      const count = await countOf(reader, caller.realm, question)
      known = services.counts.keep(caller.realm, name, count, now)
    }
    const { count, computedAt, expiresAt } = known
    return { object: 'task_count', count, computed_at: seconds(computedAt), expires_at: seconds(expiresAt) }
  },
})

/** One name for each question: values in any order, a saved filter as what it says now. */
function nameOf(query: Readonly<Record<string, unknown>>, filterText: string | undefined): string {
  const parts: Record<string, unknown> = {}
  for (const [parameter, value] of Object.entries(query)) {
    if (value !== undefined) parts[parameter] = Array.isArray(value) ? [...new Set(value)].sort() : value
  }
  if (filterText !== undefined) parts.filter = filterText
  return canonicalJson(parts)
}

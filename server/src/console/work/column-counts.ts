import type { Caller } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import type { ProjectRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { columnIds } from '../../resources/columns/queries.ts'
import { projectNoun } from '../../resources/projects/project.ts'
import type { Condition } from '../../resources/tasks/filter/check.ts'
import type { TaskCriteria } from '../../resources/tasks/list/criteria.ts'
import { criteriaParameters, readCriteria } from '../../resources/tasks/list/parameters.ts'
import { countTasks } from '../../resources/tasks/list/read.ts'
import { countLists } from '../../resources/tasks/shared/order.ts'
import { endpoint } from '../endpoint.ts'
import { modeParameter } from '../fields.ts'
import { callerOfSession } from '../sessions/session.ts'

/**
 * Counts the tasks of each column of a project, and those without a column; with a filter, those that match. A board shows only
 * a part of long columns.
 */
export const countColumns = endpoint('GET projects/{id}/task-counts', {
  needs: 'session',
  guests: true,
  query: { mode: modeParameter, filter: criteriaParameters.filter },
  async handle({ services, session, query, params, now }) {
    const caller = callerOfSession(session, query.mode ?? 'live')
    const reader = services.store.reader(caller.storeScope)
    const project = await projectNoun.find(reader, caller, params.id ?? '')
    if (project === undefined || project.deleted_at !== null) throw refuse('resource_not_found', { param: 'id' })
    const columns = await columnIds(reader, project)
    const { filter } = query
    const counts =
      filter === undefined
        ? await countLists(reader, caller.realm, [project.id, ...columns])
        : await countMatching({ reader, caller, now }, project, columns, filter)
    const counted = columns.flatMap((id): [string, number][] => (counts.has(id) ? [[id, counts.get(id) ?? 0]] : []))
    return { columns: Object.fromEntries(counted), none: counts.get(project.id) ?? 0 }
  },
})

/** The number of matching tasks by column; by the project's id those without one. */
async function countMatching(
  from: { readonly reader: Reader; readonly caller: Caller; readonly now: number },
  project: ProjectRow,
  columns: readonly string[],
  text: string,
): Promise<ReadonlyMap<string, number>> {
  const { criteria } = await readCriteria(from, { filter: text, is_archived: project.archived_at !== null })
  const countWith = (condition: Condition, more: TaskCriteria) =>
    countTasks(from.reader, from.caller.realm, { ...criteria, ...more, filter: narrowed(criteria, condition) })
  const counts = new Map<string, number>()
  // One after the other, so that a board of many columns does not hold up other requests.
  for (const id of columns) {
    const count = await countWith({ kind: 'equals', column: 'column', value: id }, {})
    if (count > 0) counts.set(id, count)
  }
  counts.set(project.id, await countWith({ kind: 'null', column: 'column' }, { project: [project.id] }))
  return counts
}

function narrowed({ filter }: TaskCriteria, condition: Condition): TaskCriteria['filter'] {
  return filter && { ...filter, condition: { kind: 'and', operands: [condition, filter.condition] } }
}

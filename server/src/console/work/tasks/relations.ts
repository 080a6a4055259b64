/**
 * What rows and cards show of other tasks: their parents and their dependencies in both directions. `/v1` lists the outgoing
 * dependencies of one task; a page of tasks would need a request for each of them.
 */
import { namesParameter, type Parameter, required } from '../../../api/declare/parameters.ts'
import { type Dialect, isOneOf, isOneOfIf } from '../../../db/dialect.ts'
import { type Placeholder, query } from '../../../db/query.ts'
import { endpoint } from '../../endpoint.ts'
import { modeParameter } from '../../fields.ts'
import { console_limits } from '../../limits.ts'
import { callerOfSession } from '../../sessions/session.ts'

const { console_relations_tasks_max, console_relations_max } = console_limits

const names = namesParameter(console_relations_tasks_max, 'ids of tasks, separated by commas')

const tasksParameter: Parameter<string> & { readonly required: true } = required({
  ...names,
  read: (texts, name) => names.read(texts, name).join(','),
})

/** `is_guest`: 1 for a guest, who sees only what is in the projects of `seen`. */
type Bound = { realm: number; ids: string; is_guest: number; seen: string }

function isSeen(dialect: Dialect, column: string, p: Placeholder<Bound>) {
  return isOneOfIf(dialect, p('is_guest'), column, p('seen'))
}

/** Each direction has its index. */
const dependenciesOf = query((db, p: Placeholder<Bound & { count: number }>, dialect) => {
  const side = (end: 'from' | 'to') =>
    db
      .selectFrom('dependencies')
      .select(['id', 'kind', 'from', 'to'])
      .where('realm', '=', p('realm'))
      .where(isOneOf(dialect, end, p('ids')))
      .where('deleted_at', 'is', null)
      // Both ends of a dependency are in its project.
      .where(isSeen(dialect, 'project', p))
  return side('from').union(side('to')).orderBy('id').limit(p('count'))
})

const parentsOf = query((db, p: Placeholder<Bound>, dialect) =>
  db
    .selectFrom('tasks')
    .innerJoin('tasks as above', (join) =>
      join.onRef('above.realm', '=', 'tasks.realm').onRef('above.id', '=', 'tasks.parent'),
    )
    .select(['above.id', 'above.key', 'above.title', 'above.status'])
    .distinct()
    .where('tasks.realm', '=', p('realm'))
    .where(isOneOf(dialect, 'tasks.id', p('ids')))
    .where('tasks.deleted_at', 'is', null)
    .where(isSeen(dialect, 'tasks.project', p))
    .where(isSeen(dialect, 'above.project', p))
    .where('above.deleted_at', 'is', null),
)

const namedTasks = query((db, p: Placeholder<Bound>, dialect) =>
  db
    .selectFrom('tasks')
    .select(['id', 'key', 'title', 'status'])
    .where('realm', '=', p('realm'))
    .where(isOneOf(dialect, 'id', p('ids')))
    .where('deleted_at', 'is', null)
    .where(isSeen(dialect, 'project', p)),
)

/**
 * Lists the dependencies from and to the given tasks, oldest first, and key, title and status of their parents and of the
 * other ends. At most `console_limits.console_relations_max` dependencies; unknown ids are ignored.
 */
export const listTaskRelations = endpoint('GET tasks/relations', {
  needs: 'session',
  guests: true,
  query: { mode: modeParameter, tasks: tasksParameter },
  async handle({ services, session, query }) {
    const caller = callerOfSession(session, query.mode ?? 'live')
    const reader = services.store.reader(caller.storeScope)
    const { realm } = caller
    const asked = query.tasks.split(',')
    const limited = {
      is_guest: caller.guest === null ? 0 : 1,
      seen: JSON.stringify([...(caller.guest?.projects ?? [])]),
    }
    const bound = { realm, ids: JSON.stringify(asked), ...limited }
    const [dependencies, parents] = await Promise.all([
      reader.all(dependenciesOf, { ...bound, count: console_relations_max }),
      reader.all(parentsOf, bound),
    ])
    const ends = new Set(dependencies.flatMap(({ from, to }) => [from, to]))
    for (const { id } of parents) ends.delete(id)
    const others = ends.size === 0 ? [] : await reader.all(namedTasks, { ...bound, ids: JSON.stringify([...ends]) })
    return { dependencies, tasks: [...parents, ...others] }
  },
})

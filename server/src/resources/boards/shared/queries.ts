/** SQL of boards besides their look-up: a page, the realm of a board, and the boards of a room id. */
import type { Caller, Mode } from '../../../api/declare/caller.ts'
import { refuse } from '../../../api/declare/errors.ts'
import { isOneOf } from '../../../db/dialect.ts'
import { literal, type Placeholder, query, shapedQuery } from '../../../db/query.ts'
import type { BoardRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'

interface BoardCriteria {
  readonly include_archived: boolean
  readonly project: string | undefined
  /** Of a guest: only boards of these projects. */
  readonly seen: readonly string[] | undefined
}

interface BoardValues {
  readonly [name: string]: string | number | undefined
  readonly realm: number
  readonly below: string | undefined
  readonly project: string | undefined
  readonly seen: string
}

/** At most `count` boards below the id `below`, newest first. */
export async function readBoards(
  reader: Reader,
  realm: number,
  { include_archived, project, seen }: BoardCriteria,
  below: string | undefined,
  count: number,
): Promise<BoardRow[]> {
  const page = shapedQuery<BoardRow, BoardValues>(
    `boards ${include_archived} ${project !== undefined} ${seen !== undefined} ${below !== undefined} ${count}`,
    (db, p, dialect) => {
      let select = db.selectFrom('boards').selectAll().where('realm', '=', p('realm'))
      if (!include_archived) select = select.where('status', '=', 'active')
      if (project !== undefined) select = select.where('project', '=', p('project') as string)
      if (seen !== undefined) select = select.where(isOneOf(dialect, 'project', p('seen')))
      if (below !== undefined) select = select.where('id', '<', p('below') as string)
      return select.orderBy('id', 'desc').limit(literal(count))
    },
  )
  return await reader.all(page, { realm, below, project, seen: JSON.stringify(seen ?? []) })
}

/** Joins the realms, because ids are indexed within a realm and an installation has few realms. */
const locate = query((db, p: Placeholder<{ id: string }>) =>
  db
    .selectFrom('realms')
    .innerJoin('boards', (join) => join.onRef('boards.realm', '=', 'realms.realm').on('boards.id', '=', p('id')))
    .select(['realms.organization', 'realms.realm', 'realms.mode']),
)

export interface BoardLocation {
  readonly organization: string
  readonly realm: number
  readonly mode: Mode
}

/** The organization and realm of a board, for the operator, who names neither. */
export async function locateBoard(reader: Reader, id: string): Promise<BoardLocation> {
  const location = await reader.first(locate, { id })
  if (location === undefined) throw refuse('resource_not_found', { param: 'id', message: `There is no board ${id}.` })
  return location as BoardLocation
}

const ofRoom = query((db, p: Placeholder<{ realm: number; room: string }>) =>
  db.selectFrom('boards').select('id').where('realm', '=', p('realm')).where('legacy_room_id', '=', p('room')),
)

/** Rooms as in audit entries, which contain board ids: adds the ids of the boards with a legacy room id. */
export async function roomsOf(
  reader: Reader,
  caller: Caller,
  rooms: readonly string[] | undefined,
): Promise<readonly string[] | undefined> {
  if (rooms === undefined) return undefined
  const found = new Set(rooms)
  for (const room of rooms) {
    for (const { id } of await reader.all(ofRoom, { realm: caller.realm, room })) found.add(id)
  }
  return [...found]
}

/** A board as text: frames, items with a text, and connections. */
import type { GuestAccess } from '../../../api/declare/caller.ts'
import { isOneOf } from '../../../db/dialect.ts'
import { type Placeholder, query } from '../../../db/query.ts'
import type { BoardItemRow, BoardRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import type { BoardItemContent } from '../../board_items/board_item.ts'

const currentItems = query<BoardItemRow, { realm: number; board: string }>((db, p) =>
  db
    .selectFrom('board_items')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('board', '=', p('board'))
    .where('until_revision', 'is', null)
    .orderBy('place'),
)

const taskKeys = query((db, p: Placeholder<{ realm: number; ids: string }>, dialect) =>
  db
    .selectFrom('tasks')
    .select(['id', 'key', 'title', 'project'])
    .where('realm', '=', p('realm'))
    .where('deleted_at', 'is', null)
    .where(isOneOf(dialect, 'id', p('ids'))),
)

type Items = ReadonlyMap<string, BoardItemContent>
type Names = ReadonlyMap<string, string>

/** At most this many characters, so that the answer stays one that an agent can read. */
const chars_max = 100_000

export async function outlineOf(
  reader: Reader,
  board: BoardRow,
  withTasks: boolean,
  guest: GuestAccess | null,
): Promise<string> {
  const rows = await reader.all(currentItems, { realm: board.realm, board: board.id })
  const items: Items = new Map(rows.map((row) => [row.id, JSON.parse(row.content) as BoardItemContent]))
  const names = await namesOf(reader, board, items, withTasks ? (guest ?? 'all') : 'none')
  const lines = [`# ${board.name}`, ...framesOf(items, names), ...connectionsOf(items, names)]
  const text = lines.join('\n')
  return text.length <= chars_max ? text : `${text.slice(0, chars_max).toWellFormed()}\n… (cut)`
}

/** What stands for each item in a line: its text and its task. */
async function namesOf(
  reader: Reader,
  board: BoardRow,
  items: Items,
  tasksOf: GuestAccess | 'all' | 'none',
): Promise<Names> {
  const linked = [...new Set([...items.values()].flatMap(({ linked_task }) => linked_task ?? []))]
  const known =
    tasksOf === 'none' ? [] : await reader.all(taskKeys, { realm: board.realm, ids: JSON.stringify(linked) })
  const seen = known.filter(({ project }) => typeof tasksOf === 'string' || tasksOf.projects.has(project ?? ''))
  const tasks = new Map(seen.map(({ id, key, title }) => [id, `${key} ${title}`]))
  return new Map(
    [...items].map(([id, { text, linked_task }]) => {
      const task = linked_task === null ? '' : `[${tasks.get(linked_task) ?? linked_task}]`
      return [id, [oneLine(text), task].filter((part) => part !== '').join(' ')]
    }),
  )
}

function oneLine(text: string | null): string {
  return (text ?? '').replace(/\s+/g, ' ').trim()
}

function framesOf(items: Items, names: Names): string[] {
  const lineOf = ([id, { type }]: [string, BoardItemContent]) => `- ${type}: ${names.get(id)}`
  const shown = [...items].filter(([id, { type }]) => type !== 'frame' && type !== 'connector' && names.get(id) !== '')
  const frames = [...items].filter(([, { type }]) => type === 'frame')
  const inside = frames.flatMap(([id]) => [
    '',
    `## ${names.get(id) || 'Frame'}`,
    ...shown.filter(([, { parent }]) => parent === id).map(lineOf),
  ])
  const outside = shown.filter(([, { parent }]) => parent === null).map(lineOf)
  return [...(outside.length === 0 ? [] : ['', ...outside]), ...inside]
}

function connectionsOf(items: Items, names: Names): string[] {
  const lines = [...items].flatMap(([id, { connector }]) => {
    if (connector === null || (connector.start.item === null && connector.end.item === null)) return []
    const nameOf = (item: string | null) => (item === null ? '(open end)' : names.get(item) || '(no text)')
    const label = names.get(id)
    return [`- ${nameOf(connector.start.item)} → ${nameOf(connector.end.item)}${label === '' ? '' : `: ${label}`}`]
  })
  return lines.length === 0 ? [] : ['', '## Connections', ...lines]
}

/** The rows of a realm, to find what a write changed; and related objects, so that a write has more to change. */
import { catalogue } from '../../src/catalogue.ts'
import { type Query, query, type ResourceTable, selectRows } from '../../src/db/query.ts'
import type { Things } from '../things.ts'
import type { World } from '../world.ts'

type Row = Record<string, unknown>

/** Columns that no answer shows: their change is no change of the object. */
const internal_columns = new Set(['last_used_at', 'last_number', 'next_due_at'])

const shared = new Set(['organizations', 'members', 'teams'])
/** Logs, published snapshots; deliveries and inboxes, which are derived from events and have no events of their own. */
const appended = new Set([
  ...['events', 'audit_entries', 'request_logs', 'board_items'],
  ...['webhook_deliveries', 'notifications'],
])

/** Tables of the organization that operations write. */
const of_organization = ['team_members'] as const

const organizationReaders: readonly Query<Row, { organization: string }>[] = of_organization.map((table) =>
  query<Row, { organization: string }>((db, p) =>
    db.selectFrom(table).selectAll().where('organization', '=', p('organization')),
  ),
)

const tables = new Set(
  catalogue
    .flatMap(({ target, parent, lists }) => [target?.table, parent?.table, lists?.table])
    .filter(
      (table) =>
        table !== undefined && !shared.has(table) && !appended.has(table) && !of_organization.includes(table as never),
    ),
)

const readers: readonly Query<Row, { realm: number }>[] = [...tables].map((table) =>
  query<Row, { realm: number }>((db, p) => selectRows(db, table as ResourceTable).where('realm', '=', p('realm'))),
)

/** Id → object of a realm of Acme, and of Acme, as text. */
export async function objectsOf(world: World, realm: number): Promise<Map<string, string>> {
  const reader = world.services.store.reader('system')
  const organization = world.acme.id
  const found = await Promise.all([
    ...readers.map((each) => reader.all(each, { realm })),
    ...organizationReaders.map((each) => reader.all(each, { organization })),
  ])
  return new Map(
    found.flat().map((row) => {
      const shown = Object.entries(row).filter(([column]) => !internal_columns.has(column))
      return [String(row.id), JSON.stringify(shown)]
    }),
  )
}

/** The ids of changed objects. */
export function changedBetween(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...after].filter(([id, row]) => before.get(id) !== row).map(([id]) => id)
}

/** Creates objects that depend on this one. */
export async function addDependents(things: Things, object: string | undefined, id: string): Promise<void> {
  const workspace = things.id('workspace')
  const title = 'In company'
  if (object === 'task') {
    const other = await things.fresh('other_task')
    const dependencies = `/v1/tasks/${id}/dependencies`
    await things.make(`/v1/tasks/${id}/comments`, { workspace, body: 'In company' })
    await things.make(dependencies, { workspace, to: other })
    await things.make(`/v1/tasks/${await things.fresh('other_task')}/dependencies`, { workspace, to: id })
  } else if (object === 'project') {
    const column = (await things.make('/v1/columns', { workspace, project: id, name: title })).id
    const task = { workspace, project: id, column, title }
    const [from, to] = [await things.make('/v1/tasks', task), await things.make('/v1/tasks', task)]
    await things.make(`/v1/tasks/${from.id}/dependencies`, { workspace, to: to.id })
  } else if (object === 'column') {
    await things.make('/v1/tasks', { workspace, project: things.id('project'), column: id, title })
  } else if (object === 'portfolio') {
    await things.make('/v1/projects', { workspace, portfolio: id, name: title })
  } else if (object === 'board') {
    await things.make(`/v1/boards/${id}/members`, { user: await things.fresh('other_user'), role: 'editor' })
  }
}

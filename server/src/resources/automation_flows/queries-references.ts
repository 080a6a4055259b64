/**
 * The objects that a graph names: each must exist, be the caller's, and be usable where it stands. Objects of a kind are
 * looked up together, so that a large graph costs no more questions than a small one.
 */
import type { Caller } from '../../api/caller.ts'
import type { Fault } from '../../api/errors.ts'
import type { ReferenceKind } from '../../automations/schema-values.ts'
import { isRecord, type Reference } from '../../automations/shape.ts'
import { isOneOf } from '../../db/dialect.ts'
import { type Query, query } from '../../db/query.ts'
import type { Reader } from '../../db/store.ts'
import { limits } from '../../lib/limits.ts'

export interface Finder {
  readonly tx: Reader
  readonly caller: Caller
}

/** As much of any object as tells whether it can be named. */
interface Found {
  readonly id: string
  /** The workspace it must be used in; of a workspace itself, and of what has none, nothing. */
  readonly workspace?: string
  readonly project?: string | null
  readonly key?: string
  /** Why it cannot be used although it is there. */
  readonly unusable?: string
}

type Row = Readonly<Record<string, string | number | null>>

const inRealm = (table: 'workspaces' | 'projects' | 'columns' | 'tasks' | 'task_templates', name: 'id' | 'key') =>
  query<Row>(
    (db, p, dialect) =>
      db
        .selectFrom(table as 'tasks')
        .selectAll()
        .where('realm', '=', p('realm'))
        .where('deleted_at', 'is', null)
        .where(isOneOf(dialect, name, p('ids'))) as never,
  )

const queries: Readonly<Record<Exclude<ReferenceKind, 'task'>, Query<Row>>> = {
  workspace: inRealm('workspaces', 'id'),
  project: inRealm('projects', 'id'),
  column: inRealm('columns', 'id'),
  task_template: inRealm('task_templates', 'id'),
  user: query<Row>(
    (db, p, dialect) =>
      db
        .selectFrom('members')
        .select(['user as id', 'status'])
        .where('organization', '=', p('organization'))
        .where(isOneOf(dialect, 'user', p('ids'))) as never,
  ),
  secret: query<Row>(
    (db, p, dialect) =>
      db
        .selectFrom('automation_secrets')
        .select('name as id')
        .where('realm', '=', p('realm'))
        .where(isOneOf(dialect, 'name', p('ids'))) as never,
  ),
}

const tasksById = inRealm('tasks', 'id')
const tasksByKey = inRealm('tasks', 'key')

/** What is wrong with the references of a graph that a flow of this workspace shall have. */
export async function referenceFaults(
  from: Finder,
  graph: unknown,
  references: readonly Reference[],
  workspace: string,
): Promise<Fault[]> {
  const looked = references.slice(0, limits.automation_references_max)
  const found = await lookUp(from, looked)
  return looked.flatMap((reference) => {
    const why = fault(reference, found, configAt(graph, reference.path), workspace, from.caller)
    return why === null ? [] : [{ param: reference.path, message: `${reference.path} ${why}.` }]
  })
}

/** By kind and id (of a task also by its key). */
type Objects = ReadonlyMap<string, Found>

async function lookUp({ tx, caller }: Finder, references: readonly Reference[]): Promise<Objects> {
  const { realm, organization } = caller
  const kinds = [...Map.groupBy(references, ({ kind }) => kind)]
  const asked = kinds.map(async ([kind, named]) => {
    const bound = { realm, organization, ids: JSON.stringify([...new Set(named.map(({ id }) => id))]) }
    const rows =
      kind === 'task'
        ? [...(await tx.all(tasksById, bound)), ...(await tx.all(tasksByKey, bound))]
        : await tx.all(queries[kind], bound)
    return rows.map((row) => ({ kind, row }))
  })
  const objects = new Map<string, Found>()
  for (const { kind, row } of (await Promise.all(asked)).flat()) {
    const one = usable(kind, row)
    objects.set(`${kind} ${row.id}`, one)
    if (kind === 'task') objects.set(`${kind} ${row.key}`, one)
  }
  return objects
}

function usable(kind: ReferenceKind, row: Row): Found {
  const { id, status, workspace, project } = row as Record<string, string>
  const place = workspace === undefined ? {} : { workspace, project: project ?? null }
  if (kind === 'user' && status !== 'active') return { id: id as string, unusable: 'names a member who is not active' }
  if (kind === 'project' && status === 'archived') {
    return { id: id as string, ...place, unusable: 'names a project that is archived' }
  }
  return { id: id as string, ...place }
}

type Config = Readonly<Record<string, unknown>>

/** What the node says in which a reference stands. */
function configAt(graph: unknown, path: string): Config {
  const index = Number(/^graph\.nodes\[(\d+)\]\.config\./.exec(path)?.[1] ?? -1)
  const nodes = isRecord(graph) && Array.isArray(graph.nodes) ? graph.nodes : []
  const node: unknown = nodes[index]
  return isRecord(node) && isRecord(node.config) ? node.config : {}
}

function fault(
  { kind, id, path }: Reference,
  objects: Objects,
  config: Config,
  own: string,
  caller: Caller,
): string | null {
  const found = objects.get(`${kind} ${id}`)
  if (found === undefined) {
    // Time of nobody in particular is the service user's (decisions §15).
    if (kind === 'user' && path.endsWith('.config.user') && id === caller.serviceUser) return null
    return kind === 'secret' ? 'names no secret: see atrium secret set' : `names no ${kind} that can be used here`
  }
  const workspace = typeof config.workspace === 'string' ? config.workspace : own
  if (found.workspace !== undefined && found.workspace !== workspace) return `names no ${kind} that can be used here`
  if (found.unusable !== undefined) return found.unusable
  return kind === 'column' ? columnFault(found, config) : null
}

/** A column goes with its project: where the node writes both out, or has none, they must fit (decisions §15). */
function columnFault(column: Found, config: Config): string | null {
  const { project } = config
  const makes = isRecord(config.set)
  if (typeof project === 'string' && column.project !== project) return 'names a column that is not one of the project'
  if (project === null || (project === undefined && makes)) return 'names a column, and no project with it'
  return null
}

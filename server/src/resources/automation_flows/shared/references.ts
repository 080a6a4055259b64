/**
 * Checks the objects that a graph refers to: each must exist, belong to the caller and be usable there. Objects of one
 * kind are looked up together, so the number of queries does not grow with the graph.
 */
import type { Caller } from '../../../api/declare/caller.ts'
import type { Fault } from '../../../api/declare/errors.ts'
import { automation_limits } from '../../../automations/limits.ts'
import type { ReferenceKind } from '../../../automations/schema-values.ts'
import { isRecord, type Reference } from '../../../automations/shape.ts'
import { isOneOf } from '../../../db/dialect.ts'
import { type Query, query, selectRows } from '../../../db/query.ts'
import type { Reader } from '../../../db/store.ts'

export interface Finder {
  readonly tx: Reader
  readonly caller: Caller
}

/** The fields of an object that decide whether a graph can refer to it. */
interface ReferencedObject {
  readonly id: string
  /** The workspace of the object; absent for workspaces and objects without one. */
  readonly workspace?: string
  readonly project?: string | null
  readonly key?: string
  /** Whether a user is a guest of the organization. */
  readonly isGuest?: boolean
  /** Why the object cannot be used although it exists. */
  readonly unusable?: string
}

type Row = Readonly<Record<string, string | number | null>>

/** The ids or keys to look up, as a JSON array. */
type Named = { realm: number; organization: string; ids: string }

const inRealm = (
  table: 'workspaces' | 'projects' | 'columns' | 'tasks' | 'task_templates' | 'automation_flows',
  name: 'id' | 'key' = 'id',
) =>
  query<Row, { realm: number; ids: string }>((db, p, dialect) =>
    selectRows(db, table)
      .where('realm', '=', p('realm'))
      .where('deleted_at', 'is', null)
      .where(isOneOf(dialect, name, p('ids'))),
  )

const queries: Readonly<Record<Exclude<ReferenceKind, 'task'>, Query<Row, Named>>> = {
  workspace: inRealm('workspaces'),
  project: inRealm('projects'),
  column: inRealm('columns'),
  task_template: inRealm('task_templates'),
  automation_flow: inRealm('automation_flows'),
  user: query<Row, { organization: string; ids: string }>((db, p, dialect) =>
    db
      .selectFrom('members')
      .leftJoin('account_memberships', (join) =>
        join
          .onRef('account_memberships.organization', '=', 'members.organization')
          .onRef('account_memberships.user', '=', 'members.user'),
      )
      .select(['members.user as id', 'members.status', 'account_memberships.role'])
      .where('members.organization', '=', p('organization'))
      .where(isOneOf(dialect, 'members.user', p('ids'))),
  ),
  secret: query<Row, { realm: number; ids: string }>((db, p, dialect) =>
    db
      .selectFrom('automation_secrets')
      .select('name as id')
      .where('realm', '=', p('realm'))
      .where(isOneOf(dialect, 'name', p('ids'))),
  ),
}

const tasksById = inRealm('tasks')
const tasksByKey = inRealm('tasks', 'key')

/** The reference faults of a graph for a flow of this workspace. */
export async function referenceFaults(
  from: Finder,
  graph: unknown,
  references: readonly Reference[],
  workspace: string,
): Promise<Fault[]> {
  const looked = references.slice(0, automation_limits.automation_references_max)
  const found = await lookUp(from, looked)
  return looked.flatMap((reference) => {
    const why = fault(reference, found, configAt(graph, reference.path), workspace, from.caller)
    return why === null ? [] : [{ param: reference.path, message: `${reference.path} ${why}.` }]
  })
}

/** By kind and id; tasks also by key. */
type Objects = ReadonlyMap<string, ReferencedObject>

async function lookUp({ tx, caller }: Finder, references: readonly Reference[]): Promise<Objects> {
  const { realm, organization } = caller
  const kinds = [...Map.groupBy(references, ({ kind }) => kind)]
  const lookUps = kinds.map(async ([kind, named]) => {
    const bound = { realm, organization, ids: JSON.stringify([...new Set(named.map(({ id }) => id))]) }
    const rows =
      kind === 'task'
        ? [...(await tx.all(tasksById, bound)), ...(await tx.all(tasksByKey, bound))]
        : await tx.all(queries[kind], bound)
    return rows.map((row) => ({ kind, row }))
  })
  const objects = new Map<string, ReferencedObject>()
  for (const { kind, row } of (await Promise.all(lookUps)).flat()) {
    const one = usable(kind, row)
    objects.set(`${kind} ${row.id}`, one)
    if (kind === 'task') objects.set(`${kind} ${row.key}`, one)
  }
  return objects
}

function usable(kind: ReferenceKind, row: Row): ReferencedObject {
  const { id, status, workspace, project } = row as Record<string, string>
  const location = workspace === undefined ? {} : { workspace, project: project ?? null }
  if (kind === 'user' && status !== 'active') return { id: id as string, unusable: 'names a member who is not active' }
  if (kind === 'user') return { id: id as string, isGuest: row.role === 'guest' }
  // A flow keeps the id of its project, which says nothing of who may call it.
  if (kind === 'automation_flow') return { id: id as string, workspace: workspace as string }
  if (kind === 'project' && status === 'archived') {
    return { id: id as string, ...location, unusable: 'names a project that is archived' }
  }
  return { id: id as string, ...location }
}

type Config = Readonly<Record<string, unknown>>

/** The config of the node that contains a reference. */
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
    // Time entries and approvals may name the service user, who is not a member.
    if (kind === 'user' && /\.config\.(user$|people\[)/.test(path) && id === caller.serviceUser) return null
    if (kind === 'secret') return 'names no secret; set it with atrium secret set'
    return unusableHere(kind)
  }
  const workspace = typeof config.workspace === 'string' ? config.workspace : own
  if (found.workspace !== undefined && found.workspace !== workspace) return unusableHere(kind)
  if (found.unusable !== undefined) return found.unusable
  if (found.isGuest && path.includes('.config.people[')) return 'names a guest, who cannot decide on an approval'
  return kind === 'column' ? columnFault(found, config) : null
}

function unusableHere(kind: ReferenceKind): string {
  return `names no ${kind === 'automation_flow' ? 'flow' : kind} that can be used here`
}

/** A column must belong to the project that the node sets; a node that creates a task must name that project. */
function columnFault(column: ReferencedObject, config: Config): string | null {
  const { project } = config
  const makes = isRecord(config.set) || Array.isArray(config.tasks)
  if (typeof project === 'string' && column.project !== project) return 'names a column of another project'
  if (project === null || (project === undefined && makes)) return 'names a column without its project'
  return null
}

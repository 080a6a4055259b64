/**
 * What a restored snapshot may hold, judged by what clients were answered. Each client writes sequentially, so the snapshot
 * holds a prefix of its writes, including every write acknowledged before the backup began. The tasks are exactly what these
 * writes were answered with.
 */
import { type Placeholder, query } from '../../server/src/db/query.ts'
import type { Reader } from '../../server/src/db/store.ts'
import type { Answered } from '../../server/test/durability/writers.ts'

const keysOfEvents = query((db, p: Placeholder<{ realm: number }>) =>
  db
    .selectFrom('events')
    .select('idempotency_key')
    .distinct()
    .where('realm', '=', p('realm'))
    .where('idempotency_key', 'is not', null),
)

const allTasks = query((db, p: Placeholder<{ realm: number }>) =>
  db.selectFrom('tasks').select(['id', 'title', 'priority', 'deleted_at']).where('realm', '=', p('realm')),
)

/** The key that created the workspace. */
const workspace_key = 'the-workspace'

export interface Snapshot {
  /** The idempotency keys of its writes. */
  readonly keys: ReadonlySet<string>
  /** One line per task, sorted. */
  readonly tasks: readonly string[]
}

export async function snapshotOf(reader: Reader, realm: number): Promise<Snapshot> {
  const events = await reader.all(keysOfEvents, { realm })
  const tasks = await reader.all(allTasks, { realm })
  return {
    keys: new Set(events.map((row) => String(row.idempotency_key)).filter((key) => key !== workspace_key)),
    tasks: tasks.map(({ id, title, priority, deleted_at }) => lineOf(id, title, priority, deleted_at !== null)).sort(),
  }
}

function lineOf(id: string, title: string, priority: string, isDeleted: boolean): string {
  return isDeleted ? `${id} deleted` : `${id} ${priority} ${title}`
}

/** Everything wrong with a snapshot. `before`: how many of the answers came before the backup began. */
export function wrongWith(snapshot: Snapshot, answered: readonly Answered[], before: number): string[] {
  const wrong: string[] = []
  const isHeld = ({ idempotencyKey }: Answered) => snapshot.keys.has(idempotencyKey)
  const known = new Set(answered.map(({ idempotencyKey }) => idempotencyKey))
  const unknown = [...snapshot.keys].filter((key) => !known.has(key)).length
  if (unknown > 0) wrong.push(`it holds ${unknown} writes that no client made`)
  const lost = answered.slice(0, before).filter((write) => !isHeld(write)).length
  if (lost > 0) wrong.push(`it lacks ${lost} writes acknowledged before the backup began`)
  for (const [client, writes] of byClient(answered)) {
    const missing = writes.findIndex((write) => !isHeld(write))
    const later = missing < 0 ? [] : writes.slice(missing).filter(isHeld)
    if (later.length > 0) wrong.push(`it holds ${later.length} writes of client ${client} after one that it lacks`)
  }
  const expected = tasksAfter(answered.filter(isHeld))
  if (expected.join('\n') !== snapshot.tasks.join('\n')) wrong.push('its tasks differ from the answers to its writes')
  return wrong
}

interface ShownTask {
  readonly id: string
  readonly title: string
  readonly priority: string
}

/** The tasks in an answer: one, those of a batch, or none for a comment. */
function shownTasks({ path, text }: Answered): readonly ShownTask[] {
  if (path.endsWith('/comments')) return []
  const body = JSON.parse(text)
  return body.data ?? [body]
}

function tasksAfter(writes: readonly Answered[]): readonly string[] {
  const tasks = new Map<string, string>()
  for (const write of writes) {
    if (write.method === 'DELETE') {
      const id = idIn(write.path)
      tasks.set(id, lineOf(id, '', '', true))
    } else for (const { id, title, priority } of shownTasks(write)) tasks.set(id, lineOf(id, title, priority, false))
  }
  return [...tasks.values()].sort()
}

function idIn(path: string): string {
  return path.split('/')[3] ?? ''
}

/** Each client's writes in order. Titles begin with the client's number, and each client has its own tasks. */
function byClient(answered: readonly Answered[]): ReadonlyMap<number, readonly Answered[]> {
  const owners = new Map<string, number>()
  return Map.groupBy(answered, (write) => {
    const tasks = write.method === 'DELETE' ? [] : shownTasks(write)
    for (const { id, title } of tasks) owners.set(id, Number.parseInt(title, 10))
    const client = owners.get(tasks[0]?.id ?? idIn(write.path))
    if (client === undefined) throw new Error(`${write.path} belongs to no client`)
    return client
  })
}

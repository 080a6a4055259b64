/**
 * What a restored moment may hold by what clients were told. Each client writes one thing after the other, so of its
 * writes the moment has a beginning; that has all it was told of before the backup began; and the tasks are what exactly
 * these writes were answered.
 */
import { query } from '../../server/src/db/query.ts'
import type { Reader } from '../../server/src/db/store.ts'
import type { Answered } from '../../server/test/durability/writers.ts'

const keysOfEvents = query((db, p) =>
  db
    .selectFrom('events')
    .select('idempotency_key')
    .distinct()
    .where('realm', '=', p('realm'))
    .where('idempotency_key', 'is not', null),
)

const allTasks = query((db, p) =>
  db.selectFrom('tasks').select(['id', 'title', 'priority', 'deleted_at']).where('realm', '=', p('realm')),
)

/** The key that the workspace itself is made with. */
const first_key = 'the-workspace'

/** One task as a line. */
type Line = string

export interface Moment {
  /** Of every write that it has. */
  readonly keys: ReadonlySet<string>
  readonly tasks: readonly Line[]
}

/** What of it stands in a database. */
export async function momentOf(reader: Reader, realm: number): Promise<Moment> {
  const events = await reader.all(keysOfEvents, { realm })
  const tasks = await reader.all(allTasks, { realm })
  return {
    keys: new Set(events.map((row) => String(row.idempotency_key)).filter((key) => key !== first_key)),
    tasks: tasks.map(({ id, title, priority, deleted_at }) => lineOf(id, title, priority, deleted_at !== null)).sort(),
  }
}

function lineOf(id: string, title: string, priority: string, isDeleted: boolean): Line {
  return isDeleted ? `${id} deleted` : `${id} ${priority} ${title}`
}

/** Everything that is wrong with a moment, when all of the clients' writes have been answered; `before` of them by its beginning. */
export function wrongWith(moment: Moment, answered: readonly Answered[], before: number): string[] {
  const wrong: string[] = []
  const known = new Set(answered.map(({ idempotencyKey }) => idempotencyKey))
  const strange = [...moment.keys].filter((key) => !known.has(key)).length
  if (strange > 0) wrong.push(`it has ${strange} writes that nobody made`)
  const lost = answered.slice(0, before).filter(({ idempotencyKey }) => !moment.keys.has(idempotencyKey)).length
  if (lost > 0) wrong.push(`${lost} writes are not in it that were acknowledged before it began`)
  for (const [client, writes] of byClient(answered)) {
    const missing = writes.findIndex(({ idempotencyKey }) => !moment.keys.has(idempotencyKey))
    const behind = missing < 0 ? [] : writes.slice(missing).filter((each) => moment.keys.has(each.idempotencyKey))
    if (behind.length > 0) wrong.push(`it has ${behind.length} writes of client ${client} behind one that it has not`)
  }
  const expected = tasksAfter(answered.filter(({ idempotencyKey }) => moment.keys.has(idempotencyKey)))
  if (expected.join('\n') !== moment.tasks.join('\n')) wrong.push('its tasks are not what its writes were answered')
  return wrong
}

interface Shown {
  readonly id: string
  readonly title: string
  readonly priority: string
}

/** The tasks that an answer shows as a write left them: one, or those of a batch; none of a comment. */
function shown({ path, text }: Answered): readonly Shown[] {
  if (path.endsWith('/comments')) return []
  const said = JSON.parse(text)
  return said.data ?? [said]
}

function tasksAfter(writes: readonly Answered[]): readonly Line[] {
  const tasks = new Map<string, Line>()
  for (const write of writes) {
    if (write.method === 'DELETE') {
      const id = idIn(write.path)
      tasks.set(id, lineOf(id, '', '', true))
    } else for (const { id, title, priority } of shown(write)) tasks.set(id, lineOf(id, title, priority, false))
  }
  return [...tasks.values()].sort()
}

function idIn(path: string): string {
  return path.split('/')[3] ?? ''
}

/** Each client's writes in its order: a client is told by the number that its titles begin with, and has tasks of its own. */
function byClient(answered: readonly Answered[]): ReadonlyMap<number, readonly Answered[]> {
  const owners = new Map<string, number>()
  const found = new Map<number, Answered[]>()
  for (const write of answered) {
    const tasks = write.method === 'DELETE' ? [] : shown(write)
    for (const { id, title } of tasks) owners.set(id, Number.parseInt(title, 10))
    const client = owners.get(tasks[0]?.id ?? idIn(write.path))
    if (client === undefined) throw new Error(`${write.path} is of no client`)
    if (!found.has(client)) found.set(client, [])
    found.get(client)?.push(write)
  }
  return found
}

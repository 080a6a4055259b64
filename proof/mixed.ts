/** Sixteen clients with mixed writes that retry until answered, and the checks that must hold afterwards. */
import { type Placeholder, query } from '../server/src/db/query.ts'
import type { Reader } from '../server/src/db/store.ts'
import { call } from '../server/test/call.ts'
import { makeWorkspace } from '../server/test/durability/installation.ts'
import { assertReplays, assertSound, reading } from '../server/test/durability/soundness.ts'
import { type Answered, type Wanted, Writers } from '../server/test/durability/writers.ts'
import { assertFolds } from '../server/test/fold.ts'
import type { Deployment } from './deployment.ts'
import type { Dice } from './dice.ts'
import { reportFailure, type Violated } from './row.ts'

const clients = 16

type Write = Omit<Wanted, 'idempotencyKey'>

/** Creates, updates, comments on, deletes and batches tasks. Each client uses only its own tasks, so no write is refused. */
export class MixedWorkload {
  readonly writers: Writers
  private readonly dice: Dice
  private readonly workspace: string
  private readonly tasks = Array.from({ length: clients }, () => [] as string[])
  private answersRead = 0
  private titles = 0

  constructor(workspace: string, dice: Dice, pace: { readonly pause_ms?: number }) {
    this.workspace = workspace
    this.dice = dice
    this.writers = new Writers(clients, (writer) => this.next(writer), pace)
  }

  private next(writer: number): Write {
    this.readAnswers()
    const { workspace, dice } = this
    const own = this.tasks[writer] as string[]
    const title = `${writer} made ${++this.titles}`
    const kind = own.length === 0 ? 'create' : dice.pick(['create', 'batch', 'change', 'change', 'comment', 'delete'])
    const task = `/v1/tasks/${own.at(-1)}`
    if (kind === 'change') return { method: 'PATCH', path: task, body: { title, priority: dice.pick(['low', 'high']) } }
    if (kind === 'comment') return { path: `${task}/comments`, body: { workspace, body: title } }
    if (kind === 'delete') return { method: 'DELETE', path: `/v1/tasks/${own.pop()}`, body: {} }
    if (kind === 'create')
      return { path: '/v1/tasks', body: { workspace, title, custom_fields: { made: this.titles } } }
    const data = Array.from({ length: dice.int(2, 6) }, (_, i) => ({ title: `${title}.${i}` }))
    return { path: '/v1/tasks/batch', body: { workspace, data } }
  }

  /** Notes the tasks of each client from the answers since the last call. */
  private readAnswers(): void {
    for (const { text, path } of this.writers.answered.slice(this.answersRead)) {
      if (path !== '/v1/tasks' && path !== '/v1/tasks/batch') continue
      const body = JSON.parse(text)
      for (const { id, title } of body.data ?? [body]) this.tasks[Number.parseInt(title, 10)]?.push(id)
    }
    this.answersRead = this.writers.answered.length
  }
}

type Installed = Pick<Deployment, 'installation'>

/** `pause_ms` is the time that each client waits after an answer. */
export async function openMixed(
  { installation }: Installed,
  url: string,
  dice: Dice,
  pace: { readonly pause_ms?: number } = {},
): Promise<MixedWorkload> {
  return new MixedWorkload(await makeWorkspace(url, installation.key), dice, pace)
}

const commitsOfKeys = query((db, p: Placeholder<{ realm: number }>) =>
  db
    .selectFrom('events')
    .select(['idempotency_key', 'commit_id'])
    .distinct()
    .where('realm', '=', p('realm'))
    .where('idempotency_key', 'is not', null),
)

interface CommitCounts {
  readonly lost: number
  readonly doubled: number
  /** Committed but never acknowledged: possible only if clients stopped before their answers. */
  readonly unacknowledged: number
}

/** Compares the answered writes with the commits in the event log: each key is one commit. */
async function countCommits(reader: Reader, realm: number, answered: readonly Answered[]): Promise<CommitCounts> {
  const rows = await reader.all(commitsOfKeys, { realm })
  const commits = Map.groupBy(rows, (row) => String(row.idempotency_key))
  for (const made_first of ['the-workspace', 'the-board']) commits.delete(made_first)
  const lost = answered.filter(({ idempotencyKey }) => !commits.has(idempotencyKey)).length
  const doubled = [...commits.values()].filter((of) => of.length > 1).length
  return { lost, doubled, unacknowledged: commits.size - (answered.length - lost) }
}

export interface Examined {
  readonly deployment: Pick<Deployment, 'installation' | 'database'>
  readonly url: string
  readonly answered: readonly Answered[]
}

/** Everything that a database and a server over it can show once all writes are answered. */
export async function examine(violated: Violated, { deployment, url, answered }: Examined): Promise<void> {
  const { key, organization, realms } = deployment.installation
  const get = (path: string) => call(url, 'GET', path, { key })
  await reportFailure(violated, 'replays', () => assertReplays(url, key, answered))
  await reading(deployment.database.url, async (reader) => {
    const { lost, doubled, unacknowledged } = await countCommits(reader, realms.live, answered)
    for (let i = 0; i < lost; i++) violated('an acknowledged write is lost')
    for (let i = 0; i < doubled; i++) violated('a write took effect twice')
    for (let i = 0; i < unacknowledged; i++) violated('a write that was never acknowledged took effect')
    await reportFailure(violated, 'logs', () => assertSound(reader, organization))
    const world = { services: { store: { reader: () => reader } }, acme: { realms }, get }
    await reportFailure(violated, 'events folded into objects', () => assertFolds(world))
  })
}

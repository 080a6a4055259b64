/** Sixteen clients that write all sorts of things and never give up, and what must be true of it afterwards. */

import { query } from '../server/src/db/query.ts'
import type { Reader } from '../server/src/db/store.ts'
import { call } from '../server/test/call.ts'
import { makeWorkspace } from '../server/test/durability/installation.ts'
import { assertReplays, assertSound, reading } from '../server/test/durability/soundness.ts'
import { type Answered, type Wanted, Writers } from '../server/test/durability/writers.ts'
import { assertFolds } from '../server/test/fold.ts'
import type { Dice } from './dice.ts'
import type { Place } from './place.ts'

const clients = 16

type Next = Omit<Wanted, 'idempotencyKey'>

/** Creates, changes, completes, comments on, deletes and batches tasks; each client only its own, so none is refused. */
export class Mixed {
  readonly writers: Writers
  private readonly dice: Dice
  private readonly workspace: string
  private readonly own = Array.from({ length: clients }, () => [] as string[])
  private taken = 0
  private made = 0

  constructor(workspace: string, dice: Dice) {
    this.workspace = workspace
    this.dice = dice
    this.writers = new Writers(clients, (writer) => this.next(writer))
  }

  private next(writer: number): Next {
    this.learn()
    const { workspace, dice } = this
    const own = this.own[writer] as string[]
    const title = `${writer} made ${++this.made}`
    const kind = own.length === 0 ? 'create' : dice.pick(['create', 'batch', 'change', 'change', 'comment', 'delete'])
    const task = `/v1/tasks/${own.at(-1)}`
    if (kind === 'change') return { method: 'PATCH', path: task, body: { title, priority: dice.pick(['low', 'high']) } }
    if (kind === 'comment') return { path: `${task}/comments`, body: { workspace, body: title } }
    if (kind === 'delete') return { method: 'DELETE', path: `/v1/tasks/${own.pop()}`, body: {} }
    if (kind === 'create') return { path: '/v1/tasks', body: { workspace, title, custom_fields: { made: this.made } } }
    const data = Array.from({ length: dice.int(2, 6) }, (_, i) => ({ title: `${title}.${i}` }))
    return { path: '/v1/tasks/batch', body: { workspace, data } }
  }

  /** Which tasks belong to whom, of those answered since. */
  private learn(): void {
    for (const { text, path } of this.writers.answered.slice(this.taken)) {
      if (path !== '/v1/tasks' && path !== '/v1/tasks/batch') continue
      const said = JSON.parse(text)
      for (const { id, title } of said.data ?? [said]) this.own[Number.parseInt(title, 10)]?.push(id)
    }
    this.taken = this.writers.answered.length
  }
}

export async function openMixed(place: Place, url: string, dice: Dice): Promise<Mixed> {
  return new Mixed(await makeWorkspace(url, place.installation.key), dice)
}

const commitsOfKeys = query((db, p) =>
  db
    .selectFrom('events')
    .select(['idempotency_key', 'commit_id'])
    .distinct()
    .where('realm', '=', p('realm'))
    .where('idempotency_key', 'is not', null),
)

export interface Counted {
  readonly lost: number
  readonly doubled: number
  /** Done, though nobody was told: only where the clients stopped before they had their answers. */
  readonly untold: number
}

/** Each answered write against the commits in the event log: a key is one commit. */
export async function countCommits(reader: Reader, realm: number, answered: readonly Answered[]): Promise<Counted> {
  const rows = await reader.all(commitsOfKeys, { realm })
  const commits = Map.groupBy(rows, (row) => String(row.idempotency_key))
  commits.delete('the-workspace')
  let lost = 0
  for (const { idempotencyKey } of answered) {
    if (!commits.has(idempotencyKey)) lost++
  }
  const doubled = [...commits.values()].filter((of) => of.length > 1).length
  return { lost, doubled, untold: commits.size - (answered.length - lost) }
}

/** A check that throws, as one that tells: rows go on and count. */
export async function told(violated: (text: string) => void, what: string, check: () => Promise<unknown>) {
  try {
    await check()
  } catch (error) {
    violated(`${what}: ${(error as Error).message.replaceAll(/\s+/g, ' ').slice(0, 300)}`)
  }
}

/** Everything that can be told from inside and outside of a database and a server over it when all was answered. */
export async function examine(
  violated: (text: string) => void,
  { place, url, answered }: { readonly place: Place; readonly url: string; readonly answered: readonly Answered[] },
): Promise<void> {
  const { key, organization, realms } = place.installation
  const get = (path: string) => call(url, 'GET', path, { key })
  await told(violated, 'a replay', () => assertReplays(url, key, answered))
  await reading(place.database.url, async (reader) => {
    const { lost, doubled, untold } = await countCommits(reader, realms.live, answered)
    for (let i = 0; i < lost; i++) violated('an acknowledged write is lost')
    for (let i = 0; i < doubled; i++) violated('a write took effect twice')
    for (let i = 0; i < untold; i++) violated('a write that nobody was told of took effect')
    await told(violated, 'the logs', () => assertSound(reader, organization))
    const folded = { services: { store: { reader: () => reader } }, acme: { realms }, get }
    await told(violated, 'the fold', () => assertFolds(folded))
  })
}

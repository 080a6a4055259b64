/**
 * Keeps the index of the tasks' texts. A realm's tasks are walked once, in id order; from then on the index follows the event
 * log from the position that the walk began at. Each batch is one transaction with its position, so an interrupted batch is
 * repeated. Invariant: once `walked` is null, the index has the grams of every task as of the event at `sequence`.
 */
import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { isOneOfKeys } from '../../../db/dialect.ts'
import { type Placeholder, query, rawQuery } from '../../../db/query.ts'
import { type IndexStep, indexShares, type RealmShare, type RealmToIndex } from '../../../db/realms/indexing.ts'
import type { TaskRow, TextDocumentRow, TextPositionRow } from '../../../db/schema.ts'
import type { Tx, ViewOf } from '../../../db/store.ts'
import { gramsOf } from '../text-grams.ts'

type Indexed = Pick<TaskRow, 'id' | 'title_folded' | 'description_folded' | 'deleted_at'>

/** Realms whose tasks or events are not all indexed, those first that waited longest, and how many events each is behind. */
export const realmsToIndex = rawQuery(
  (p: Placeholder<{ count: number }>) => sql<RealmToIndex>`select
    event_heads.realm as realm, realms.organization as organization, case when text_positions.walked is null
      then event_heads.sequence - text_positions.sequence end as behind
    from event_heads join realms on realms.realm = event_heads.realm
    left join text_positions on text_positions.realm = event_heads.realm
    where text_positions.realm is null or text_positions.walked is not null
      or text_positions.sequence <> event_heads.sequence
    order by coalesce(text_positions.looked_at, 0), event_heads.realm limit ${p('count')}`,
)

const findPosition = query<TextPositionRow, { realm: number }>((db, p) =>
  db.selectFrom('text_positions').selectAll().where('realm', '=', p('realm')),
)

const headOf = query((db, p: Placeholder<{ realm: number }>) =>
  db.selectFrom('event_heads').select('sequence').where('realm', '=', p('realm')),
)

const storePosition = query<never, { realm: number; sequence: number; walked: string | null; looked_at: number }>(
  (db, p) =>
    db
      .insertInto('text_positions')
      .values({ realm: p('realm'), sequence: p('sequence'), walked: p('walked'), looked_at: p('looked_at') })
      .onConflict((conflict) =>
        conflict.column('realm').doUpdateSet((eb) => ({
          sequence: eb.ref('excluded.sequence'),
          walked: eb.ref('excluded.walked'),
          looked_at: eb.ref('excluded.looked_at'),
        })),
      ),
)

const columns = ['id', 'title_folded', 'description_folded', 'deleted_at'] as const

const tasksAfter = query((db, p: Placeholder<{ realm: number; id: string; count: number }>) =>
  db
    .selectFrom('tasks')
    .select(columns)
    .where('realm', '=', p('realm'))
    .where('id', '>', p('id'))
    .orderBy('id')
    .limit(p('count')),
)

const tasksOf = query((db, p: Placeholder<{ realm: number; ids: string }>, dialect) =>
  db
    .selectFrom('tasks')
    .select(columns)
    .where('realm', '=', p('realm'))
    .where(isOneOfKeys(dialect, 'id', p('ids'))),
)

const eventsAfter = query((db, p: Placeholder<{ realm: number; sequence: number; count: number }>) =>
  db
    .selectFrom('events')
    .select(['sequence', 'object', 'object_id'])
    .where('realm', '=', p('realm'))
    .where('sequence', '>', p('sequence'))
    .orderBy('sequence')
    .limit(p('count')),
)

const documentsOf = query<TextDocumentRow, { realm: number; tasks: string }>((db, p, dialect) =>
  db
    .selectFrom('text_documents')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where(isOneOfKeys(dialect, 'task', p('tasks'))),
)

/** Over all realms: on PostgreSQL from the table that is not under row-level security. */
const lastDocument = rawQuery(
  (_p: Placeholder, dialect) => sql<{ last: number | null }>`select max(document) as last
    from ${sql.table(dialect === 'sqlite' ? 'text_documents' : 'text_grams')}`,
)

/** On Citus, where the realm is part of the key. */
const lastDocumentOfRealm = rawQuery(
  (p: Placeholder<{ realm: number }>) => sql<{ last: number | null }>`select max(document) as last
    from text_grams where shard = ${p('realm')}`,
)

const removeGrams = query((db, p: Placeholder<{ realm: number; document: number }>, dialect) =>
  dialect === 'sqlite'
    ? db.deleteFrom('text_grams').where('rowid', '=', p('document'))
    : db.deleteFrom('text_grams').where('document', '=', p('document')).where('shard', '=', p('realm')),
)

const insertGrams = query((db, p: Placeholder<{ realm: number; document: number; grams: string }>, dialect) =>
  dialect === 'sqlite'
    ? db.insertInto('text_grams').values({ rowid: p('document'), grams: p('grams') })
    : db.insertInto('text_grams').values({ document: p('document'), shard: p('realm'), grams: p('grams') }),
)

const removeDocument = query((db, p: Placeholder<{ realm: number; task: string }>) =>
  db.deleteFrom('text_documents').where('realm', '=', p('realm')).where('task', '=', p('task')),
)

const storeDocument = query<never, { realm: number; task: string; document: number; digest: string }>((db, p) =>
  db
    .insertInto('text_documents')
    .values({ realm: p('realm'), task: p('task'), document: p('document'), digest: p('digest') })
    .onConflict((conflict) =>
      conflict.columns(['realm', 'task']).doUpdateSet((eb) => ({ digest: eb.ref('excluded.digest') })),
    ),
)

/** Gives out the numbers of new documents within one transaction. */
class Numbers {
  private readonly isOfRealm: boolean
  private readonly last = new Map<number, number>()

  /** `isOfRealm`: documents are numbered in each realm (Citus), not over all. */
  constructor(isOfRealm: boolean) {
    this.isOfRealm = isOfRealm
  }

  async next(tx: Tx, realm: number): Promise<number> {
    const key = this.isOfRealm ? realm : 0
    if (!this.last.has(key)) {
      const row = await (this.isOfRealm ? tx.first(lastDocumentOfRealm, { realm }) : tx.first(lastDocument))
      // Another realm of the transaction may have read it, and may have used the next.
      if (!this.last.has(key)) this.last.set(key, row?.last ?? 0)
    }
    const next = (this.last.get(key) as number) + 1
    this.last.set(key, next)
    return next
  }
}

/** Indexes the next tasks of a realm: at most `count` tasks or events. Returns how many. */
export async function indexNextTexts(tx: Tx, realm: number, count: number, now: number): Promise<number> {
  return await indexRealm(tx, { realm, organization: '', count }, new Numbers(false), { now, numbersRealms: false })
}

/** The same for several realms in one transaction. */
export async function indexTextsAcross(
  viewOf: ViewOf,
  shares: readonly RealmShare[],
  step: IndexStep,
): Promise<number> {
  const numbers = new Numbers(step.numbersRealms)
  return await indexShares(viewOf, shares, (tx, share) => indexRealm(tx, share, numbers, step))
}

async function indexRealm(tx: Tx, { realm, count }: RealmShare, numbers: Numbers, { now }: IndexStep): Promise<number> {
  const position = await tx.first(findPosition, { realm })
  const head = (await tx.first(headOf, { realm }))?.sequence
  if (head === undefined) return 0
  const at = { realm, numbers, count }
  const store = (sequence: number, walked: string | null) =>
    tx.write(storePosition, { realm, sequence, walked, looked_at: now })
  if (position === undefined) return await walk(tx, at, '', (walked) => store(head, walked))
  const { sequence, walked } = position
  if (walked !== null) return await walk(tx, at, walked, (next) => store(sequence, next))
  if (sequence === head) return 0
  const events = await tx.all(eventsAfter, { realm, sequence, count })
  if (events[0]?.sequence !== sequence + 1) {
    // Unread events are past retention, or the log was cut: the tasks are walked again.
    store(head, '')
    return 1
  }
  const ids = new Set(events.filter(({ object }) => object === 'task').map(({ object_id }) => object_id))
  const tasks = ids.size === 0 ? [] : await tx.all(tasksOf, { realm, ids: JSON.stringify([...ids]) })
  await indexTasks(tx, at, tasks)
  store(events.at(-1)?.sequence ?? sequence, null)
  return events.length
}

interface Place {
  readonly realm: number
  readonly numbers: Numbers
  readonly count: number
}

async function walk(tx: Tx, at: Place, after: string, store: (walked: string | null) => void): Promise<number> {
  const { realm, count } = at
  const tasks = await tx.all(tasksAfter, { realm, id: after, count })
  await indexTasks(tx, at, tasks)
  store(tasks.length < count ? null : (tasks.at(-1) as Indexed).id)
  return Math.max(tasks.length, 1)
}

async function indexTasks(tx: Tx, { realm, numbers }: Omit<Place, 'count'>, tasks: readonly Indexed[]): Promise<void> {
  if (tasks.length === 0) return
  const rows = await tx.all(documentsOf, { realm, tasks: JSON.stringify(tasks.map(({ id }) => id)) })
  const known = new Map(rows.map((row) => [row.task, row]))
  for (const task of tasks) {
    const found = known.get(task.id)
    if (task.deleted_at !== null) {
      if (found === undefined) continue
      tx.write(removeGrams, { realm, document: found.document })
      tx.write(removeDocument, { realm, task: task.id })
      continue
    }
    const digest = hash('sha256', JSON.stringify([task.title_folded, task.description_folded]), 'base64url')
    if (found?.digest === digest) continue
    if (found !== undefined) tx.write(removeGrams, { realm, document: found.document })
    const document = found?.document ?? (await numbers.next(tx, realm))
    const grams = gramsOf(tx.dialect, realm, task)
    const text = tx.dialect === 'sqlite' ? grams.join(' ') : `{${grams.join()}}`
    tx.write(insertGrams, { realm, document, grams: text })
    tx.write(storeDocument, { realm, task: task.id, document, digest })
  }
}

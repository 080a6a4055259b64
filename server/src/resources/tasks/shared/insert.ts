/**
 * Writes tasks together with their terms. Invariant: after each transaction `task_terms` holds exactly the terms of every
 * row of `tasks`, including tombstones. Only these functions insert a task or change its labels and custom fields.
 */
import { isOneOf } from '../../../db/dialect.ts'
import { type Placeholder, type Query, query, shapedQuery } from '../../../db/query.ts'
import type { TaskRow } from '../../../db/schema.ts'
import type { Tx } from '../../../db/store.ts'
import { changeAttachments } from '../../files/shared/attachments.ts'
import { termsOf } from '../terms.ts'

/** Rows per statement. SQLite takes three times as long for several rows at once; PostgreSQL saves round trips. */
const rows_max = { sqlite: 1, postgres: 8 } as const

const removeTerms = query((db, p: Placeholder<{ realm: number; task: string; terms: string }>, dialect) =>
  db
    .deleteFrom('task_terms')
    .where('realm', '=', p('realm'))
    .where('task', '=', p('task'))
    .where(isOneOf(dialect, 'term', p('terms'))),
)

/** Inserts a task's row with its terms and attachments. */
export function insertTask(tx: Tx, row: TaskRow): void {
  tx.insert('tasks', row)
  insertTerms(tx, row, termsOf(row))
  changeAttachments(tx, row.realm, { object: 'task', id: row.id }, '[]', row.attachments)
}

/** Updates the terms of a changed task. */
export function changeTerms(tx: Tx, before: TaskRow, after: TaskRow): void {
  if (before.labels === after.labels && before.custom_fields === after.custom_fields) return
  const [old, now] = [new Set(termsOf(before)), new Set(termsOf(after))]
  const removed = [...old.difference(now)]
  const { realm, id: task } = after
  if (removed.length > 0) tx.write(removeTerms, { realm, task, terms: JSON.stringify(removed) })
  insertTerms(tx, after, [...now.difference(old)])
}

const insertTerm = query((db, p: Placeholder<{ realm: number; term: string; task: string }>) =>
  db.insertInto('task_terms').values({ realm: p('realm'), term: p('term'), task: p('task') }),
)

function insertTerms(tx: Tx, { realm, id: task }: TaskRow, terms: readonly string[]): void {
  if (tx.dialect === 'sqlite') {
    for (const term of terms) tx.write(insertTerm, { realm, term, task })
    return
  }
  const step = rows_max[tx.dialect]
  for (let from = 0; from < terms.length; from += step) {
    const some = terms.slice(from, from + step)
    const values: TermValues = { realm, task }
    for (const [i, term] of some.entries()) values[`term_${i}`] = term
    tx.write(insertOf(some.length), values)
  }
}

type TermValues = { realm: number; task: string } & { [term: `term_${number}`]: string }

function insertOf(count: number): Query<unknown, TermValues> {
  return shapedQuery(`insert task_terms ${count}`, (db, p: Placeholder<TermValues>) =>
    db
      .insertInto('task_terms')
      .values(Array.from({ length: count }, (_, i) => ({ realm: p('realm'), term: p(`term_${i}`), task: p('task') }))),
  )
}

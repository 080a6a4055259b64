/**
 * Files attached to objects. Invariant: a pair of file and object is in `file_attachments` exactly if the object is not deleted
 * and its column names the file. Only `changeAttachments` and `detach.ts` change the pairs.
 */
import Type from 'typebox'
import type { Caller } from '../../../api/declare/caller.ts'
import { refuse } from '../../../api/declare/errors.ts'
import { described, Id } from '../../../api/declare/shapes.ts'
import { limits } from '../../../api/limits.ts'
import { findReference } from '../../../api/request/references.ts'
import { isOneOf } from '../../../db/dialect.ts'
import { type Placeholder, query } from '../../../db/query.ts'
import type { Reader, Tx } from '../../../db/store.ts'
import { type AttachedTo, fileNoun } from '../file.ts'

export type AttachedKind = 'task' | 'comment' | 'expense'

export const Attachments = described(
  Type.Array(Id, { maxItems: limits.attachments_max, uniqueItems: true }),
  'Ids of the attached files, in order.',
)

export const Receipts = described(
  Type.Array(Id, { maxItems: limits.receipts_max, uniqueItems: true }),
  'Ids of the files that show the receipts, in order.',
)

const countOf = query<{ count: number }, { realm: number; file: string }>((db, p) =>
  db
    .selectFrom('file_attachments')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('realm', '=', p('realm'))
    .where('file', '=', p('file')),
)

/**
 * Refuses ids that do not name a file of the workspace with 400, and a file that is attached to its most objects with 409. Files
 * in `before`, a column, are not looked up. `param` names the sent list.
 */
export async function requireFiles(
  from: { readonly tx: Reader; readonly caller: Caller },
  workspace: string,
  ids: readonly string[] | undefined,
  param: string,
  before = '[]',
): Promise<void> {
  if (ids === undefined || ids.length === 0) return
  const known = new Set(JSON.parse(before) as string[])
  for (const [i, id] of ids.entries()) {
    if (known.has(id)) continue
    const file = await findReference(fileNoun, from, id, `${param}[${i}]`, workspace)
    const { count } = (await from.tx.first(countOf, { realm: file.realm, file: id })) ?? { count: 0 }
    if (Number(count) < limits.file_objects_max) continue
    const message = `The file ${id} is attached to ${limits.file_objects_max} objects, which is the limit. Upload it again.`
    throw refuse('resource_conflict', { param: `${param}[${i}]`, message })
  }
}

/** Follows a change of an object's column; `[]` before for a new object, and after for a deleted one. */
export function changeAttachments(
  tx: Tx,
  realm: number,
  { object, id }: { readonly object: AttachedKind; readonly id: string },
  before: string,
  after: string,
): void {
  if (before === after) return
  const [old, now] = [new Set(JSON.parse(before) as string[]), new Set(JSON.parse(after) as string[])]
  for (const file of old.difference(now)) tx.write(removePair, { realm, file, object, id })
  for (const file of now.difference(old)) tx.insert('file_attachments', { realm, file, object, id })
}

const removePair = query((db, p: Placeholder<{ realm: number; file: string; object: string; id: string }>) =>
  db
    .deleteFrom('file_attachments')
    .where('realm', '=', p('realm'))
    .where('file', '=', p('file'))
    .where('object', '=', p('object'))
    .where('id', '=', p('id')),
)

const pairsOf = query<{ file: string } & AttachedTo, { realm: number; files: string }>((db, p, dialect) =>
  db
    .selectFrom('file_attachments')
    .select(['file', 'object', 'id'])
    .where('realm', '=', p('realm'))
    .where(isOneOf(dialect, 'file', p('files')))
    .orderBy('file')
    .orderBy('object')
    .orderBy('id'),
)

/** The objects that each of some files is attached to. */
export async function attachedTo(
  reader: Reader,
  realm: number,
  files: readonly string[],
): Promise<ReadonlyMap<string, readonly AttachedTo[]>> {
  const rows = files.length === 0 ? [] : await reader.all(pairsOf, { realm, files: JSON.stringify(files) })
  const found = Map.groupBy(rows, ({ file }) => file)
  return new Map([...found].map(([file, pairs]) => [file, pairs.map(({ object, id }) => ({ object, id }))]))
}

/**
 * The content that files and the images of boards share. Invariants: a file that is not deleted, and an image of boards, has a row
 * here with its SHA-256, and the content lies under the row's key before the row commits; `unreferenced_at` is set exactly if
 * neither has the content. A transaction that refers to a row, or ends a reference, changes it first: on PostgreSQL one then waits
 * for the other.
 */
import { sql } from 'kysely'
import type { UploadedContent } from '../../../api/declare/operation.ts'
import { isOneOf } from '../../../db/dialect.ts'
import { type Placeholder, query, rawQuery } from '../../../db/query.ts'
import type { FileContentRow } from '../../../db/schema.ts'
import type { Reader, Tx } from '../../../db/store.ts'
import { isPreviewable } from '../../../files/previewer.ts'

/** `bytes` of an image of boards whose bytes are a content here. Images of version 0.1.0 have their bytes in base64 in the row. */
export const image_in_content = ''

interface ContentId {
  readonly realm: number
  readonly sha256: string
}

export const findContent = query<FileContentRow, { realm: number; sha256: string }>((db, p) =>
  db.selectFrom('file_contents').selectAll().where('realm', '=', p('realm')).where('sha256', '=', p('sha256')),
)

const setUnreferenced = query((db, p: Placeholder<{ realm: number; sha256: string; unreferenced_at: number | null }>) =>
  db
    .updateTable('file_contents')
    .set({ unreferenced_at: p('unreferenced_at') })
    .where('realm', '=', p('realm'))
    .where('sha256', '=', p('sha256')),
)

async function refer(tx: Tx, realm: number, sha256: string): Promise<boolean> {
  return (await tx.run(setUnreferenced, { realm, sha256, unreferenced_at: null })) > 0
}

const otherFile = query<{ id: string }, { realm: number; sha256: string; id: string }>((db, p) =>
  db
    .selectFrom('files')
    .select('id')
    .where('realm', '=', p('realm'))
    .where('sha256', '=', p('sha256'))
    .where('deleted_at', 'is', null)
    .where('id', '!=', p('id'))
    .limit(1),
)

const boardImage = query<{ sha256: string }, { realm: number; sha256: string }>((db, p) =>
  db
    .selectFrom('board_assets')
    .select('sha256')
    .where('realm', '=', p('realm'))
    .where('sha256', '=', p('sha256'))
    .where('bytes', '=', image_in_content),
)

const addContent = query((db, p: Placeholder<{ [Name in keyof FileContentRow]: FileContentRow[Name] }>) =>
  db
    .insertInto('file_contents')
    .values({
      ...{ realm: p('realm'), sha256: p('sha256'), bytes: p('bytes'), key: p('key') },
      ...{ unreferenced_at: p('unreferenced_at'), preview_key: p('preview_key'), previewed_at: p('previewed_at') },
    })
    .onConflict((conflict) => conflict.columns(['realm', 'sha256']).doNothing()),
)

/**
 * References the content of an upload: what the realm has already, or else what the upload has made durable. Returns whether it
 * has a preview. `now` is in milliseconds.
 */
export async function referenceContent(
  tx: Tx,
  realm: number,
  upload: UploadedContent,
  now: number,
): Promise<{ readonly hasPreview: boolean }> {
  const { sha256, bytes, head } = upload.content
  if (upload.key === null) throw new Error('a content was referred to before it was durable')
  const previewed_at = isPreviewable(head, bytes) ? null : now
  const row = { realm, sha256, bytes, key: upload.key, unreferenced_at: null, preview_key: null, previewed_at }
  const isKnown = await refer(tx, realm, sha256)
  upload.isReferenced = !isKnown && (await tx.run(addContent, row)) > 0
  if (upload.isReferenced) return { hasPreview: false }
  // A content that another transaction has added meanwhile.
  if (!isKnown) await refer(tx, realm, sha256)
  return { hasPreview: (await tx.first(findContent, { realm, sha256 }))?.preview_key != null }
}

/**
 * Notes that a file is about to be deleted, or without `id` that an image of boards is. Content that nothing else has is
 * collected later.
 */
export async function dereferenceContent(
  tx: Tx,
  { realm, sha256, id = '' }: ContentId & { readonly id?: string },
  now: number,
): Promise<void> {
  tx.write(setUnreferenced, { realm, sha256, unreferenced_at: now })
  const isOfFile = (await tx.first(otherFile, { realm, sha256, id })) !== undefined
  if (isOfFile || (await tx.first(boardImage, { realm, sha256 })) !== undefined) await refer(tx, realm, sha256)
}

const previewed = query<{ sha256: string }, { realm: number; hashes: string }>((db, p, dialect) =>
  db
    .selectFrom('file_contents')
    .select('sha256')
    .where('realm', '=', p('realm'))
    .where(isOneOf(dialect, 'sha256', p('hashes')))
    .where('preview_key', 'is not', null),
)

/** The hashes among some that have a preview. */
export async function findPreviews(
  reader: Reader,
  realm: number,
  hashes: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = hashes.length === 0 ? [] : await reader.all(previewed, { realm, hashes: JSON.stringify(hashes) })
  return new Set(rows.map(({ sha256 }) => sha256))
}

const findTotal = query<{ bytes: number }, { realm: number }>((db, p) =>
  db.selectFrom('file_totals').select('bytes').where('realm', '=', p('realm')),
)

const addToTotal = rawQuery(
  (p: Placeholder<{ realm: number; bytes: number }>) => sql`insert into file_totals (realm, bytes)
    values (${p('realm')}, ${p('bytes')}) on conflict (realm) do update set bytes = file_totals.bytes + excluded.bytes`,
)

/** The bytes of all files of a realm. */
export async function totalBytes(reader: Reader, realm: number): Promise<number> {
  return (await reader.first(findTotal, { realm }))?.bytes ?? 0
}

/** Adds to the bytes of a realm's files; a negative number for a deleted one. */
export function addBytes(tx: Tx, realm: number, bytes: number): void {
  tx.write(addToTotal, { realm, bytes })
}

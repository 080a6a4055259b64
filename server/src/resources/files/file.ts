/** The file: content of any type that a workspace keeps (contract/14#file). */
import Type, { type Static } from 'typebox'
import { noun } from '../../api/declare/noun.ts'
import { Actor, described, head, Id, Nullable } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import type { FileRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import { isFileOfGuest } from './files-of-guest.ts'

const Bytes = Type.Integer({ minimum: 0, maximum: limits.safe_integer_max })
const Pixels = Nullable(Type.Integer({ minimum: 1, maximum: limits.safe_integer_max }))

const AttachedTo = Type.Object({
  object: described(Type.String(), 'Kind of the object: `task`, `comment` or `expense`.'),
  id: described(Id, 'Id of the object.'),
})
export type AttachedTo = Static<typeof AttachedTo>

export const File = Type.Object({
  ...head('file'),
  workspace: described(Id, 'Workspace of the file.'),
  name: described(Type.String({ minLength: 1, maxLength: limits.file_name_chars_max }), 'Name of the file.'),
  content_type: described(
    Type.String(),
    'Media type, recognized from the content: the `Content-Type` of the upload is not used.',
  ),
  bytes: described(Bytes, 'Size of the content in bytes.'),
  sha256: described(Type.String({ pattern: '^[0-9a-f]{64}$' }), 'SHA-256 of the content in lower-case hexadecimal.'),
  width: described(Pixels, 'Width of an image in pixels; null if unknown.'),
  height: described(Pixels, 'Height of an image in pixels; null if unknown.'),
  creator: described(Actor, 'Who uploaded the file.'),
  attached_to: described(
    Type.Array(AttachedTo, { maxItems: limits.file_objects_max }),
    'Objects that the file is attached to; always empty in events.',
  ),
  url: described(
    Nullable(Type.String()),
    'Signed URL of the content, valid for one hour without a credential; null in events.',
  ),
  preview_url: described(
    Nullable(Type.String()),
    'Signed URL of a smaller image, valid for one hour; null without a preview.',
  ),
})

export type File = Static<typeof File>

/** A file as one answer shows it. */
export interface ShownWith {
  readonly attached_to: readonly AttachedTo[]
  readonly url: string
  readonly preview_url: string | null
}

/** The file with what an answer adds; without it as events show it, because a URL grants access. */
export function showFile(row: FileRow, shown?: ShownWith): File {
  return {
    id: row.id,
    object: 'file',
    created: seconds(row.created),
    updated: seconds(row.updated),
    workspace: row.workspace,
    name: row.name,
    content_type: row.content_type,
    bytes: row.bytes,
    sha256: row.sha256,
    width: row.width,
    height: row.height,
    creator: { type: row.creator_type, id: row.creator_id },
    attached_to: [...(shown?.attached_to ?? [])],
    url: shown?.url ?? null,
    preview_url: shown?.preview_url ?? null,
  }
}

export const fileNoun = noun({
  object: 'file',
  prefix: 'fil',
  table: 'files',
  schema: File,
  readScope: 'files:read',
  guests: { sees: (row, _guest, { reader, caller }) => isFileOfGuest(reader, caller, row) },
  show: (row: FileRow) => showFile(row),
})

/** The rows of files. */
import type { ResourceRow } from './row.ts'

export interface FileRow extends ResourceRow {
  workspace: string
  name: string
  content_type: string
  bytes: number
  sha256: string
  width: number | null
  height: number | null
  creator_type: string
  creator_id: string
}

/**
 * `key`: where the content is stored. `unreferenced_at`: when its last file was deleted, in milliseconds. `preview_key`: where its
 * preview is stored; `previewed_at`: when it was made or found to be impossible.
 */
export interface FileContentRow {
  realm: number
  sha256: string
  bytes: number
  key: string
  unreferenced_at: number | null
  preview_key: string | null
  previewed_at: number | null
}

/** `object` is the kind of the object that has the file, `id` its id. */
export interface FileAttachmentRow {
  realm: number
  file: string
  object: string
  id: string
}

/** The bytes of all files of a realm that are not deleted. */
export interface FileTotalRow {
  realm: number
  bytes: number
}

/** Creates files whose content is durable already, for uploads and for attachments of mail, so that both follow the same rules. */
import type { Tenant } from '../../../api/declare/caller.ts'
import { refuse } from '../../../api/declare/errors.ts'
import type { EventType } from '../../../api/declare/event.ts'
import type { UploadedContent } from '../../../api/declare/operation.ts'
import type { FileRow } from '../../../db/schema.ts'
import type { Reader, Tx } from '../../../db/store.ts'
import { sizeOfImage, sniffType } from '../../../files/sniff.ts'
import { newId } from '../../../lib/ids.ts'
import { fileCreated } from '../events.ts'
import { showFile } from '../file.ts'
import { addBytes, referenceContent, totalBytes } from './contents.ts'

interface FileWork {
  readonly tx: Tx
  readonly caller: Tenant
  readonly now: number
  emit(event: EventType, after: object): void
}

export interface NewFile {
  readonly workspace: string
  readonly name: string
  readonly creator: { readonly type: string; readonly id: string }
}

/** Refuses bytes with which the organization's files would be over their limit. */
export async function requireRoom(
  tx: Reader,
  realm: number,
  bytes: number,
  organization_bytes_max: number,
): Promise<void> {
  const total = await totalBytes(tx, realm)
  if (total + bytes <= organization_bytes_max) return
  const message = `The files of the organization have ${total} bytes; with this one they would be over the limit of ${organization_bytes_max}.`
  throw refuse('resource_conflict', { message })
}

/** Inserts the row, emits `files.file.created`, and says whether the content has a preview. */
export async function createFile(
  { tx, caller, now, emit }: FileWork,
  { workspace, name, creator }: NewFile,
  upload: UploadedContent,
): Promise<{ readonly row: FileRow; readonly hasPreview: boolean }> {
  const { bytes, sha256, head } = upload.content
  const content_type = sniffType(head)
  const size = sizeOfImage(content_type, head)
  const row = {
    ...{ realm: caller.realm, id: newId('fil', now), created: now, updated: now, revision: 1, deleted_at: null },
    ...{ workspace, name, content_type, bytes, sha256 },
    ...{ width: size?.width ?? null, height: size?.height ?? null },
    ...{ creator_type: creator.type, creator_id: creator.id },
  }
  const { hasPreview } = await referenceContent(tx, caller.realm, upload, now)
  addBytes(tx, caller.realm, bytes)
  tx.insert('files', row)
  emit(fileCreated, showFile(row))
  return { row, hasPreview }
}

/** Signed URLs of content, valid for an hour without a credential (contract/14#file-content). */

import { findById } from '../../api/declare/noun.ts'
import { limits } from '../../api/limits.ts'
import type { Services } from '../../api/services.ts'
import type { FileContentRow, FileRow } from '../../db/schema.ts'
import type { Sealer } from '../../lib/seal.ts'
import { findContent } from './shared/contents.ts'

/** What makes a URL. */
export interface Signing {
  readonly sealer: Sealer
  readonly publicUrl: string
}

function signedText(realm: number, file: string, expires: number): string {
  return `${realm}\n${file}\n${expires}`
}

/** What a URL leads to. A signature is valid for one of them. */
type LinkKind = 'content' | 'preview'

/** New URLs of a file. `now` is in milliseconds. */
export function urlsOf(signing: Signing, row: FileRow, hasPreview: boolean, now: number) {
  return {
    url: urlOf(signing, 'content', row, now),
    preview_url: hasPreview ? urlOf(signing, 'preview', row, now) : null,
  }
}

function urlOf({ sealer, publicUrl }: Signing, kind: LinkKind, { realm, id }: FileRow, now: number): string {
  const expires = Math.floor((now + limits.file_url_ms) / 1000)
  const signature = sealer.sign(`file ${kind}`, signedText(realm, id, expires)).toString('base64url')
  return `${publicUrl}/v1/files/${id}/${kind}?realm=${realm}&expires=${expires}&signature=${signature}`
}

/** The parts of a URL as sent. */
export interface ContentLink {
  readonly kind: LinkKind
  readonly file: string
  readonly realm: string
  readonly expires: string
  readonly signature: string
}

/** The file of a valid link. */
export interface Followed {
  readonly file: FileRow
  readonly content: FileContentRow
}

const fileById = findById('files')

/**
 * The file of a URL with its content, or why it is refused: a wrong signature or an unknown file, or a URL that has expired or
 * whose file was deleted.
 */
export async function followLink(
  { sealer, store }: Pick<Services, 'sealer' | 'store'>,
  link: ContentLink,
  now: number,
): Promise<Followed | 'missing' | 'expired' | 'deleted'> {
  const [realm, expires] = [wholeNumber(link.realm), wholeNumber(link.expires)]
  const text = signedText(realm, link.file, expires)
  if (realm < 0 || expires < 0 || !sealer.isSigned(`file ${link.kind}`, text, link.signature, now)) return 'missing'
  if (now >= expires * 1000) return 'expired'
  const reader = store.reader('system')
  const file = await reader.first(fileById, { realm, id: link.file })
  if (file === undefined) return 'missing'
  if (file.deleted_at !== null) return 'deleted'
  const content = await reader.first(findContent, { realm, sha256: file.sha256 })
  if (content === undefined) throw new Error(`the content of ${file.id} is not known`)
  return { file, content }
}

function wholeNumber(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : -1
}

/**
 * The content and the previews of files by signed link: whole or one range of bytes (contract/14#file-content). What a link shows was written by
 * others, so a browser gets it in a sandbox without scripts, with the type that the server recognized, and shows only types that it
 * displays itself. No cookie is read or set: the link is the whole permission.
 */
import { pipeline } from 'node:stream'
import { refuse } from '../api/declare/errors.ts'
import { refuseUnrouted } from '../api/pipeline.ts'
import type { Services } from '../api/services.ts'
import type { FileRow } from '../db/schema.ts'
import { ContentUnavailable } from '../files/content-store.ts'
import { isShownInline } from '../files/sniff.ts'
import { type Followed, followLink } from '../resources/files/links.ts'
import { readRange } from './byte-range.ts'
import type { Handler, IncomingRequest, Reply } from './exchange.ts'
import type { Router } from './router.ts'

const refusals = {
  missing: () => refuse('resource_not_found', { message: 'There is nothing at this link.' }),
  expired: () => refuse('resource_deleted', { message: 'This link has expired. Retrieve the file for a new one.' }),
  deleted: () => refuse('resource_deleted', { message: 'This file was deleted.' }),
  unavailable: () =>
    refuse('rate_limit_unavailable', { message: 'Files cannot be read at the moment.', retryAfter: 1 }),
} as const

export function addFileContent(router: Router<Handler>, services: Services): void {
  for (const kind of ['content', 'preview'] as const) {
    router.add('GET', `/v1/files/{id}/${kind}`, async (request, { id = '' }) => {
      const query = new URLSearchParams(request.rawQuery)
      const part = (name: string) => query.get(name) ?? ''
      const link = { kind, file: id, realm: part('realm'), expires: part('expires'), signature: part('signature') }
      const found = await followLink(services, link, request.receivedAt)
      if (typeof found === 'string') return refuseUnrouted(services, request, refusals[found]())
      try {
        const served = kind === 'content' ? contentOf(found) : await previewOf(services, found)
        if (served === null) return refuseUnrouted(services, request, refusals.missing())
        return await contentReply(services, served, request)
      } catch (error) {
        if (!(error instanceof ContentUnavailable)) throw error
        services.log.error('the content of a file is unavailable', { file: id, error: error.message })
        return refuseUnrouted(services, request, refusals.unavailable())
      }
    })
  }
}

/** What a link shows, and how. */
interface Served extends Pick<FileRow, 'id' | 'name' | 'content_type' | 'bytes'> {
  readonly key: string
  readonly etag: string
}

function contentOf({ file, content }: Followed): Served {
  const { id, name, content_type, bytes, sha256 } = file
  return { id, name, content_type, bytes, key: content.key, etag: `"${sha256}"` }
}

/** Null without a preview: a restore may have removed it since the link was made. */
async function previewOf({ files }: Services, { file, content }: Followed): Promise<Served | null> {
  const { preview_key: key } = content
  const bytes = key === null ? null : await files.size(key)
  if (key === null || bytes === null) return null
  return { ...preview_type, id: file.id, name: `${file.name}.webp`, bytes, key, etag: `"${file.sha256}-preview"` }
}

const preview_type = { content_type: 'image/webp' } as const

async function contentReply(services: Services, file: Served, { headers: sent }: IncomingRequest): Promise<Reply> {
  const { key, etag } = file
  const headers = headersOf(file, etag)
  if (isHeld(sent['if-none-match'], etag)) return { status: 304, headers, body: null }
  const { range: rangeHeader, 'if-range': condition } = sent
  const isRanged = rangeHeader !== undefined && (condition === undefined || condition === etag)
  const range = isRanged ? readRange(rangeHeader, file.bytes) : null
  if (range === 'unsatisfiable') {
    return { status: 416, headers: { ...headers, 'Content-Range': `bytes */${file.bytes}` }, body: null }
  }
  const { first, last } = range ?? { first: 0, last: file.bytes - 1 }
  if (range !== null) headers['Content-Range'] = `bytes ${first}-${last}/${file.bytes}`
  const status = range === null ? 200 : 206
  if (file.bytes === 0) return { status, headers, body: null }
  // The content is opened before the status is sent: a missing one is an error and not an empty file.
  const bytes = await services.files.read(key, first, last)
  headers['Content-Length'] = String(last - first + 1)
  const logFailure = (error: NodeJS.ErrnoException | null | undefined): void => {
    if (error && error.code !== 'ERR_STREAM_PREMATURE_CLOSE')
      services.log.error('a download failed', { file: file.id, error: String(error) })
  }
  return {
    status,
    headers,
    body: null,
    write: (to) => void pipeline(bytes, to, logFailure),
    discard: () => void bytes.destroy(),
  }
}

function isHeld(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',', 100).some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()))
}

/** `sandbox` without exceptions: no script, no form, no origin. Styles are those with which a browser shows an image. */
const content_policy =
  "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox"

function headersOf({ name, content_type }: Served, etag: string): Record<string, string> {
  const type = content_type.startsWith('text/') ? `${content_type}; charset=utf-8` : content_type
  return {
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'private, max-age=3600, immutable',
    'Content-Disposition': disposition(isShownInline(content_type) ? 'inline' : 'attachment', name),
    'Content-Security-Policy': content_policy,
    'Content-Type': type,
    ETag: etag,
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  }
}

/** The name twice (RFC 6266): for old clients in ASCII, and as UTF-8 in percent-encoding. */
function disposition(kind: 'inline' | 'attachment', name: string): string {
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16)}`,
  )
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

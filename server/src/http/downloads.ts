/** Files of exports by signed link: whole, as one byte range, or compressed (contract/13#downloads). */
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { refuse } from '../api/declare/errors.ts'
import { refuseUnrouted } from '../api/pipeline.ts'
import type { Services } from '../api/services.ts'
import type { ExportJobRow } from '../db/schema.ts'
import { fileBytes, followDownload } from '../resources/jobs/download.ts'
import { readRange } from './byte-range.ts'
import { chooseCoding } from './content-coding.ts'
import type { Handler, IncomingRequest, Reply } from './exchange.ts'
import type { Router } from './router.ts'

export function addDownloads(router: Router<Handler>, services: Services): void {
  router.add('GET', '/v1/downloads/{job}', async (request, { job = '' }) => {
    const query = new URLSearchParams(request.rawQuery)
    const link = { job, expires: query.get('expires') ?? '', signature: query.get('signature') ?? '' }
    const found = await followDownload(services, link, request.receivedAt)
    if (typeof found === 'object') return fileReply(services, found, request)
    const refusal =
      found === 'expired'
        ? refuse('resource_deleted', { message: 'This link has expired. Retrieve the job for a new one.' })
        : refuse('resource_not_found', { message: 'There is nothing at this link.' })
    return refuseUnrouted(services, request, refusal)
  })
}

function fileReply(services: Services, job: ExportJobRow, { headers: sent }: IncomingRequest): Reply {
  const size = job.size_bytes ?? 0
  const etag = `"${job.sha256}"`
  const { range: rangeHeader, 'if-range': condition, 'accept-encoding': codings } = sent
  const isRanged = rangeHeader !== undefined && (condition === undefined || condition === etag)
  const range = isRanged ? readRange(rangeHeader, size) : null
  if (range === 'unsatisfiable') {
    const headers = { 'Content-Range': `bytes */${size}`, 'Cache-Control': 'private, no-store' }
    return { status: 416, headers, body: null }
  }
  const first = range?.first ?? 0
  const last = range?.last ?? size - 1
  const headers: Record<string, string> = {
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'private, no-store',
    'Content-Disposition': `attachment; filename="${job.id}.ndjson"`,
    'Content-Type': 'application/x-ndjson; charset=utf-8',
    ETag: etag,
    Vary: 'Accept-Encoding',
  }
  const bytes = Readable.from(size === 0 ? [] : fileBytes(services, job, first, last), { objectMode: true })
  const logFailure = (error: NodeJS.ErrnoException | null | undefined): void => {
    if (error && error.code !== 'ERR_STREAM_PREMATURE_CLOSE')
      services.log.error('a download failed', { job: job.id, error: String(error) })
  }
  if (range === null && chooseCoding(String(codings ?? ''), ['gzip']) !== null) {
    Object.assign(headers, { 'Content-Encoding': 'gzip', ETag: `"${job.sha256}-gzip"` })
    return { status: 200, headers, body: null, write: (to) => void pipeline(bytes, createGzip(), to, logFailure) }
  }
  headers['Content-Length'] = String(last - first + 1)
  if (range !== null) headers['Content-Range'] = `bytes ${first}-${last}/${size}`
  const status = range === null ? 200 : 206
  return { status, headers, body: null, write: (to) => void pipeline(bytes, to, logFailure) }
}

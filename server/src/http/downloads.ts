/** Files of exports, by signed link: the whole, a range, or compressed (decisions §13). */
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refuse } from '../api/errors.ts'
import { refuseUnrouted } from '../api/pipeline.ts'
import type { Services } from '../api/services.ts'
import type { ExportJobRow } from '../db/schema.ts'
import { fileBytes, followDownload } from '../resources/jobs/download.ts'
import { send, toRequest } from './exchange.ts'

export function downloads(app: FastifyInstance, services: Services): void {
  app.get('/v1/downloads/:job', async (request, reply) => {
    const { job } = request.params as { job: string }
    const query = new URLSearchParams(request.raw.url?.split('?')[1] ?? '')
    const link = { job, expires: query.get('expires') ?? '', signature: query.get('signature') ?? '' }
    const found = await followDownload(services, link, services.clock.now())
    if (typeof found === 'object') return sendFile(services, found, request, reply)
    const taken = toRequest(request.raw, services.clock.now())
    const refusal =
      found === 'expired'
        ? refuse('resource_deleted', { message: 'This link is over. Retrieve the job for a new one.' })
        : refuse('resource_not_found', { message: 'There is nothing at this link.' })
    send(reply, refuseUnrouted(services, taken, refusal))
    return reply
  })
}

function sendFile(services: Services, job: ExportJobRow, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const size = job.size_bytes ?? 0
  const etag = `"${job.sha256}"`
  const { range: asked, 'if-range': condition, 'accept-encoding': codings } = request.headers
  const range = asked === undefined || (condition !== undefined && condition !== etag) ? null : readRange(asked, size)
  reply.hijack()
  const { raw } = reply
  const headers: Record<string, string> = {
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'private, no-store',
    'Content-Disposition': `attachment; filename="${job.id}.ndjson"`,
    'Content-Type': 'application/x-ndjson; charset=utf-8',
    ETag: etag,
    Vary: 'Accept-Encoding',
  }
  if (range === 'unsatisfiable') {
    raw
      .writeHead(416, {
        'Content-Range': `bytes */${size}`,
        'Content-Length': '0',
        'Cache-Control': 'private, no-store',
      })
      .end()
    return reply
  }
  const first = range?.first ?? 0
  const last = range?.last ?? size - 1
  const bytes = Readable.from(size === 0 ? [] : fileBytes(services, job, first, last), { objectMode: true })
  const done = (error: NodeJS.ErrnoException | null | undefined): void => {
    if (error && error.code !== 'ERR_STREAM_PREMATURE_CLOSE')
      services.log.error('a download failed', { job: job.id, error: String(error) })
  }
  if (range === null && /(?:^|,)\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$)).*?)?(?:,|$)/i.test(String(codings ?? ''))) {
    raw.writeHead(200, { ...headers, 'Content-Encoding': 'gzip', ETag: `"${job.sha256}-gzip"` })
    pipeline(bytes, createGzip(), raw, done)
    return reply
  }
  const partial = range === null ? {} : { 'Content-Range': `bytes ${first}-${last}/${size}` }
  raw.writeHead(range === null ? 200 : 206, { ...headers, ...partial, 'Content-Length': String(last - first + 1) })
  pipeline(bytes, raw, done)
  return reply
}

/** One range of bytes. Several, or another unit, are ignored, as RFC 9110 §14.2 allows: the whole file is sent. */
function readRange(header: string, size: number): { first: number; last: number } | 'unsatisfiable' | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header.trim())
  if (match === null || (match[1] === '' && match[2] === '')) return null
  const [, from = '', to = ''] = match
  if (from === '') {
    const length = Math.min(Number(to), size)
    return length === 0 ? 'unsatisfiable' : { first: size - length, last: size - 1 }
  }
  const first = Number(from)
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (to !== '' && Number(to) < first) return null
  return first >= size ? 'unsatisfiable' : { first, last }
}

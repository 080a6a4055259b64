/**
 * `GET /v1/openapi.json`: the document that is checked in, byte for byte, for anybody. It is read when the first asks; what
 * it says is decided when it is generated, so that serving costs nothing and a start even less.
 */
import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { etagOf } from '../api/conditional.ts'
import { newest_version } from '../api/version.ts'
import type { Clock } from '../lib/clock.ts'
import { matchesNone } from '../lib/http-tags.ts'
import { newId } from '../lib/ids.ts'
import { projectFile } from '../lib/project-file.ts'

const file = projectFile('docs/openapi.json')

interface Document {
  readonly text: string
  readonly etag: string
}

export function openApi(app: FastifyInstance, clock: Clock): void {
  let reading: Promise<Document> | null = null
  app.get('/v1/openapi.json', async (request, reply) => {
    reading ??= read()
    const { text, etag } = await reading.catch((error: unknown) => {
      reading = null
      throw error
    })
    reply.headers({
      ETag: etag,
      'Cache-Control': 'no-cache',
      'Service-Version': newest_version,
      'X-Request-Id': newId('req', clock.now()),
    })
    const known = request.headers['if-none-match']
    if (known !== undefined && matchesNone(known, etag)) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(text)
  })
}

async function read(): Promise<Document> {
  const text = await readFile(file, 'utf8')
  return { text, etag: etagOf(text, undefined) }
}

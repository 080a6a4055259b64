/** `GET /v1/openapi.json`: the checked-in document, byte for byte, without credential. It is read on the first request. */
import { readFile } from 'node:fs/promises'
import { newest_version } from '../api/declare/version.ts'
import { etagOf } from '../api/request/conditional.ts'
import { matchesNone } from '../api/request/http-tags.ts'
import { projectFile } from '../lib/project-file.ts'
import type { Handler } from './exchange.ts'
import { once } from './once.ts'
import type { Router } from './router.ts'

export function addOpenApi(router: Router<Handler>): void {
  const document = once(async () => {
    const text = await readFile(projectFile('docs/openapi.json'), 'utf8')
    return { text, etag: etagOf(text, undefined) }
  })
  router.add('GET', '/v1/openapi.json', async (request) => {
    const { text, etag } = await document()
    const headers = {
      ETag: etag,
      'Cache-Control': 'no-cache',
      'Service-Version': newest_version,
      'X-Request-Id': request.id,
    }
    const ifNoneMatch = request.headers['if-none-match']
    if (ifNoneMatch !== undefined && matchesNone(ifNoneMatch, etag)) return { status: 304, headers, body: null }
    return { status: 200, headers: { ...headers, 'Content-Type': 'application/json; charset=utf-8' }, body: text }
  })
}

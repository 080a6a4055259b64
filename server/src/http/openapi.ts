/** `GET /v1/openapi.json`: the checked-in document, byte for byte, without credential. It is read on the first request. */
import { readFile } from 'node:fs/promises'
import { newest_version } from '../api/declare/version.ts'
import { etagOf, notModifiedTag } from '../api/request/conditional.ts'
import { codedTag, coding_names } from '../api/request/http-tags.ts'
import { projectFile } from '../lib/project-file.ts'
import { chooseCoding, compress } from './content-coding.ts'
import type { Handler } from './exchange.ts'
import { once } from './once.ts'
import type { Router } from './router.ts'

export function addOpenApi(router: Router<Handler>): void {
  const document = once(async () => {
    const text = await readFile(projectFile('docs/openapi.json'), 'utf8')
    const bytes = Buffer.from(text)
    const compressed = await Promise.all(
      coding_names.map(async (coding) => [coding, await compress(coding, bytes)] as const),
    )
    return { text, etag: etagOf(text, undefined), compressed: new Map(compressed) }
  })
  router.add('GET', '/v1/openapi.json', async (request) => {
    const { text, etag, compressed } = await document()
    const coding = chooseCoding(String(request.headers['accept-encoding'] ?? ''), coding_names)
    const headers: Record<string, string> = {
      ETag: coding === null ? etag : codedTag(etag, coding),
      'Cache-Control': 'no-cache',
      'Service-Version': newest_version,
      'X-Request-Id': request.id,
      Vary: 'Accept-Encoding',
    }
    const held = notModifiedTag(request, etag)
    if (held !== null) return { status: 304, headers: { ...headers, ETag: held }, body: null }
    headers['Content-Type'] = 'application/json; charset=utf-8'
    if (coding === null) return { status: 200, headers, body: text }
    return { status: 200, headers: { ...headers, 'Content-Encoding': coding }, body: compressed.get(coding) ?? text }
  })
}

/** Compressed answers and their tags (contract/17#compression). */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { onEveryWorld } from '../world.ts'

/** Sent as a header, expected as `Content-Encoding`. */
const choices: readonly (readonly [accepted: string, coding: string | null])[] = [
  ['br, gzip', 'br'],
  ['gzip, br', 'br'],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['deflate', null],
  ['deflate, gzip', 'gzip'],
  ['*', 'br'],
  ['*;q=0', null],
  ['br;q=0, *', 'gzip'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['br;q=0, gzip;q=0', null],
  ['br;q=0.000, gzip', 'gzip'],
  ['identity', null],
  ['identity, br;q=0.5', null],
  ['br;q=2', null],
  ['', null],
]

onEveryWorld('compressed answers', (world) => {
  let place: { workspace: string; project: string }
  let task: string
  before(async () => {
    const workspace = (await world.post('/v1/workspaces', { title: 'Compressed' })).body.id
    const project = (await world.post('/v1/projects', { workspace, name: 'Long texts' })).body.id
    place = { workspace, project }
    task = (await world.post('/v1/tasks', { ...place, title: 'Äpfel', description: 'A long text. '.repeat(200) })).body
      .id
  })

  const get = (path: string, headers: Readonly<Record<string, string>>, method = 'GET') =>
    fetch(world.server.url + path, { method, headers: { Authorization: `Bearer ${world.acme.key}`, ...headers } })

  it('come in the coding that the client weighs most, in Brotli when it has no preference', async () => {
    const plain = await world.get(`/v1/tasks/${task}`)
    for (const [accepted, coding] of choices) {
      const answer = await get(`/v1/tasks/${task}`, { 'accept-encoding': accepted })
      assert.deepEqual([answer.headers.get('content-encoding'), await answer.text()], [coding, plain.text], accepted)
      const tag = String(plain.headers.etag)
      assert.equal(answer.headers.get('etag'), coding === null ? tag : `${tag.slice(0, -1)};${coding}"`)
      const vary = 'Authorization, Service-Version'
      assert.equal(answer.headers.get('vary'), coding === null ? vary : `${vary}, Accept-Encoding`)
    }
  })

  it('begin at 1 KiB', async () => {
    const described = async (chars: number) => {
      const { body, text } = await world.post('/v1/tasks', { ...place, title: 'x', description: 'y'.repeat(chars) })
      return { path: `/v1/tasks/${body.id}`, bytes: Buffer.byteLength(text) }
    }
    const { bytes } = await described(1)
    const largest = await described(1 + 1023 - bytes)
    assert.equal(largest.bytes, 1023)
    const first = await described(1 + 1024 - bytes)
    const codingOf = async (path: string) =>
      (await get(path, { 'accept-encoding': 'gzip' })).headers.get('content-encoding')
    assert.deepEqual([await codingOf(largest.path), await codingOf(first.path)], [null, 'gzip'])
  })

  it('are known by their tag: 304, and 200 when the object has changed', async () => {
    for (const coding of ['br', 'gzip']) {
      const first = await get(`/v1/tasks/${task}`, { 'accept-encoding': coding })
      const tag = String(first.headers.get('etag'))
      await first.text()
      for (const headers of [{ 'accept-encoding': coding }, { 'accept-encoding': 'identity' }]) {
        for (const sent of [tag, `W/${tag}`, `"other", ${tag}`]) {
          const again = await get(`/v1/tasks/${task}`, { ...headers, 'if-none-match': sent })
          assert.deepEqual([again.status, again.headers.get('etag'), await again.text()], [304, tag, ''])
          assert.equal(again.headers.get('vary'), 'Authorization, Service-Version, Accept-Encoding')
        }
      }
      await world.patch(`/v1/tasks/${task}`, { title: `Birnen ${coding}` })
      const changed = await get(`/v1/tasks/${task}`, { 'accept-encoding': coding, 'if-none-match': tag })
      assert.equal(changed.status, 200)
      await changed.text()
    }
  })

  it('give tags that a write takes as a precondition, with or without the hash', async () => {
    const read = await get(`/v1/tasks/${task}`, { 'accept-encoding': 'br' })
    const { revision } = (await read.json()) as { revision: number }
    const tag = String(read.headers.get('etag'))
    const stale = await world.patch(
      `/v1/tasks/${task}`,
      { title: 'No' },
      { headers: { 'if-match': `"${revision - 1};br"` } },
    )
    assert.deepEqual([stale.status, stale.body.error.param], [409, 'If-Match'])
    const first = await world.patch(`/v1/tasks/${task}`, { title: 'Yes' }, { headers: { 'if-match': tag } })
    assert.equal(first.status, 200)
    const short = await world.patch(
      `/v1/tasks/${task}`,
      { title: 'Again' },
      { headers: { 'if-match': `"${revision + 1};br"` } },
    )
    assert.equal(short.status, 200)
    const unknown = await world.patch(
      `/v1/tasks/${task}`,
      { title: 'No' },
      { headers: { 'if-match': `"${revision + 2};zstd"` } },
    )
    assert.deepEqual([unknown.status, unknown.body.error.code], [400, 'invalid_request_body'])
  })

  it('are lists, refusals, answers to writes and the OpenAPI document too, and HEAD has the length of the compressed body', async () => {
    const list = await get('/v1/tasks', { 'accept-encoding': 'br' })
    assert.equal(list.headers.get('content-encoding'), 'br')
    assert.equal(((await list.json()) as { object: string }).object, 'list')
    const head = await get('/v1/tasks', { 'accept-encoding': 'br' }, 'HEAD')
    assert.equal(head.headers.get('content-length'), list.headers.get('content-length'))
    const written = await fetch(`${world.server.url}/v1/tasks`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${world.acme.key}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': 'compressed',
        'Accept-Encoding': 'gzip',
      },
      body: JSON.stringify({ ...place, title: 'Long', description: 'y'.repeat(2000) }),
    })
    assert.deepEqual([written.status, written.headers.get('content-encoding')], [200, 'gzip'])
    assert.equal(((await written.json()) as { description: string }).description.length, 2000)
    const document = await fetch(`${world.server.url}/v1/openapi.json`, { headers: { 'accept-encoding': 'br' } })
    assert.equal(document.headers.get('content-encoding'), 'br')
    assert.equal(((await document.json()) as { openapi: string }).openapi, '3.1.0')
  })

  it('are never the stream', async () => {
    const stopped = new AbortController()
    const stream = await fetch(`${world.server.url}/v1/events/stream?types[]=*`, {
      headers: {
        Authorization: `Bearer ${world.acme.key}`,
        'accept-encoding': 'br, gzip',
        accept: 'text/event-stream',
      },
      signal: stopped.signal,
    })
    assert.deepEqual([stream.status, stream.headers.get('content-encoding')], [200, null])
    stopped.abort()
  })
})

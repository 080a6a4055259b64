import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { before, it } from 'node:test'
import type { CallOptions } from '../../../test/call.ts'
import { onEveryEngine } from '../../../test/engines.ts'
import { storedFiles } from '../../../test/stored-files.ts'
import { openWorld, started_at, worldOf } from '../../../test/world.ts'

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')
const digest = (algorithm: string, content: string) => createHash(algorithm).update(content).digest('base64')

onEveryEngine('files', (engine) => {
  const world = worldOf(engine, { environment: { ATRIUM_FILE_BYTES_MAX: '1000' } })
  let workspace: string
  before(async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Kubernetes' })).id
  })

  const send = (content: string | Buffer, name = 'notes.txt', options: CallOptions = {}) =>
    world.call('POST', `/v1/files?workspace=${workspace}&name=${encodeURIComponent(name)}`, {
      raw: content,
      ...options,
    })
  const upload = async (content: string | Buffer, name?: string) => {
    const reply = await send(content, name)
    assert.equal(reply.status, 200, reply.text)
    return reply.body
  }
  /** The path and query of a URL. */
  const local = (url: string) => url.slice(world.server.url.length)
  const download = (url: string, headers: Record<string, string> = {}) => world.get(local(url), { key: null, headers })

  it('an upload is shown with its hash and the type of its content, and is written in one event', async () => {
    await world.markWritten()
    const file = await upload('Agreed on Monday.', 'Grüße.html')
    const { id, url, ...rest } = file
    assert.match(id, /^fil_/)
    assert.deepEqual(rest, {
      object: 'file',
      created: started_at / 1000,
      updated: started_at / 1000,
      workspace,
      name: 'Grüße.html',
      content_type: 'text/plain',
      bytes: 17,
      sha256: sha256('Agreed on Monday.'),
      width: null,
      height: null,
      creator: { type: 'organization', id: world.acme.id },
      attached_to: [],
      preview_url: null,
    })
    await world.assertWritten({ events: ['file.file.created'], audit: ['files.create'] })
    assert.deepEqual((await world.get(`/v1/files/${id}`)).body, file)
    assert.deepEqual((await world.get(`/v1/files?workspace=${workspace}&limit=1`)).body.data, [file])
    const [event] = (await world.get('/v1/events?types[]=file.file.created&limit=1')).body.data
    assert.deepEqual(event.data.object, { ...file, url: null })
    assert.equal((await download(url)).text, 'Agreed on Monday.')
  })

  it('an empty file is allowed', async () => {
    const file = await upload('')
    assert.deepEqual([file.bytes, file.sha256, file.content_type], [0, sha256(''), 'text/plain'])
    const reply = await download(file.url)
    assert.deepEqual([reply.status, reply.text, reply.headers['content-length']], [200, '', '0'])
  })

  it('a digest that matches is accepted in both headers, another one is refused and leaves nothing', async () => {
    const right: Record<string, string>[] = [
      { 'content-digest': `sha-256=:${digest('sha256', 'Signed')}:` },
      { 'content-digest': `md5=:AAAA:, sha-512=:${digest('sha512', 'Signed')}:` },
      { digest: `SHA-256=${digest('sha256', 'Signed')}` },
    ]
    for (const headers of right) assert.equal((await send('Signed', 'a', { headers })).status, 200)
    const wrong = [
      ['Content-Digest', `sha-256=:${digest('sha256', 'Other')}:`],
      ['Content-Digest', `sha-256=:${digest('sha256', 'Signed')}:, sha-512=:${digest('sha512', 'Other')}:`],
      ['Digest', `sha-256=${digest('sha256', 'Other')}`],
      ['Content-Digest', 'md5=:AAAA:'],
      ['Content-Digest', 'sha-256=:c2hvcnQ=:'],
      ['Digest', ''],
    ] as const
    await world.markWritten()
    const kept = storedFiles(world.database.folder, 'content').length
    for (const [name, value] of wrong) {
      const { status, body } = await send('Signed', 'a', { headers: { [name]: value } })
      assert.deepEqual([status, body.error.code, body.error.param], [400, 'invalid_request_body', name], value)
    }
    await world.assertWritten({ events: [], audit: [] })
    assert.deepEqual(
      [storedFiles(world.database.folder, 'content').length, storedFiles(world.database.folder, 'incoming')],
      [kept, []],
    )
  })

  it('a file over the limit is refused, by its Content-Length and by its bytes', async () => {
    await world.markWritten()
    const over = 'x'.repeat(1001)
    const chunked = { headers: { 'transfer-encoding': 'chunked', 'content-length': [] } }
    for (const reply of [await send(over), await send(over, 'a', chunked)]) {
      assert.deepEqual([reply.status, reply.body.error.code], [400, 'invalid_request_body'])
      assert.match(reply.body.error.message, /over the limit of 1000 bytes/)
    }
    await world.assertWritten({ events: [], audit: [] })
    assert.deepEqual(storedFiles(world.database.folder, 'incoming'), [])
    assert.equal((await upload('x'.repeat(1000))).bytes, 1000)
  })

  it('the same key and content get the same answer, whatever the Content-Type; other content is refused', async () => {
    const first = await send('Once', 'once.txt', { idempotencyKey: 'upload-1' })
    await world.markWritten()
    const again = await send('Once', 'once.txt', {
      idempotencyKey: 'upload-1',
      headers: { 'content-type': 'text/html' },
    })
    assert.deepEqual([again.text, again.headers['idempotent-replayed']], [first.text, 'true'])
    for (const reply of [
      await send('Twice', 'once.txt', { idempotencyKey: 'upload-1' }),
      await send('Once', 'other.txt', { idempotencyKey: 'upload-1' }),
    ]) {
      assert.deepEqual([reply.status, reply.body.error.code], [409, 'idempotency_key_reused'])
    }
    await world.assertWritten({ events: [], audit: [] })
    assert.deepEqual(storedFiles(world.database.folder, 'incoming'), [])
  })

  it('equal content is stored once, and a dry run stores nothing', async () => {
    const before = storedFiles(world.database.folder, 'content').length
    const [one, two] = [await upload('Shared', 'one.txt'), await upload('Shared', 'two.txt')]
    assert.equal(storedFiles(world.database.folder, 'content').length, before + 1)
    assert.equal((await world.delete(`/v1/files/${one.id}`)).status, 200)
    assert.equal((await download(two.url)).text, 'Shared')
    const rehearsed = await send('Never', 'never.txt', { headers: { prefer: 'dry-run' } })
    assert.deepEqual([rehearsed.status, rehearsed.body.answer.sha256], [200, sha256('Never')])
    assert.deepEqual(
      [storedFiles(world.database.folder, 'content').length, storedFiles(world.database.folder, 'incoming')],
      [before + 1, []],
    )
  })

  it('a deleted file answers 410, also at its URL, and leaves the list', async () => {
    const file = await upload('Short-lived')
    await world.markWritten()
    assert.deepEqual((await world.delete(`/v1/files/${file.id}`)).body, { id: file.id, object: 'file', deleted: true })
    await world.assertWritten({ events: ['file.file.deleted'], audit: ['files.delete'] })
    for (const reply of [await world.get(`/v1/files/${file.id}`), await download(file.url)]) {
      assert.deepEqual([reply.status, reply.body.error.code], [410, 'resource_deleted'])
    }
    const { data } = (await world.get(`/v1/files?workspace=${workspace}&limit=100`)).body
    assert.ok(data.every((each: { id: string }) => each.id !== file.id))
  })

  it('a URL that was changed answers 404, one that is an hour old 410', async () => {
    const [file, other] = [await upload('Secret'), await upload('Another')]
    const { pathname, searchParams } = new URL(file.url)
    const changed = (change: Record<string, string>, path = pathname) =>
      world.get(`${path}?${new URLSearchParams({ ...Object.fromEntries(searchParams), ...change })}`, { key: null })
    const later = String(Number(searchParams.get('expires')) + 1)
    const signature = searchParams.get('signature') as string
    const tampered = [
      await changed({ expires: later }),
      await changed({ realm: String(world.globex.realms.live) }),
      await changed({ realm: `0${searchParams.get('realm')}1` }),
      await changed({ signature: `${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : 'A'}` }),
      await changed({ signature: '' }),
      await changed({}, pathname.replace(file.id, other.id)),
      await changed({}, pathname.replace(file.id, '..%2F..%2Fsecret.key')),
      await world.get(pathname, { key: null }),
      await world.get(pathname),
    ]
    for (const reply of tampered) assert.deepEqual([reply.status, reply.body.error.code], [404, 'resource_not_found'])
    world.clock.advance(3_599_000)
    assert.equal((await download(file.url)).status, 200)
    world.clock.advance(1_000)
    const late = await download(file.url)
    assert.deepEqual([late.status, late.body.error.code], [410, 'resource_deleted'])
  })

  it('content is served in a sandbox, inline only if a browser shows it by itself, and without cookies', async () => {
    const script = await upload('<html><script>alert(1)</script>', 'page.html')
    const reply = await download(script.url, { cookie: 'session=1' })
    const { headers } = reply
    assert.equal(headers['content-type'], 'text/plain; charset=utf-8')
    assert.equal(headers['content-disposition'], `attachment; filename="page.html"; filename*=UTF-8''page.html`)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.match(String(headers['content-security-policy']), /default-src 'none'.*; sandbox$/)
    assert.equal(headers['cache-control'], 'private, max-age=3600, immutable')
    assert.equal(headers['set-cookie'], undefined)
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000200000001008060000', 'hex')
    const image = await upload(png, `"; x=\u2067"ä'(1).png`)
    assert.deepEqual([image.content_type, image.width, image.height], ['image/png', 32, 16])
    assert.equal(
      (await download(image.url)).headers['content-disposition'],
      `inline; filename="_; x=___'(1).png"; filename*=UTF-8''%22%3B%20x%3D%E2%81%A7%22%C3%A4%27%281%29.png`,
    )
    const svg = await upload('<svg xmlns="http://www.w3.org/2000/svg"/>', 'a.svg')
    assert.match(String((await download(svg.url)).headers['content-disposition']), /^attachment;/)
  })

  it('a range of bytes, a held copy and the headers alone are answered as in RFC 9110', async () => {
    const { url, sha256 } = await upload('0123456789')
    const etag = `"${sha256}"`
    const ranges: [range: string, status: number, text: string, range: string | undefined][] = [
      ['bytes=0-0', 206, '0', 'bytes 0-0/10'],
      ['bytes=2-5', 206, '2345', 'bytes 2-5/10'],
      ['bytes=8-', 206, '89', 'bytes 8-9/10'],
      ['bytes=-3', 206, '789', 'bytes 7-9/10'],
      ['bytes=-99', 206, '0123456789', 'bytes 0-9/10'],
      ['bytes=5-99', 206, '56789', 'bytes 5-9/10'],
      ['bytes=10-', 416, '', 'bytes */10'],
      ['bytes=-0', 416, '', 'bytes */10'],
      ['bytes=5-2', 200, '0123456789', undefined],
      ['bytes=0-1,4-5', 200, '0123456789', undefined],
      ['lines=0-1', 200, '0123456789', undefined],
    ]
    for (const [range, status, text, shown] of ranges) {
      const reply = await download(url, { range })
      assert.deepEqual([reply.status, reply.text, reply.headers['content-range']], [status, text, shown], range)
    }
    const whole = await download(url, { range: 'bytes=0-0', 'if-range': '"other"' })
    assert.deepEqual([whole.status, whole.text, whole.headers.etag], [200, '0123456789', etag])
    assert.equal((await download(url, { range: 'bytes=0-0', 'if-range': etag })).status, 206)
    const held = await download(url, { 'if-none-match': `"x", ${etag}` })
    assert.deepEqual([held.status, held.text], [304, ''])
    const head = await world.call('HEAD', local(url), { key: null })
    assert.deepEqual([head.status, head.text, head.headers['content-length']], [200, '', '10'])
  })

  it('a file of another organization or workspace is unknown', async () => {
    const file = await upload('Ours')
    const other = (await world.make('/v1/workspaces', { title: 'Another' })).id
    const foreign = { key: world.globex.key }
    const unknown = (await world.get('/v1/files/fil_00000000000000000000000000', foreign)).body.error
    for (const reply of [
      await world.get(`/v1/files/${file.id}`, foreign),
      await world.delete(`/v1/files/${file.id}`, foreign),
      await world.get(`/v1/files/${file.id}?workspace=${other}`),
    ]) {
      assert.deepEqual({ ...reply.body.error, request_id: '' }, { ...unknown, request_id: '' })
      assert.equal(reply.status, 404)
    }
    const elsewhere = await world.call('POST', `/v1/files?workspace=${workspace}&name=a`, { ...foreign, raw: 'x' })
    assert.deepEqual([elsewhere.status, elsewhere.body.error.param], [400, 'workspace'])
  })

  it('a body that ends early leaves nothing', async () => {
    await world.markWritten()
    const { port } = new URL(world.server.url)
    const client = connect(Number(port), '127.0.0.1')
    const head = [
      `POST /v1/files?workspace=${workspace}&name=part HTTP/1.1`,
      'Host: 127.0.0.1',
      `Authorization: Bearer ${world.acme.key}`,
      'Idempotency-Key: part',
      'Content-Length: 900',
    ]
    client.write(`${head.join('\r\n')}\r\n\r\nThe first bytes`)
    while (storedFiles(world.database.folder, 'incoming').length === 0) await new Promise(setImmediate)
    client.destroy()
    while (storedFiles(world.database.folder, 'incoming').length > 0) await new Promise(setImmediate)
    await world.assertWritten({ events: [], audit: [] })
  })
})

onEveryEngine('files of an organization', (engine) => {
  it('are refused over their limit, which a deleted file no longer counts against', async () => {
    const world = await openWorld(engine, { environment: { ATRIUM_ORGANIZATION_FILE_BYTES_MAX: '10' } })
    try {
      const workspace = (await world.make('/v1/workspaces', { title: 'Full' })).id
      const send = (raw: string, key = world.acme.key) =>
        world.call('POST', `/v1/files?workspace=${workspace}&name=a`, { raw, key })
      const first = await send('123456')
      const refused = await send('12345')
      assert.deepEqual([refused.status, refused.body.error.code], [409, 'resource_conflict'])
      assert.equal(storedFiles(world.database.folder, 'content').length, 1)
      assert.equal((await send('1234')).status, 200)
      assert.equal((await world.delete(`/v1/files/${first.body.id}`)).status, 200)
      assert.equal((await send('12345')).status, 200)
    } finally {
      await world.close()
    }
  })
})

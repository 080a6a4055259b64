/** Content in a bucket of an S3-compatible service: whole or not at all, whatever its size and whatever fails. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { writeBackup } from '../../src/db/backup/backup.ts'
import { RestoredContents, readPieces } from '../../src/files/backup.ts'
import { ContentBucket } from '../../src/files/bucket.ts'
import { hour_ms } from '../../src/lib/units.ts'
import { fileContentSweep, fileOrphanSweep } from '../../src/workers/sweeps/files.ts'
import { onEveryEngine } from '../engines.ts'
import { startS3 } from '../s3-server.ts'
import { storedFiles } from '../stored-files.ts'
import { openWorld, type World } from '../world.ts'

const never = new AbortController().signal
const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex')

onEveryEngine('Content in a bucket', (engine) => {
  let world: World
  let workspace: string
  let folder: string
  let service: Awaited<ReturnType<typeof startS3>>
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'atrium-bucket-'))
    service = await startS3(folder)
    world = await openWorld(engine, { environment: service.environment })
    workspace = (await world.make('/v1/workspaces', { title: 'Bucket' })).id
  })
  after(async () => {
    await world.close()
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const send = (raw: string | Buffer, idempotencyKey?: string) =>
    world.call('POST', `/v1/files?workspace=${workspace}&name=a`, {
      raw,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    })
  const download = (url: string, headers: Record<string, string> = {}) =>
    fetch(`${world.server.url}${url.slice(world.server.url.length)}`, { headers })
  const keys = async () => {
    const found: string[] = []
    for await (const key of world.services.files.store.keys()) found.push(key)
    return found
  }

  it('is served whole and in ranges, also if it was sent in several parts', async () => {
    // Three parts, the last one small.
    for (const content of [Buffer.alloc(0), Buffer.from('Small'), randomBytes(17 * 1024 * 1024)]) {
      const { status, body, text } = await send(content)
      assert.equal(status, 200, text)
      assert.equal(body.sha256, sha256(content))
      const whole = await download(body.url)
      assert.equal(sha256(Buffer.from(await whole.arrayBuffer())), body.sha256)
      if (content.length === 0) continue
      const part = await download(body.url, { range: 'bytes=1-3' })
      assert.deepEqual(
        [part.status, part.headers.get('content-range'), Buffer.from(await part.arrayBuffer())],
        [206, `bytes 1-3/${content.length}`, content.subarray(1, 4)],
      )
    }
    assert.deepEqual(storedFiles(world.database.folder, 'incoming'), [])
    assert.deepEqual(storedFiles(world.database.folder, 'content'), [])
  })

  it('is stored once, under the prefix, and collected a day after its last file was deleted', async () => {
    const before = await keys()
    const [one, two] = [(await send('Shared')).body, (await send('Shared')).body]
    assert.equal((await keys()).length, before.length + 1)
    await world.delete(`/v1/files/${one.id}`)
    await world.delete(`/v1/files/${two.id}`)
    world.clock.advance(25 * hour_ms)
    assert.equal(await fileContentSweep.run(world.services, 100, never), 1)
    assert.deepEqual(await keys(), before)
  })

  it('is put there by a restore, which leaves no copy beside it', async () => {
    const { store, uploads } = world.services.files
    const [key = ''] = await keys()
    const restored = new RestoredContents(store, uploads)
    const content = Buffer.from('Restored')
    await restored.piece(key.replace(/[0-9A-Z]{26}$/, '0'.repeat(26)), sha256(content), content)
    await restored.finish()
    assert.deepEqual(storedFiles(world.database.folder, 'incoming'), [])
    await restored.abort()
  })

  it('that no row names is collected after a day', async () => {
    const before = await keys()
    const { store } = world.services.files
    const [key] = before as [string]
    const writer = await world.services.files.uploads.begin()
    await writer.write(Buffer.from('Never committed'))
    await store.put(key.replace(/[0-9A-Z]{26}$/, '00000000000000000000000000'), await writer.finish())
    assert.equal((await keys()).length, before.length + 1)
    await fileOrphanSweep.run(world.services, 1000, never)
    assert.deepEqual(await keys(), before)
  })

  it('is refused with 503 while the service does not answer, and the same request then has one file', async () => {
    const { body: file } = await send('Before')
    await world.markWritten()
    await service.close()
    const refused = await send('During', 'during')
    assert.deepEqual([refused.status, refused.body.error.code], [503, 'rate_limit_unavailable'])
    await world.assertWritten({ events: [], audit: [] })
    assert.deepEqual(storedFiles(world.database.folder, 'incoming'), [])
    const lost = await download(file.url)
    assert.equal(lost.status, 503)
    assert.equal((await lost.text()).includes('Before'), false)
    service = await startS3(folder, service.port)
    assert.equal((await send('During', 'during')).status, 200)
    assert.equal(await (await download(file.url)).text(), 'Before')
  })

  it('is refused with a wrong secret key', async () => {
    const { bucket } = readConfig({ ...service.environment, ATRIUM_FILES_SECRET_KEY: 'wrong' }).files
    assert.ok(bucket !== null)
    await assert.rejects(new ContentBucket(bucket).size('1/aa/b'), /ContentUnavailable|s3:\/\/atrium-files\/one\/two/)
  })

  it('is named in a backup by key and hash, and a copy of it can be read as pieces', async () => {
    const path = join(world.database.folder, 'bucket.gz')
    const { tables } = await writeBackup(world.services.store, path, { created: 0, secret_key: 'irrelevant here' })
    assert.equal('file content' in tables, false)
    assert.ok((tables.file_contents?.rows ?? 0) > 0)
    const [key = ''] = await keys()
    const { store } = world.services.files
    const size = await store.size(key)
    let bytes = 0
    for await (const piece of (await readPieces(store, key, size ?? 0)) ?? []) bytes += piece.length
    assert.equal(bytes, size)
  })
})

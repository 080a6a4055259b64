/**
 * A disk without room under each step of a file: upload, preview, backup, restore, collection. No row without its content, no content
 * lost, nothing half served, and no part left that takes the room of others. SQLite is on the same disk, PostgreSQL is not.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, it } from 'node:test'
import { limits } from '../../src/api/limits.ts'
import { readBackup, writeBackup } from '../../src/db/backup/backup.ts'
import { DestinationUnavailable, FolderDestination } from '../../src/db/backup/follow/destination.ts'
import { restoreBackup, type TakenContents } from '../../src/db/backup/restore.ts'
import { openStore } from '../../src/db/open.ts'
import { RestoredContents, readPieces } from '../../src/files/backup.ts'
import { ContentFolder } from '../../src/files/folder.ts'
import { Uploads } from '../../src/files/upload.ts'
import { hour_ms } from '../../src/lib/units.ts'
import { filePreviews } from '../../src/workers/previews.ts'
import { fileContentSweep, fileOrphanSweep } from '../../src/workers/sweeps/files.ts'
import type { Reply } from '../call.ts'
import { newDatabase, onEveryEngine } from '../engines.ts'
import { fillDisk, freeDisk } from '../full-disk.ts'
import { png } from '../png.ts'
import { storedFiles } from '../stored-files.ts'
import { openWorld, type World } from '../world.ts'

const never = new AbortController().signal

onEveryEngine('Files on a full disk', (engine) => {
  const isSqlite = engine === 'sqlite'
  const cleanups: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    freeDisk()
    for (const clean of cleanups.splice(0)) await clean()
  })

  async function open() {
    const world = await openWorld(engine)
    cleanups.push(async () => {
      await filePreviews.end?.(world.services)
      await world.close()
    })
    const workspace = (await world.make('/v1/workspaces', { title: 'Stored' })).id
    const send = (raw: string | Buffer, idempotencyKey?: string) =>
      world.call('POST', `/v1/files?workspace=${workspace}&name=a`, {
        raw,
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      })
    const upload = async (raw: string | Buffer): Promise<Reply['body']> => {
      const reply = await send(raw)
      assert.equal(reply.status, 200, reply.text)
      return reply.body
    }
    const { folder } = world.database
    const stored = () => storedFiles(folder, 'content')
    const parts = () => storedFiles(folder, 'incoming')
    const list = async () => (await world.get('/v1/files')).body.data
    return { world, folder, send, upload, stored, parts, list, read: (url: string) => download(world, url) }
  }

  /** Keys of this process never go back in time, so each world's day ends behind those of the worlds before. */
  let past_ms = 0
  function passDay({ clock }: World): void {
    past_ms += 25 * hour_ms
    clock.advance(past_ms)
  }

  /** A day later, what no row names is collected. */
  async function collect(world: World): Promise<void> {
    passDay(world)
    await fileOrphanSweep.run(world.services, 1000, never)
  }

  /** Fills the disk as soon as the next content has its key. */
  function fillAfterPut({ services }: World): void {
    const { store } = services.files
    const put = store.put.bind(store)
    store.put = async (key, file) => {
      store.put = put
      await put(key, file)
      fillDisk()
    }
  }

  it('an upload whose content finds no room is refused with 503, leaves nothing, and is accepted when there is room', async () => {
    const { world, send, stored, parts, list, read } = await open()
    const content = randomBytes(300_000)
    await world.markWritten()
    for (const room of [0, 100_000]) {
      fillDisk(room)
      const refused = await send(content, 'once')
      freeDisk()
      assert.deepEqual([refused.status, refused.body.error.code], [503, 'rate_limit_unavailable'])
      assert.deepEqual([stored(), parts()], [[], []])
      await world.assertWritten({ events: [], audit: [] })
    }
    assert.equal((await send(content, 'once')).status, 200)
    const [file, ...more] = await list()
    assert.deepEqual([(await read(file.url)).equals(content), more], [true, []])
  })

  it('an upload whose folder finds no room is refused with 503, leaves nothing, and is accepted when there is room', async () => {
    const { world, folder, send, stored, parts } = await open()
    // The system refuses a folder, as it does without room for its entries.
    const inTheWay = join(folder, 'files/content')
    mkdirSync(join(folder, 'files'), { recursive: true })
    writeFileSync(inTheWay, '')
    await world.markWritten()
    const refused = await send('All of it', 'once')
    assert.deepEqual([refused.status, refused.body.error.code], [503, 'rate_limit_unavailable'])
    assert.deepEqual(parts(), [])
    await world.assertWritten({ events: [], audit: [] })
    rmSync(inTheWay)
    assert.equal((await send('All of it', 'once')).status, 200)
    assert.equal(stored().length, 1)
  })

  it('an upload whose row finds no room is a whole file or none, and the same request then has one', async () => {
    const { world, send, stored, parts, list, read } = await open()
    const content = randomBytes(100_000)
    fillAfterPut(world)
    const reply = await send(content, 'once')
    assert.equal(reply.status, isSqlite ? 503 : 200, reply.text)
    assert.equal((await list()).length, isSqlite ? 0 : 1)
    freeDisk()
    // The claim of the key could not be removed, so it lasts until its lease ends.
    if (isSqlite) assert.equal((await send(content, 'once')).body.error.code, 'idempotency_in_progress')
    world.clock.advance(limits.idempotency_lease_ms)
    assert.equal((await send(content, 'once')).status, 200)
    const [file, ...more] = await list()
    assert.deepEqual([(await read(file.url)).equals(content), more], [true, []])
    await collect(world)
    assert.deepEqual([stored().length, parts()], [1, []])
    assert.ok((await read((await list())[0].url)).equals(content))
  })

  it('a preview that finds no room is made when there is some; its image is served whole meanwhile', async () => {
    const { world, upload, stored, parts, list, read } = await open()
    const image = png(1000, 400)
    await upload(image)
    fillDisk()
    await assert.rejects(filePreviews.run(world.services, 10, never))
    assert.deepEqual([stored().length, parts()], [1, []])
    const [file] = await list()
    assert.equal(file.preview_url, null)
    assert.ok((await read(file.url)).equals(image))
    freeDisk()
    assert.equal(await filePreviews.run(world.services, 10, never), 1)
    const { preview_url } = (await list())[0]
    assert.equal((await read(preview_url)).subarray(8, 12).toString(), 'WEBP')
  })

  it('a preview whose row finds no room is made again, and what was stored of it is collected', async () => {
    const { world, upload, stored, parts, list, read } = await open()
    await upload(png(1000, 400))
    fillAfterPut(world)
    const run = filePreviews.run(world.services, 10, never)
    if (isSqlite) await assert.rejects(run)
    else assert.equal(await run, 1)
    freeDisk()
    assert.equal(await filePreviews.run(world.services, 10, never), isSqlite ? 1 : 0)
    await collect(world)
    assert.deepEqual([stored().length, parts()], [2, []])
    assert.equal((await read((await list())[0].preview_url)).subarray(8, 12).toString(), 'WEBP')
  })

  async function backUp({ services }: World, path: string) {
    const { store } = services.files
    const about = { created: 0, secret_key: 'irrelevant here' }
    return await writeBackup(services.store, path, about, (key, bytes) => readPieces(store, key, bytes))
  }

  it('a backup that finds no room for the content of files leaves nothing, and is whole when there is room', async () => {
    const { world, folder, upload } = await open()
    // Random bytes do not become less, so the tables find room and the content does not.
    for (const content of [randomBytes(600_000), randomBytes(600_000)]) await upload(content)
    const place = join(folder, 'backups')
    mkdirSync(place)
    const path = join(place, 'backup.gz')
    for (const room of [0, 700_000]) {
      fillDisk(room)
      await assert.rejects(backUp(world, path), { code: 'EFBIG' })
      freeDisk()
      assert.deepEqual(readdirSync(place), [])
    }
    const manifest = await backUp(world, path)
    assert.ok((manifest.tables['file content']?.rows ?? 0) > 2)
    assert.deepEqual(await readBackup(path), manifest)
  })

  /** Where the disk is full: for the bytes of a content, for the folder that holds it, or after all content for the rows. */
  const restore_points = ['bytes', 'folder', ...(isSqlite ? (['rows'] as const) : [])] as const

  for (const point of restore_points) {
    it(`a restore that finds no room for its ${point} leaves no content, and succeeds when there is room`, async () => {
      const { world, folder, upload, stored } = await open()
      for (const content of ['', 'Small', randomBytes(500_000)]) await upload(content)
      const path = join(folder, 'backup.gz')
      const manifest = await backUp(world, path)
      const database = await newDatabase(engine)
      const store = await openStore(database.url)
      cleanups.push(async () => {
        await store.close()
        await database.remove()
      })
      const content = join(database.folder, 'files/content')
      const restored = () =>
        new RestoredContents(
          new ContentFolder(content),
          new Uploads(join(database.folder, 'files/incoming'), () => 'own'),
        )
      if (point === 'folder') {
        mkdirSync(join(database.folder, 'files'), { recursive: true })
        writeFileSync(content, '')
      }
      await assert.rejects(restoreBackup(store, path, 0, filledAt(point, restored())))
      freeDisk()
      if (point === 'folder') rmSync(content)
      const here = (part: 'content' | 'incoming') => storedFiles(database.folder, part)
      assert.deepEqual([here('content'), here('incoming')], [[], []])
      assert.deepEqual(await restoreBackup(store, path, 0, restored()), manifest)
      const texts = (paths: string[]) => paths.map((each) => readFileSync(each, 'latin1')).sort()
      assert.deepEqual([texts(here('content')), here('incoming')], [texts(stored()), []])
    })
  }

  it('a collection that finds no room for its rows removes no content, and collects when there is room', async () => {
    const { world, upload, stored, list, read } = await open()
    const [gone, kept] = [await upload('Gone'), await upload('Kept')]
    fillDisk()
    assert.equal((await world.delete(`/v1/files/${gone.id}`)).status, isSqlite ? 503 : 200)
    freeDisk()
    if (isSqlite) assert.equal((await world.delete(`/v1/files/${gone.id}`)).status, 200)
    passDay(world)
    fillDisk()
    const run = fileContentSweep.run(world.services, 100, never)
    if (isSqlite) await assert.rejects(run)
    else assert.equal(await run, 1)
    assert.equal(stored().length, isSqlite ? 2 : 1)
    freeDisk()
    assert.equal(await fileContentSweep.run(world.services, 100, never), isSqlite ? 1 : 0)
    assert.equal(stored().length, 1)
    const files = await list()
    assert.deepEqual(
      files.map(({ id }: { id: string }) => id),
      [kept.id],
    )
    assert.equal((await read(files[0].url)).toString(), 'Kept')
  })

  it('the collection of what no row names needs no room, and makes some', async () => {
    const { world, folder, upload, stored, parts } = await open()
    await upload('Named')
    const [named = ''] = stored()
    writeFileSync(named.replace(/[0-9A-Z]{26}$/, '00000000000000000000000000'), 'Named')
    writeFileSync(join(folder, `files/incoming/${'0'.repeat(16)}.${crypto.randomUUID()}.part`), 'Na')
    fillDisk()
    await collect(world)
    assert.deepEqual([stored(), parts()], [[named], []])
  })
})

describe('The folder of a continuous backup on a full disk', () => {
  it('keeps no part of what it refuses, and stores it when there is room', async () => {
    const place = mkdtempSync(join(tmpdir(), 'atrium-full-'))
    try {
      const folder = new FolderDestination(place)
      const bytes = randomBytes(200_000)
      for (const room of [0, 100_000]) {
        fillDisk(room)
        await assert.rejects(folder.put('contents/one', bytes), DestinationUnavailable)
        freeDisk()
        assert.deepEqual(readdirSync(join(place, 'contents')), [])
      }
      await folder.put('contents/one', bytes)
      assert.deepEqual([await folder.get('contents/one'), readdirSync(join(place, 'contents'))], [bytes, ['one']])
    } finally {
      freeDisk()
      rmSync(place, { recursive: true })
    }
  })
})

/** Restored content under which the disk becomes full. */
function filledAt(point: 'bytes' | 'folder' | 'rows', contents: RestoredContents): TakenContents {
  return {
    async piece(...given) {
      if (point === 'bytes') fillDisk()
      await contents.piece(...given)
    },
    async finish() {
      await contents.finish()
      if (point === 'rows') fillDisk()
    },
    abort: () => contents.abort(),
  }
}

async function download(world: World, url: string): Promise<Buffer> {
  const reply = await fetch(`${world.server.url}${url.slice(world.server.url.length)}`)
  assert.equal(reply.status, 200)
  return Buffer.from(await reply.arrayBuffer())
}

/** No row without its content, no content lost, nothing half served: whatever ends an upload, and from every backup. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, afterEach, before, it } from 'node:test'
import { type Manifest, writeBackup } from '../../src/db/backup/backup.ts'
import { restoreBackup } from '../../src/db/backup/restore.ts'
import { openStore } from '../../src/db/open.ts'
import { RestoredContents, readPieces } from '../../src/files/backup.ts'
import { ContentFolder } from '../../src/files/folder.ts'
import { Uploads } from '../../src/files/upload.ts'
import { hour_ms } from '../../src/lib/units.ts'
import { fileContentSweep, fileOrphanSweep } from '../../src/workers/sweeps/files.ts'
import { call, type Reply } from '../call.ts'
import { type Database, newDatabase, onEveryEngine } from '../engines.ts'
import { migratedDatabase } from '../migrated.ts'
import { storedFiles } from '../stored-files.ts'
import { openWorld, type World } from '../world.ts'
import { type Installation, install, makeWorkspace } from './installation.ts'
import { endProcesses, inheritedEnvironment, type ServerProcess, serve } from './processes.ts'
import { run } from './programs.ts'
import type { UploadPoint } from './upload-server.ts'

const upload_points: readonly UploadPoint[] = ['receiving', 'received', 'keeping', 'kept', 'committed']
const never = new AbortController().signal

onEveryEngine('An upload whose server is killed', (engine) => {
  let database: Database
  let installation: Installation
  let server: ServerProcess
  let workspace: string
  before(async () => {
    database = await migratedDatabase(engine)
    installation = await install(database.url, database.folder)
    server = await serve(installation.environment)
    workspace = await makeWorkspace(server.url, installation.key)
  })
  after(async () => {
    endProcesses()
    await database.remove()
  })

  for (const point of upload_points) {
    it(`at "${point}" leaves a whole file or none, and the same request then has one`, async () => {
      const { environment, key } = installation
      const upload = (url: string) => {
        const path = `/v1/files?workspace=${workspace}&name=${point}`
        return call(url, 'POST', path, { key, raw: `All of ${point}`, idempotencyKey: point })
      }
      await server.stop()
      const doomed = run('upload-server.ts', JSON.stringify({ environment, point }))
      await assert.rejects(upload((await doomed.line()) as string))
      await doomed.end()
      server = await serve(environment)
      const list = async () => {
        const { data } = (await call(server.url, 'GET', '/v1/files', { key })).body
        return data.filter(({ name }: { name: string }) => name === point)
      }
      assert.equal((await list()).length, point === 'committed' ? 1 : 0)
      const reply = await upload(server.url)
      assert.equal(reply.status, 200, reply.text)
      const files = await list()
      assert.deepEqual([files.length, files[0].id], [1, reply.body.id])
      const { pathname, search } = new URL(files[0].url)
      assert.equal((await call(server.url, 'GET', pathname + search)).text, `All of ${point}`)
    })
  }
})

onEveryEngine('Stored content', (engine) => {
  const opened: World[] = []
  const databases: Database[] = []
  afterEach(async () => {
    for (const world of opened.splice(0)) await world.close()
    for (const database of databases.splice(0)) await database.remove()
  })

  async function open() {
    const world = await openWorld(engine)
    opened.push(world)
    const workspace = (await world.make('/v1/workspaces', { title: 'Stored' })).id
    const upload = async (raw: string | Buffer): Promise<Reply['body']> => {
      const reply = await world.call('POST', `/v1/files?workspace=${workspace}&name=a`, { raw })
      assert.equal(reply.status, 200, reply.text)
      return reply.body
    }
    const stored = (folder: 'content' | 'incoming' = 'content') => storedFiles(world.database.folder, folder)
    const read = async (url: string) => (await world.get(url.slice(world.server.url.length), { key: null })).text
    return { world, upload, stored, read }
  }

  it('is collected a day after its last file was deleted, and not if another file has it by then', async () => {
    const { world, upload, stored, read } = await open()
    const [gone, back] = [await upload('Gone'), await upload('Back again')]
    for (const { id } of [gone, back]) assert.equal((await world.delete(`/v1/files/${id}`)).status, 200)
    world.clock.advance(23 * hour_ms)
    assert.equal(await fileContentSweep.run(world.services, 100, never), 0)
    const again = await upload('Back again')
    world.clock.advance(2 * hour_ms)
    assert.equal(await fileContentSweep.run(world.services, 100, never), 1)
    assert.equal(stored().length, 1)
    assert.equal(await read((await world.get(`/v1/files/${again.id}`)).body.url), 'Back again')
    const renewed = await upload('Gone')
    assert.equal(await read(renewed.url), 'Gone')
  })

  it('that no row names is collected after a day, and so are parts of uploads of ended processes', async () => {
    const { world, upload, stored, read } = await open()
    const file = await upload('Named')
    const [named] = stored() as [string]
    const orphan = named.replace(/[0-9A-Z]{26}$/, '00000000000000000000000000')
    const foreign = join(named, '../lost+found')
    writeFileSync(foreign, 'Not ours')
    const part = join(world.database.folder, `files/incoming/${'0'.repeat(16)}.${crypto.randomUUID()}.part`)
    mkdirSync(join(part, '..'), { recursive: true })
    writeFileSync(orphan, 'Named')
    writeFileSync(part, 'Na')
    world.clock.advance(25 * hour_ms)
    await fileOrphanSweep.run(world.services, 100, never)
    assert.deepEqual([stored().sort(), stored('incoming')], [[foreign, named].sort(), []])
    assert.equal(await read((await world.get(`/v1/files/${file.id}`)).body.url), 'Named')
  })

  it('that cannot be written is a 503 that acknowledges nothing', async () => {
    const { world, upload, stored } = await open()
    rmSync(join(world.database.folder, 'files'), { recursive: true, force: true })
    writeFileSync(join(world.database.folder, 'files'), 'in the way')
    await world.markWritten()
    const workspace = (await world.get('/v1/workspaces')).body.data[0].id
    const sent = { raw: 'x', idempotencyKey: 'full' }
    const refused = await world.call('POST', `/v1/files?workspace=${workspace}&name=a`, sent)
    assert.deepEqual([refused.status, refused.body.error.code], [503, 'rate_limit_unavailable'])
    await world.assertWritten({ events: [], audit: [] })
    rmSync(join(world.database.folder, 'files'))
    assert.equal((await world.call('POST', `/v1/files?workspace=${workspace}&name=a`, sent)).status, 200)
    assert.equal((await upload('y')).bytes, 1)
    assert.deepEqual([stored().length, stored('incoming')], [2, []])
  })

  it('that is missing is no empty file', async () => {
    const { world, upload, stored } = await open()
    const file = await upload('Lost')
    rmSync(stored()[0] as string)
    const reply = await world.get(file.url.slice(world.server.url.length), { key: null })
    assert.deepEqual([reply.status, reply.body.error.code], [500, 'internal_error'])
  })

  async function backUp({ services, database }: World, name: string): Promise<{ path: string; manifest: Manifest }> {
    const path = join(database.folder, name)
    const about = { created: 0, secret_key: 'irrelevant here' }
    const { store } = services.files
    return {
      path,
      manifest: await writeBackup(services.store, path, about, (key, bytes) => readPieces(store, key, bytes)),
    }
  }

  for (const other of ['sqlite', 'postgres'] as const) {
    it(`is in a backup and restored with it into ${other}, or not at all`, async () => {
      const { world, upload, stored } = await open()
      const large = Buffer.alloc(500_000, 'All bytes ')
      for (const content of ['', 'Small', large]) await upload(content)
      const deleted = await upload('Deleted')
      await world.delete(`/v1/files/${deleted.id}`)
      const { path, manifest } = await backUp(world, 'backup.gz')
      assert.equal(manifest.tables['file content']?.rows, 5)
      const database = await newDatabase(other)
      databases.push(database)
      const store = await openStore(database.url)
      const files = join(database.folder, 'files')
      const contents = () =>
        new RestoredContents(
          new ContentFolder(join(files, 'content')),
          new Uploads(join(files, 'incoming'), () => 'own'),
        )
      try {
        assert.deepEqual(await restoreBackup(store, path, 0, contents()), manifest)
        const texts = (paths: string[]) => paths.map((each) => readFileSync(each, 'latin1')).sort()
        const here = texts(storedFiles(database.folder, 'content'))
        assert.deepEqual(
          here,
          texts(stored()).filter((text) => text !== 'Deleted'),
        )
        const before = storedFiles(database.folder, 'content')
        await assert.rejects(restoreBackup(store, path, 0, contents()), /not empty/)
        assert.deepEqual(storedFiles(database.folder, 'content'), before)
      } finally {
        await store.close()
      }
    })
  }

  it('that is missing or damaged is in no backup', async () => {
    const { world, upload, stored } = await open()
    const file = await upload('Damaged')
    const [path] = stored() as [string]
    writeFileSync(path, 'damaged')
    await assert.rejects(backUp(world, 'one.gz'), /is damaged/)
    rmSync(path)
    await assert.rejects(backUp(world, 'two.gz'), /is missing/)
    await world.delete(`/v1/files/${file.id}`)
    await backUp(world, 'three.gz')
  })
})

onEveryEngine('A disk without room for a file', (engine) => {
  afterEach(() => endProcesses())

  it('refuses the file with 503, keeps nothing of it, and serves the next', async () => {
    const database = await migratedDatabase(engine)
    try {
      const { environment, key } = await install(database.url, database.folder)
      const program = join(import.meta.dirname, '../../../bin/atrium')
      // No file may have more than 12 MiB; the operating system refuses the write, as on a full disk.
      const child = spawn('bash', ['-c', `ulimit -f ${12 * 1024}; exec "$0" serve`, program], {
        env: { ...inheritedEnvironment(), ...environment, ATRIUM_LOG_LEVEL: 'info' },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const ended = once(child, 'exit')
      try {
        let url = ''
        for await (const line of createInterface(child.stdout)) {
          url = JSON.parse(line).url ?? ''
          if (url !== '') break
        }
        const workspace = await makeWorkspace(url, key)
        const send = (bytes: number) =>
          call(url, 'POST', `/v1/files?workspace=${workspace}&name=a`, { key, raw: Buffer.alloc(bytes) })
        const refused = await send(20 * 1024 * 1024)
        assert.deepEqual([refused.status, refused.body.error.code], [503, 'rate_limit_unavailable'])
        assert.deepEqual([storedFiles(database.folder, 'content'), storedFiles(database.folder, 'incoming')], [[], []])
        assert.equal((await send(1024 * 1024)).status, 200)
        assert.equal((await call(url, 'GET', '/v1/files', { key })).body.data.length, 1)
      } finally {
        child.kill('SIGKILL')
        await ended
      }
    } finally {
      await database.remove()
    }
  })
})

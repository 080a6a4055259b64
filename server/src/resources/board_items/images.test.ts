/** Images of boards are contents like those of files: stored once, counted, collected when nothing shows them, and in every backup. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, beforeEach, it } from 'node:test'
import { ownerOf, password, refusal, Visitor } from '../../../test/console/visitor.ts'
import { onEveryEngine } from '../../../test/engines.ts'
import { storedFiles } from '../../../test/stored-files.ts'
import { worldOf } from '../../../test/world.ts'
import { limits } from '../../api/limits.ts'
import { writeBackup } from '../../db/backup/backup.ts'
import { readPieces } from '../../files/backup.ts'
import { file_limits } from '../../files/limits.ts'
import { boardAssetSweep } from '../../workers/sweeps/board-assets.ts'
import { fileContentSweep } from '../../workers/sweeps/files.ts'
import { runWorker } from '../../workers/worker.ts'
import { addBytes } from '../files/shared/contents.ts'
import { importBoard } from './import.ts'

const bytes_max = 100_000
const picture = (text: string) => `GIF89a, ${text}`
const asUrl = (content: string) => `data:image/gif;base64,${Buffer.from(content).toString('base64')}`

onEveryEngine('Images of boards', (engine) => {
  const world = worldOf(engine, { environment: { ATRIUM_ORGANIZATION_FILE_BYTES_MAX: `${bytes_max}` } })
  let owner: Visitor
  let workspace: string
  let board: string
  before(async () => {
    owner = await ownerOf(world)
    workspace = (await world.make('/v1/workspaces', { title: 'Harbour' })).id
  })
  beforeEach(async () => {
    board = (await world.make('/v1/boards', { name: 'Plan' })).id
    await world.make(`/v1/boards/${board}/members`, { user: world.acme.user, role: 'editor' })
  })

  const send = (file: string, content: string) =>
    owner.post(`boards/${board}/images`, { file, data_url: asUrl(content) })
  const shown = async (file: string) => (await owner.must('GET', `boards/${board}/images?file=${file}`)).data_url
  const upload = async (content: string) =>
    (await world.call('POST', `/v1/files?workspace=${workspace}&name=a.gif`, { raw: content })).body
  const total = async (): Promise<number> => (await owner.must('GET', 'storage')).bytes
  const contents = () => storedFiles(world.database.folder, 'content').map((path) => readFileSync(path, 'latin1'))
  const copiesOf = (content: string) => contents().filter((each) => each === content).length
  /** Sessions end within a day. */
  const later = async (ms: number) => {
    world.clock.advance(ms)
    owner = new Visitor(world.server.url)
    await owner.arrive()
    await owner.must('POST', 'session', { email: 'owner@acme.example', password })
    for (const worker of [boardAssetSweep, fileContentSweep]) await runWorker(world.services, worker, 'test')
  }
  const drawing = (content: string) =>
    Buffer.from(
      JSON.stringify({
        type: 'excalidraw',
        elements: [{ id: 'i', type: 'image', x: 0, y: 0, width: 9, height: 9, fileId: 'one' }],
        files: { one: { dataURL: asUrl(content) } },
      }),
    )
  const draw = (content: string, name: string) => {
    const { id: organization, realms } = world.acme
    return importBoard(world.services, { organization, realm: realms.live, mode: 'live', file: drawing(content), name })
  }

  it('are stored once however often they are sent, and counted once with the files', async () => {
    const before = await total()
    const content = picture('sent twice')
    for (const file of ['one', 'two', 'one']) assert.equal((await send(file, content)).status, 200)
    await draw(content, 'Drawn')
    assert.deepEqual([await shown('one'), await shown('two')], [asUrl(content), asUrl(content)])
    assert.equal(copiesOf(content), 1)
    assert.equal((await total()) - before, content.length)
    assert.deepEqual(storedFiles(world.database.folder, 'incoming'), [])
  })

  it('share their bytes with files, and each keeps them when the other goes', async () => {
    const content = picture('shared')
    const file = await upload(content)
    await send('one', content)
    assert.equal(copiesOf(content), 1)
    await world.delete(`/v1/files/${file.id}`)
    await later(file_limits.unreferenced_content_ms + limits.board_superseded_kept_ms + 1)
    assert.equal(await shown('one'), asUrl(content))
    const again = await upload(content)
    await send('one', picture('another'))
    await later(limits.board_superseded_kept_ms + 1)
    await later(file_limits.unreferenced_content_ms + 1)
    const { url } = (await world.get(`/v1/files/${again.id}`)).body
    assert.equal((await world.get(url.slice(world.server.url.length), { key: null })).text, content)
  })

  it('that no board names are removed with their bytes a day later, and count no longer', async () => {
    const before = await total()
    const [first, second] = [picture('replaced'), picture('shown')]
    await send('one', first)
    await send('one', second)
    await later(limits.board_superseded_kept_ms + 1)
    assert.equal((await total()) - before, second.length)
    await later(file_limits.unreferenced_content_ms - 1)
    assert.equal(copiesOf(first), 1)
    await later(1)
    assert.deepEqual([copiesOf(first), copiesOf(second), await shown('one')], [0, 1, asUrl(second)])
  })

  it('for which the organization has no room are refused, with nothing stored and no board made', async () => {
    const { id: organization, realms } = world.acme
    const room = bytes_max - (await total()) - 5
    const add = (bytes: number) =>
      world.services.store.write({ organization, realms: [realms.live] }, async (tx) =>
        addBytes(tx, realms.live, bytes),
      )
    await add(room)
    try {
      const stored = contents().length
      assert.deepEqual(refusal(await send('one', picture('too much'))), [409, 'resource_conflict'])
      await assert.rejects(draw(picture('too much'), 'Full'), { code: 'resource_conflict' })
      assert.equal(await shown('one'), null)
      assert.equal(contents().length, stored)
      const { data } = (await world.get('/v1/boards?limit=100')).body
      assert.deepEqual(
        data.filter(({ name }: { name: string }) => name === 'Full'),
        [],
      )
    } finally {
      await add(-room)
    }
  })

  it('are in a backup', async () => {
    const content = picture('kept')
    await send('one', content)
    const { store } = world.services.files
    const about = { created: 0, secret_key: 'irrelevant here' }
    const path = join(world.database.folder, 'backup.gz')
    const { tables } = await writeBackup(world.services.store, path, about, (key, bytes) =>
      readPieces(store, key, bytes),
    )
    assert.equal(tables['file content']?.rows, contents().length)
    assert.equal(copiesOf(content), 1)
  })

  it('that an earlier version stored in their row are shown as before', async () => {
    const { id: organization, realms } = world.acme
    const content = picture('older')
    await world.services.store.write({ organization, realms: [realms.live] }, async (tx) => {
      const key = { realm: realms.live, sha256: 'a'.repeat(64) }
      const bytes = Buffer.from(content).toString('base64')
      const row = { media_type: 'image/gif', size_bytes: content.length, offered_at: world.clock.now(), bytes }
      tx.insert('board_assets', { ...key, ...row })
      tx.insert('board_images', { ...key, board, file: 'old', created: world.clock.now(), guest: null })
    })
    assert.equal(await shown('old'), asUrl(content))
  })
})

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { assertFolds } from '../../../test/fold.ts'
import { onEveryWorld } from '../../../test/world.ts'
import type { Refusal } from '../../api/declare/errors.ts'
import { limits } from '../../api/limits.ts'
import { query } from '../../db/query.ts'
import { sweeps } from '../../workers/sweeps/sweeps.ts'
import { runWorker } from '../../workers/worker.ts'
import type { Board } from '../boards/board.ts'
import type { BoardItem } from './board_item.ts'
import { type Import, importBoard } from './import.ts'

type Fields = Readonly<Record<string, unknown>>

const box = (id: string, more: Fields = {}) => ({
  ...{ id, type: 'rectangle', x: 0, y: 0, width: 100, height: 50, ...more },
})
const file = (elements: readonly unknown[], more: Fields = {}) =>
  Buffer.from(JSON.stringify({ type: 'excalidraw', version: 2, elements, ...more }))
const gif = `data:image/gif;base64,${Buffer.from('GIF89a, small').toString('base64')}`
const image = { id: 'i', type: 'image', x: 0, y: 0, width: 9, height: 9, fileId: 'one' }

const counts = (['board_items', 'board_snapshots', 'board_assets'] as const).map((table) =>
  query((db) => db.selectFrom(table).select((eb) => eb.fn.countAll<number>().as('count'))),
)

onEveryWorld('board items', (world) => {
  const importDrawing = (bytes: Uint8Array, more: Partial<Import> = { name: 'Imported' }): Promise<Board> => {
    const { id: organization, realms } = world.acme
    return importBoard(world.services, { organization, realm: realms.live, mode: 'live', file: bytes, ...more })
  }
  /** The items of all pages. */
  const listAll = async (board: string, limit = 100, from = ''): Promise<BoardItem[]> => {
    const items: BoardItem[] = []
    for (let cursor = from; ; ) {
      const { status, text, body } = await world.get(`/v1/boards/${board}/items?limit=${limit}${cursor}`)
      assert.equal(status, 200, text)
      items.push(...body.data)
      if (!body.has_more) return items
      cursor = `&cursor=${body.next_cursor}`
    }
  }
  const refused =
    (param: string | undefined, code = 'invalid_request_body') =>
    (refusal: Refusal) => {
      assert.deepEqual([refusal.code, refusal.options.param], [code, param])
      return true
    }
  const byElement = (items: readonly BoardItem[]) => new Map(items.map((item) => [item.source.element_id, item]))

  it('an element that links to the page of a live task of the realm names the task; other links name none', async () => {
    const workspace = (await world.make('/v1/workspaces', { title: 'Linked' })).id
    const foreign = { key: world.globex.key }
    const elsewhere = (await world.make('/v1/workspaces', { title: 'Elsewhere' }, foreign)).id
    const { id: task } = await world.make('/v1/tasks', { workspace, title: 'Here' })
    const { id: gone } = await world.make('/v1/tasks', { workspace, title: 'Gone' })
    await world.delete(`/v1/tasks/${gone}`)
    const { id: other } = await world.make('/v1/tasks', { workspace: elsewhere, title: 'Theirs' }, foreign)
    const page = (id: string) => `http://127.0.0.1:4010/work/tasks/${id}`
    const links = [page(task), page(gone), page(other), page('tsk_1'), `${page(task)}/edit`, 'not a link']
    const board = await importDrawing(file(links.map((link, i) => box(`e${i}`, { link }))))
    const items = byElement(await listAll(board.id))
    assert.deepEqual(
      links.map((_link, i) => items.get(`e${i}`)?.linked_task),
      [task, null, null, null, null, null],
    )
  })

  it('an import creates a board of the service user and its first snapshot, each with an event', async () => {
    await world.markWritten()
    const board = await importDrawing(file([box('a'), box('b')]), { name: 'Plan', legacy_room_id: 'room-1' })
    assert.equal(board.owner, (await world.make('/v1/boards', { name: 'Other' })).owner)
    assert.deepEqual(board.snapshot, {
      revision: 1,
      published_at: 1785844800,
      status: 'current',
      pending_changes: false,
    })
    assert.deepEqual([board.name, board.legacy_room_id, board.item_count, board.member_count], ['Plan', 'room-1', 2, 1])
    assert.equal(board.revision, 2)
    await world.assertWritten({
      events: [
        ...['whiteboard.board.created', 'whiteboard.board_member.created', 'whiteboard.board.snapshot_published'],
        ...['whiteboard.board.created', 'whiteboard.board_member.created'],
      ],
      audit: ['boards.create', 'boards.import', 'boards.create'],
    })
    assert.deepEqual((await world.get(`/v1/boards/${board.id}`)).body, board)
  })

  it('items are listed in drawing order in pages of any size, and retrieved one by one', async () => {
    const { id } = await importDrawing(file(Array.from({ length: 7 }, (_, i) => box(`e${i}`, { x: i }))))
    const items = await listAll(id, 3)
    assert.deepEqual(
      items.map((item) => [item.source.element_id, item.order, item.snapshot_revision, item.board]),
      Array.from({ length: 7 }, (_, i) => [`e${i}`, i, 1, id]),
    )
    assert.deepEqual(await listAll(id), items)
    for (const item of items) {
      assert.match(item.id, /^itm_/)
      assert.deepEqual((await world.get(`/v1/boards/${id}/items/${item.id}`)).body, item)
    }
    const other = await importDrawing(file([box('a')]))
    const elsewhere = await world.get(`/v1/boards/${other.id}/items/${items[0]?.id}`)
    assert.deepEqual([elsewhere.status, elsewhere.body.error.code], [404, 'resource_not_found'])
    const { next_cursor } = (await world.get(`/v1/boards/${id}/items?limit=1`)).body
    const mixed = await world.get(`/v1/boards/${other.id}/items?cursor=${next_cursor}`)
    assert.equal(mixed.body.error.code, 'cursor_filter_mismatch')
    const foreign = await world.get(`/v1/boards/${id}/items`, { key: world.globex.key })
    assert.equal(foreign.body.error.code, 'resource_not_found')
  })

  it('a second import changes only items that differ, and items keep their ids even after they were absent', async () => {
    const { id } = await importDrawing(file([box('a'), box('b'), box('c')]))
    const before = byElement(await listAll(id))
    world.clock.advance(5_000)
    const second = await importDrawing(file([box('a'), box('b', { x: 1 })]), { board: id })
    assert.deepEqual([second.snapshot.revision, second.item_count], [2, 2])
    const after = byElement(await listAll(id))
    assert.deepEqual(after.get('a'), { ...before.get('a'), snapshot_revision: 2 })
    const b = before.get('b') as BoardItem
    assert.deepEqual(after.get('b'), {
      ...b,
      updated: b.updated + 5,
      position: { ...b.position, x: b.position.x + 1 },
      snapshot_revision: 2,
    })
    const gone = await world.get(`/v1/boards/${id}/items/${before.get('c')?.id}`)
    assert.deepEqual([gone.status, gone.body.error.code], [404, 'resource_not_found'])
    await importDrawing(file([box('a'), box('b'), box('c')]), { board: id })
    const c = byElement(await listAll(id)).get('c')
    assert.deepEqual([c?.id, c?.created], [before.get('c')?.id, before.get('c')?.created])
    assert.deepEqual((await listAll(id)).length, 3)
  })

  it('unchanged content creates no revision and no event', async () => {
    const board = await importDrawing(file([box('a', { version: 1, seed: 5 })]))
    await world.markWritten()
    assert.deepEqual(await importDrawing(file([box('a', { version: 2, seed: 9 })]), { board: board.id }), board)
    await world.assertWritten({ events: [], audit: [] })
    const named = await importDrawing(file([box('a')]), { board: board.id, legacy_room_id: 'only-the-room' })
    assert.deepEqual([named.snapshot, named.legacy_room_id], [board.snapshot, 'only-the-room'])
    await world.assertWritten({ events: ['whiteboard.board.updated'], audit: ['boards.import'] })
  })

  it('an empty drawing is a snapshot without items', async () => {
    const board = await importDrawing(file([]))
    assert.deepEqual([board.snapshot.status, board.snapshot.revision, board.item_count], ['current', 1, 0])
    assert.deepEqual(await listAll(board.id), [])
  })

  it('a cursor stays in its snapshot for 15 minutes after a newer one, and is then refused', async () => {
    const { id } = await importDrawing(file([box('a'), box('b'), box('c')]))
    const first = (await world.get(`/v1/boards/${id}/items?limit=1`)).body
    const cursor = `&cursor=${first.next_cursor}`
    await importDrawing(file([box('x'), box('c', { x: 3 }), box('b', { x: 2 })]), { board: id })
    await importDrawing(file([box('y')]), { board: id })
    const seen = (items: readonly BoardItem[]) =>
      items.map((i) => [i.source.element_id, i.position.x, i.snapshot_revision])
    const rest = [
      ['b', 50, 1],
      ['c', 50, 1],
    ]
    assert.deepEqual(seen(await listAll(id, 1, cursor)), rest)
    assert.deepEqual(seen(await listAll(id)), [['y', 50, 3]])
    world.clock.advance(limits.board_cursor_ms - 1)
    assert.deepEqual(seen(await listAll(id, 1, cursor)), rest)
    world.clock.advance(1)
    const late = await world.get(`/v1/boards/${id}/items?limit=1${cursor}`)
    assert.deepEqual([late.status, late.body.error.code, late.body.error.param], [400, 'cursor_invalid', 'cursor'])
  })

  it('a wrong import is refused with its fault and changes nothing', async () => {
    const board = await importDrawing(file([box('a')]))
    await world.markWritten()
    const broken = file([box('a'), box('b', { y: 'low' })])
    await assert.rejects(importDrawing(broken, { board: board.id }), refused('elements[1].y'))
    await assert.rejects(importDrawing(broken), refused('elements[1].y'))
    await assert.rejects(importDrawing(file([]), { name: '' }), refused('name'))
    await assert.rejects(importDrawing(file([]), { name: 'x', legacy_room_id: 'a/b' }), refused('legacy_room_id'))
    await assert.rejects(importDrawing(file([]), { board: 'brd_none' }), refused('board', 'resource_not_found'))
    await world.assertWritten({ events: [], audit: [] })
    await world.delete(`/v1/boards/${board.id}`)
    await assert.rejects(importDrawing(file([]), { board: board.id }), refused(undefined, 'resource_conflict'))
    assert.equal((await listAll(board.id)).length, 1)
  })

  it('the items of an archived board stay readable', async () => {
    const { id } = await importDrawing(file([box('a')]))
    await world.delete(`/v1/boards/${id}`)
    const items = await listAll(id)
    assert.equal(items.length, 1)
    assert.equal((await world.get(`/v1/boards/${id}/items/${items[0]?.id}`)).status, 200)
  })

  it('the sweeps remove only items and snapshots that no cursor can reach, and images that no board names', async () => {
    const sweep = async (): Promise<number[]> => {
      for (const worker of sweeps.filter(({ name }) => name.startsWith('board_'))) {
        await runWorker(world.services, worker, 'test')
      }
      const reader = world.services.store.reader('system')
      return await Promise.all(counts.map(async (count) => Number((await reader.first(count))?.count)))
    }
    world.clock.advance(2 * limits.board_superseded_kept_ms)
    const [items = 0, snapshots = 0, assets = 0] = await sweep()
    const files = { files: { one: { dataURL: gif }, two: { dataURL: gif } } }
    const both = [box('a'), image, { ...image, id: 'j', fileId: 'two' }]
    const { id } = await importDrawing(file(both, files))
    assert.deepEqual(await sweep(), [items + 3, snapshots + 1, assets + 1])
    await importDrawing(file([box('a'), image], files), { board: id })
    await importDrawing(file([box('a')]), { board: id })
    world.clock.advance(limits.board_superseded_kept_ms)
    assert.deepEqual(await sweep(), [items + 3, snapshots + 3, assets + 1])
    world.clock.advance(1)
    // The history of the board still shows the image.
    assert.deepEqual(await sweep(), [items + 1, snapshots + 1, assets + 1])
    assert.equal((await listAll(id)).length, 1)
  })

  it('real drawings are imported completely, and an edit changes only its item and connectors', async () => {
    const folder = join(import.meta.dirname, '../../../../../shared/data/excalidraw')
    if (!existsSync(folder)) return
    for (const name of ['kubernetes-enhancement', 'wireframes']) {
      const text = readFileSync(join(folder, `${name}.excalidraw`), 'utf8')
      const board = await importDrawing(Buffer.from(text), { name })
      const items = await listAll(board.id, 13)
      assert.equal(items.length, board.item_count)
      assert.equal(new Set(items.map((item) => item.id)).size, items.length)
      for (const item of items) {
        assert.deepEqual((await world.get(`/v1/boards/${board.id}/items/${item.id}`)).body, item)
      }
      const drawing = JSON.parse(text)
      const edited = drawing.elements.findIndex((element: { type: string }) => element.type === 'rectangle')
      drawing.elements[edited].x += 10
      world.clock.advance(1_000)
      const again = await importDrawing(Buffer.from(JSON.stringify(drawing)), { board: board.id })
      assert.equal(again.snapshot.revision, 2)
      const changed = (await listAll(board.id)).filter((item, i) => item.updated !== items[i]?.updated)
      // Arrows that end on the item change with it.
      const ids = new Set([items.find((item) => item.source.element_id === drawing.elements[edited].id)?.id])
      for (const item of changed) {
        const ends = [item.id, item.connector?.start.item, item.connector?.end.item]
        assert.ok(ends.some((end) => ids.has(end as string)))
      }
      assert.deepEqual(
        (await listAll(board.id)).map((item) => item.id),
        items.map((item) => item.id),
      )
    }
  })

  it('folding the events gives the objects that GET shows', async () => {
    assert.ok((await assertFolds(world)) > 10)
  })
})

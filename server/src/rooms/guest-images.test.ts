/** Images of guests of editor links: added, seen, published and bounded. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type BegunGuest, beginGuest, drawAsGuest, makeLink, newBrowser } from '../../test/board-guests.ts'
import type { Reply } from '../../test/call.ts'
import { ownerOf, refusal } from '../../test/console/visitor.ts'
import { rectangle } from '../../test/drawer.ts'
import { onEveryEngine } from '../../test/engines.ts'
import { worldOf } from '../../test/world.ts'
import { limits } from '../api/limits.ts'
import { scene_limits } from '../resources/board_items/scene/limits.ts'
import { board_link_limits } from '../resources/board_links/limits.ts'
import { addBytes } from '../resources/files/shared/contents.ts'
import { boardSnapshotsWorker } from '../workers/board-snapshots.ts'
import { worker_limits } from '../workers/limits.ts'
import { boardGuestSweep } from '../workers/sweeps/board-guests.ts'
import { runWorker } from '../workers/worker.ts'

const bytes_max = 60_000_000

onEveryEngine('images of guests of links', (engine) => {
  const world = worldOf(engine, { environment: { ATRIUM_ORGANIZATION_FILE_BYTES_MAX: `${bytes_max}` } })

  const makeBoard = async (): Promise<string> => (await world.make('/v1/boards', { name: 'Plan' })).id
  const guestOf = async (board: string, role = 'editor') => {
    const link = await makeLink(world, board, { role })
    return { link, begun: await beginGuest(world, link.secret) }
  }
  const gif = (text: string, size = 0) => {
    const content = Buffer.alloc(Math.max(size, 64))
    content.write(`GIF89a, ${text}`)
    return `data:image/gif;base64,${content.toString('base64')}`
  }
  const store = async ({ token }: Pick<BegunGuest, 'token'>, file: string, data_url = gif(file)): Promise<Reply> =>
    (await newBrowser(world)).post('board-guests/images/store', { token, file, data_url })
  const read = async ({ token }: Pick<BegunGuest, 'token'>, file: string) =>
    (await (await newBrowser(world)).must('POST', 'board-guests/images', { token, file })).data_url
  const conflict = [409, 'resource_conflict']

  it('a guest adds an image, which members and other guests see, and which is published and exported with the board', async () => {
    const owner = await ownerOf(world)
    const board = await makeBoard()
    const { begun } = await guestOf(board)
    assert.deepEqual((await store(begun, 'pier')).body, { file: 'pier' })
    const kim = await drawAsGuest(world, begun)
    kim.draw(rectangle('a', { type: 'image', fileId: 'pier', status: 'saved' } as object))
    await kim.allSaved()
    kim.leave()
    assert.equal(await read((await guestOf(board, 'viewer')).begun, 'pier'), gif('pier'))
    assert.equal((await owner.get(`boards/${board}/images?file=pier`)).body.data_url, gif('pier'))
    world.clock.advance(scene_limits.publish_wait_ms)
    await runWorker(world.services, boardSnapshotsWorker, 'test')
    const [item] = (await world.get(`/v1/boards/${board}/items`)).body.data
    assert.deepEqual([item.type, item.data.asset.media_type, item.data.asset.size_bytes], ['image', 'image/gif', 64])
  })

  it('only guests of editor links add images, only to the board of the link, and until it ends', async () => {
    const [board, other] = [await makeBoard(), await makeBoard()]
    for (const role of ['viewer', 'commenter'])
      assert.deepEqual(refusal(await store((await guestOf(board, role)).begun, 'a')), [403, 'insufficient_scope'])
    const { link, begun } = await guestOf(board)
    assert.equal((await store(begun, 'a')).status, 200)
    assert.equal(await read((await guestOf(other)).begun, 'a'), null)
    await world.delete(`/v1/boards/${board}/links/${link.id}`)
    for (const token of [begun.token, link.secret, world.acme.key])
      assert.deepEqual(refusal(await store({ token }, 'b')), [404, 'link_invalid'])
    assert.equal(await read((await guestOf(board)).begun, 'b'), null)
  })

  it('a guest replaces no image that the board has', async () => {
    const board = await makeBoard()
    const { begun } = await guestOf(board)
    await store(begun, 'a', gif('first'))
    assert.equal((await store(begun, 'a', gif('second'))).status, 200)
    assert.equal(await read(begun, 'a'), gif('first'))
  })

  it('refuses by their first bytes what is no image, and an image over the size', async () => {
    const { begun } = await guestOf(await makeBoard())
    const html = `data:image/png;base64,${Buffer.from('<script>alert(1)</script>').toString('base64')}`
    const svg = `data:image/svg+xml;base64,${Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64')}`
    for (const data_url of [html, svg, 'data:image/gif;base64,!!', 'x', gif('large', limits.board_asset_bytes_max + 1)])
      assert.equal((await store(begun, 'a', data_url)).body.error.code, 'invalid_request_body', data_url.slice(0, 40))
    assert.equal(await read(begun, 'a'), null)
  })

  it('refuses images over the number and over the bytes of the guests of a board', async () => {
    const board = await makeBoard()
    const { begun } = await guestOf(board)
    const { board_guests_images_max: count, board_guests_image_bytes_max: bytes } = board_link_limits
    for (let i = 0; i < count; i++) assert.equal((await store(begun, `${i}`)).status, 200)
    assert.deepEqual(refusal(await store(begun, 'over')), conflict)
    const { begun: another } = await guestOf(await makeBoard())
    const each = limits.board_asset_bytes_max
    for (let i = 0; i < bytes / each; i++) assert.equal((await store(another, `${i}`, gif(`${i}`, each))).status, 200)
    assert.deepEqual(refusal(await store(another, 'over')), conflict)
  })

  it('that nothing shows are removed with the session of the guest, a day after its end; what was drawn stays', async () => {
    const board = await makeBoard()
    const { begun } = await guestOf(board)
    for (const file of ['shown', 'deleted', 'left "over"']) assert.equal((await store(begun, file)).status, 200)
    const kim = await drawAsGuest(world, begun)
    kim.draw(rectangle('a', { type: 'image', fileId: 'shown', status: 'saved' } as object))
    kim.draw(rectangle('b', { type: 'image', fileId: 'deleted', status: 'saved', isDeleted: true } as object))
    await kim.allSaved()
    kim.leave()
    const { begun: late } = await guestOf(board)
    const sweep = () => runWorker(world.services, boardGuestSweep, 'test')
    const files = async () => {
      const { begun: looker } = await guestOf(board)
      const found = []
      for (const file of ['shown', 'deleted', 'left "over"', 'late']) if (await read(looker, file)) found.push(file)
      return found
    }
    world.clock.advance(board_link_limits.board_guest_ms + worker_limits.board_guest_kept_ms)
    await sweep()
    assert.deepEqual(await files(), ['shown', 'deleted', 'left "over"'], 'the session ended less than a day ago')
    world.clock.advance(1)
    const { begun: later } = await guestOf(board)
    await store(later, 'late')
    await sweep()
    assert.deepEqual(await files(), ['shown', 'deleted', 'late'], 'a member can bring a deleted element back')
    assert.equal((await store(late, 'again')).status, 404)
    await sweep()
    assert.deepEqual(await files(), ['shown', 'deleted', 'late'])
  })

  it('counts with the files of the organization, and refuses an image for which they have no room', async () => {
    const owner = await ownerOf(world, world.globex)
    const total = async () => (await owner.must('GET', 'storage')).bytes
    const before = await total()
    const { id: board } = await world.make('/v1/boards', { name: 'Theirs' }, { key: world.globex.key })
    const link = await makeLink(world, board, {}, { key: world.globex.key })
    const begun = await beginGuest(world, link.secret)
    await store(begun, 'a', gif('a', 1000))
    await store(begun, 'a', gif('a', 1000))
    assert.equal((await total()) - before, 1000)
    const { id: organization, realms } = world.globex
    const scope = { organization, realms: [realms.live] }
    await world.services.store.write(scope, async (tx) => addBytes(tx, realms.live, bytes_max - before - 2000))
    assert.equal((await store(begun, 'b', gif('b', 1000))).status, 200)
    assert.deepEqual(refusal(await store(begun, 'c', gif('c', 1000))), conflict)
    assert.equal(await total(), bytes_max)
  })
})

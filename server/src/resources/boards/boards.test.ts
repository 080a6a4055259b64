import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { assertFolds } from '../../../test/fold.ts'
import { onEveryWorld } from '../../../test/world.ts'
import type { Refusal } from '../../api/declare/errors.ts'
import { newId } from '../../lib/ids.ts'
import { restoreBoard, setBoard } from './write.ts'

onEveryWorld('boards', (world) => {
  let serviceUser: string
  before(async () => {
    serviceUser = (await world.make('/v1/boards', { name: 'First' })).owner
  })

  const make = (name = 'A board') => world.make('/v1/boards', { name })
  const codeOf = (reply: { status: number; body: { error: { code: string; param?: string } } }) => [
    reply.status,
    reply.body.error.code,
    reply.body.error.param,
  ]

  it('creating a board writes it and its owner, the service user, in one commit', async () => {
    await world.markWritten()
    const board = await world.make('/v1/boards', { name: 'Roadmap', description: 'What comes next' })
    assert.deepEqual(board, {
      id: board.id,
      object: 'board',
      created: 1785844800,
      updated: 1785844800,
      name: 'Roadmap',
      description: 'What comes next',
      owner: serviceUser,
      status: 'active',
      archived_at: null,
      legacy_room_id: null,
      member_count: 1,
      item_count: 0,
      snapshot: { revision: null, published_at: null, status: 'none', pending_changes: false },
      project: null,
      revision: 1,
    })
    assert.match(board.id, /^brd_/)
    await world.assertWritten({
      events: ['whiteboard.board.created', 'whiteboard.board_member.created'],
      audit: ['boards.create'],
    })
    assert.deepEqual((await world.get(`/v1/boards/${board.id}`)).body, board)
    const { data } = (await world.get(`/v1/boards/${board.id}/members`)).body
    assert.deepEqual(
      data.map((member: { user: string; role: string }) => [member.user, member.role]),
      [[serviceUser, 'owner']],
    )
    assert.deepEqual((await world.get(`/v1/boards/${board.id}/items`)).body.data, [])
  })

  it("boards created with a user's key belong to that user", async () => {
    const { secret } = await world.key({ owner: { type: 'user', id: world.acme.user } })
    const board = await world.make('/v1/boards', { name: 'Mine' }, { key: secret })
    assert.equal(board.owner, world.acme.user)
    assert.equal(board.description, null)
  })

  it('a board is attached to a project, moved to another and detached, each with one event', async () => {
    const workspace = (await world.make('/v1/workspaces', { title: 'Harbour' })).id
    const pier = await world.make('/v1/projects', { workspace, name: 'Pier' })
    const crane = await world.make('/v1/projects', { workspace, name: 'Crane' })
    const board = await world.make('/v1/boards', { name: 'Sketch', project: pier.id })
    const path = `/v1/boards/${board.id}`
    assert.equal(board.project, pier.id)
    await world.markWritten()
    assert.equal((await world.patch(path, { project: crane.id })).body.project, crane.id)
    await world.assertWritten({ events: ['whiteboard.board.updated'], audit: ['boards.update'] })
    assert.equal((await world.patch(path, { name: 'Plan' })).body.project, crane.id)
    assert.equal((await world.patch(path, { project: null })).body.project, null)
    await assertFolds(world)
  })

  it('refuses a project that does not exist here, and one that is archived', async () => {
    const workspace = (await world.make('/v1/workspaces', { title: 'Yard' })).id
    const project = await world.make('/v1/projects', { workspace, name: 'Dock' })
    const attached = await world.make('/v1/boards', { name: 'Kept', project: project.id })
    const board = await make('Free')
    await world.post(`/v1/projects/${project.id}/archive`)
    for (const [sent, code] of [
      [project.id, 'resource_conflict'],
      [newId('prj', 0), 'invalid_request_body'],
      [workspace, 'invalid_request_body'],
      ['Dock', 'invalid_request_body'],
    ] as const) {
      const status = code === 'resource_conflict' ? 409 : 400
      const created = await world.post('/v1/boards', { name: 'New', project: sent })
      assert.deepEqual(codeOf(created), [status, code, 'project'])
      const updated = await world.patch(`/v1/boards/${board.id}`, { project: sent })
      assert.deepEqual(codeOf(updated), [status, code, 'project'])
    }
    const test = await world.make('/v1/boards', { name: 'Test' }, { key: world.acme.testKey })
    const foreign = await world.patch(`/v1/boards/${test.id}`, { project: project.id }, { key: world.acme.testKey })
    assert.deepEqual(codeOf(foreign), [400, 'invalid_request_body', 'project'])
    const same = await world.patch(`/v1/boards/${attached.id}`, { name: 'Still kept', project: project.id })
    assert.deepEqual([same.status, same.body.name], [200, 'Still kept'])
  })

  it('lists the boards of one project, page by page, and refuses an unknown project', async () => {
    const workspace = (await world.make('/v1/workspaces', { title: 'Quay' })).id
    const project = (await world.make('/v1/projects', { workspace, name: 'Wall' })).id
    const ids: string[] = []
    for (const name of ['One', 'Two', 'Three']) ids.unshift((await world.make('/v1/boards', { name, project })).id)
    await make('Elsewhere')
    await world.delete(`/v1/boards/${ids[1]}`)
    const listed = async (query: string) => (await world.get(`/v1/boards?project=${project}${query}`)).body
    const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id)
    assert.deepEqual(idsOf(await listed('')), [ids[0], ids[2]])
    const first = await listed('&include_archived=true&limit=2')
    assert.deepEqual(idsOf(first), [ids[0], ids[1]])
    assert.deepEqual(idsOf(await listed(`&include_archived=true&limit=2&cursor=${first.next_cursor}`)), [ids[2]])
    const elsewhere = await world.get(`/v1/boards?include_archived=true&limit=2&cursor=${first.next_cursor}`)
    assert.deepEqual(codeOf(elsewhere), [400, 'cursor_filter_mismatch', 'cursor'])
    const unknown = await world.get(`/v1/boards?project=${newId('prj', 0)}`)
    assert.deepEqual(codeOf(unknown), [400, 'invalid_query_parameter', 'project'])
  })

  it('an archived board keeps its project; restored after the project was deleted, it has none', async () => {
    const workspace = (await world.make('/v1/workspaces', { title: 'Slip' })).id
    const project = (await world.make('/v1/projects', { workspace, name: 'Rails' })).id
    const kept = (await world.make('/v1/projects', { workspace, name: 'Winch' })).id
    const board = await world.make('/v1/boards', { name: 'Sketch', project })
    const other = await world.make('/v1/boards', { name: 'Other', project: kept })
    for (const { id } of [board, other]) await world.delete(`/v1/boards/${id}`)
    await world.delete(`/v1/projects/${project}`)
    assert.equal((await world.get(`/v1/boards/${board.id}`)).body.project, project)
    assert.equal((await restoreBoard(world.services, board.id)).project, null)
    assert.equal((await restoreBoard(world.services, other.id)).project, kept)
    await assertFolds(world)
  })

  it('the list is paged newest first, with archived boards only on request', async () => {
    const made = [await make('One'), await make('Two'), await make('Three')]
    await world.delete(`/v1/boards/${made[1].id}`)
    const walk = async (query: string): Promise<string[]> => {
      const ids: string[] = []
      for (let cursor = ''; ids.length < 100; ) {
        const { body } = await world.get(`/v1/boards?limit=2${query}${cursor}`)
        ids.push(...body.data.map((board: { id: string }) => board.id))
        if (!body.has_more) {
          assert.equal(body.next_cursor, null)
          break
        }
        cursor = `&cursor=${body.next_cursor}`
      }
      return ids
    }
    const [one, two, three] = made.map((board) => board.id)
    const active = await walk('')
    assert.deepEqual(active.slice(0, 2), [three, one])
    assert.deepEqual(await walk('&include_archived=false'), active)
    assert.deepEqual((await walk('&include_archived=true')).slice(0, 3), [three, two, one])
    const { next_cursor } = (await world.get('/v1/boards?limit=1')).body
    assert.deepEqual(codeOf(await world.get(`/v1/boards?include_archived=true&cursor=${next_cursor}`)), [
      ...[400, 'cursor_filter_mismatch', 'cursor'],
    ])
    const other = await world.get(`/v1/boards?cursor=${next_cursor}`, { key: world.acme.testKey })
    assert.deepEqual(codeOf(other), [400, 'cursor_invalid', 'cursor'])
    assert.deepEqual(codeOf(await world.get('/v1/boards?include_archived=yes')), [
      ...[400, 'invalid_query_parameter', 'include_archived'],
    ])
  })

  it('an update changes the fields sent, an empty description to null; without a difference it writes nothing', async () => {
    const board = await world.make('/v1/boards', { name: 'Old', description: 'Old too' })
    await world.markWritten()
    const changed = await world.patch(`/v1/boards/${board.id}`, { name: 'New', description: '' })
    assert.deepEqual(changed.body, { ...board, name: 'New', description: null, revision: 2 })
    await world.assertWritten({ events: ['whiteboard.board.updated'], audit: ['boards.update'] })
    assert.deepEqual((await world.patch(`/v1/boards/${board.id}`, { name: 'New' })).body, changed.body)
    await world.assertWritten({ events: [], audit: [] })
    const stale = await world.patch(`/v1/boards/${board.id}`, { name: 'x' }, { headers: { 'if-match': '"1-x"' } })
    assert.deepEqual(codeOf(stale), [409, 'resource_conflict', 'If-Match'])
    const fresh = { headers: { 'if-match': (await world.get(`/v1/boards/${board.id}`)).headers.etag as string } }
    assert.equal((await world.patch(`/v1/boards/${board.id}`, { name: 'x' }, fresh)).status, 200)
  })

  it('DELETE archives: the board stays readable, refuses writes, and can be restored by the operator', async () => {
    const board = await make()
    const path = `/v1/boards/${board.id}`
    await world.markWritten()
    const deleted = await world.delete(path)
    assert.deepEqual(deleted.body, { id: board.id, object: 'board', deleted: true })
    await world.assertWritten({ events: ['whiteboard.board.deleted'], audit: ['boards.delete'] })
    const archived = (await world.get(path)).body
    assert.deepEqual(archived, { ...board, status: 'archived', archived_at: 1785844800, revision: 2 })
    for (const read of [`${path}/items`, `${path}/members`]) assert.equal((await world.get(read)).status, 200)
    const conflict = [409, 'resource_conflict', undefined]
    assert.deepEqual(codeOf(await world.patch(path, { name: 'x' })), conflict)
    assert.deepEqual(codeOf(await world.delete(path)), conflict)
    const share = await world.post(`${path}/members`, { user: world.acme.user, role: 'editor' })
    assert.deepEqual(codeOf(share), conflict)
    await world.assertWritten({ events: [], audit: [] })

    const restored = await restoreBoard(world.services, board.id)
    assert.deepEqual(restored, { ...board, revision: 3 })
    await world.assertWritten({ events: ['whiteboard.board.restored'], audit: ['boards.restore'] })
    assert.deepEqual((await world.get(path)).body, restored)
    assert.deepEqual(await restoreBoard(world.services, board.id), restored)
    await world.assertWritten({ events: [], audit: [] })
  })

  it('every path accepts a legacy room id, also of an archived board, unless several boards have it', async () => {
    const board = await make()
    await world.markWritten()
    const set = await setBoard(world.services, board.id, { legacy_room_id: 'room é#1' })
    assert.deepEqual(set, { ...board, legacy_room_id: 'room é#1', revision: 2 })
    await world.assertWritten({ events: ['whiteboard.board.updated'], audit: ['boards.update'] })
    const room = `/v1/boards/${encodeURIComponent('room é#1')}`
    assert.deepEqual((await world.get(room)).body, set)
    assert.equal((await world.patch(room, { name: 'By room' })).body.id, board.id)
    const { user } = await world.make(`${room}/members`, { user: world.acme.user, role: 'viewer' })
    assert.equal((await world.patch(`${room}/members/${user}`, { role: 'editor' })).body.board, board.id)
    assert.equal((await world.delete(`${room}/members/${user}`)).status, 200)
    assert.equal((await world.get(`${room}/items`)).status, 200)
    assert.equal((await world.delete(room)).body.id, board.id)
    assert.equal((await world.get(room)).body.status, 'archived')

    const twin = await make()
    await setBoard(world.services, twin.id, { legacy_room_id: 'room é#1' })
    const ambiguous = [409, 'resource_id_ambiguous', undefined]
    for (const path of [room, `${room}/items`, `${room}/items/itm_x`, `${room}/members`]) {
      assert.deepEqual(codeOf(await world.get(path)), ambiguous, path)
    }
    assert.deepEqual(codeOf(await world.patch(room, { name: 'x' })), ambiguous)
    assert.deepEqual(codeOf(await world.delete(room)), ambiguous)
    assert.equal((await world.get(`/v1/boards/${board.id}`)).status, 200)
    assert.equal((await world.get(room, { key: world.globex.key })).status, 404)
    await setBoard(world.services, twin.id, { legacy_room_id: '' })
    assert.equal((await world.get(room)).body.id, board.id)
  })

  it('a room id in the form of a board id or unfit for a path is refused', async () => {
    const { id } = await make()
    for (const legacy_room_id of [newId('brd', 1), 'a/b', 'a\nb', '\ud800', 'x'.repeat(161)]) {
      await assert.rejects(
        setBoard(world.services, id, { legacy_room_id }),
        (refusal: Refusal) => refusal.code === 'invalid_request_body' && refusal.options.param === 'legacy_room_id',
      )
    }
    await assert.rejects(setBoard(world.services, 'brd_none', { legacy_room_id: 'x' }), { code: 'resource_not_found' })
  })

  it('the audit log filters writes of a board by its id and by its legacy room id', async () => {
    const board = await make()
    await setBoard(world.services, board.id, { legacy_room_id: 'audited' })
    await world.patch('/v1/boards/audited', { name: 'Renamed' })
    await world.make('/v1/boards/audited/members', { user: world.acme.user, role: 'viewer' })
    for (const room of [board.id, 'audited']) {
      const { data } = (await world.get(`/v1/audit_logs?room=${room}`)).body
      assert.deepEqual(
        data.map((entry: { action: string; room: string }) => [entry.action, entry.room]),
        ['board_members.create', 'boards.update', 'boards.update', 'boards.create'].map((action) => [action, board.id]),
      )
    }
    assert.deepEqual((await world.get('/v1/audit_logs?room=nowhere')).body.data, [])
  })

  it('a board of another organization or realm and an unknown one answer 404', async () => {
    const { id } = await make()
    for (const [path, key] of [
      [`/v1/boards/${id}`, world.globex.key],
      [`/v1/boards/${id}`, world.acme.testKey],
      [`/v1/boards/${newId('brd', 1)}`, world.acme.key],
      ['/v1/boards/%00', world.acme.key],
      [`/v1/boards/${id}/items/%00`, world.acme.key],
    ] as const) {
      assert.deepEqual(codeOf(await world.get(path, { key })), [404, 'resource_not_found', undefined], path)
    }
  })

  it('folding the events of boards and memberships gives the objects that GET shows', async () => {
    assert.ok((await assertFolds(world)) > 10)
  })
})

import assert from 'node:assert/strict'
import { beforeEach, it } from 'node:test'
import { assertFolds } from '../../../test/fold.ts'
import { onEveryWorld } from '../../../test/world.ts'
import { addMember, setMember } from '../members/write.ts'

onEveryWorld('board members', (world) => {
  let board: { id: string; owner: string; revision: number; member_count: number }
  let path: string
  let count = 0
  beforeEach(async () => {
    board = await world.make('/v1/boards', { name: 'Shared' })
    path = `/v1/boards/${board.id}`
  })

  const person = (status: 'active' | 'inactive' | 'pending' = 'active') =>
    addMember(world.services, world.acme.id, { email: `p${++count}@acme.example`, status })
  const codeOf = (reply: { status: number; body: { error?: { code: string; param?: string } } }) => [
    reply.status,
    reply.body.error?.code,
    reply.body.error?.param,
  ]

  it('sharing adds a membership and raises the member count in one commit', async () => {
    const { user } = await person()
    await world.markWritten()
    const member = await world.make(`${path}/members`, { user, role: 'editor' })
    assert.deepEqual(member, {
      id: member.id,
      object: 'board_member',
      created: 1785844800,
      updated: 1785844800,
      board: board.id,
      user,
      role: 'editor',
    })
    assert.match(member.id, /^bmb_/)
    await world.assertWritten({
      events: ['whiteboard.board_member.created', 'whiteboard.board.updated'],
      audit: ['board_members.create'],
    })
    assert.deepEqual((await world.get(path)).body, { ...board, member_count: 2, revision: 2 })
  })

  it('sharing again changes the role of the membership and not the board', async () => {
    const { user } = await person()
    const member = await world.make(`${path}/members`, { user, role: 'viewer' })
    const before = (await world.get(path)).body
    await world.markWritten()
    assert.deepEqual(await world.make(`${path}/members`, { user, role: 'commenter' }), { ...member, role: 'commenter' })
    await world.assertWritten({ events: ['whiteboard.board_member.updated'], audit: ['board_members.create'] })
    await world.make(`${path}/members`, { user, role: 'commenter' })
    await world.assertWritten({ events: [], audit: [] })
    assert.deepEqual((await world.get(path)).body, before)
  })

  it('a role can be changed and a membership removed; sharing again creates a new one', async () => {
    const { user } = await person()
    const member = await world.make(`${path}/members`, { user, role: 'viewer' })
    await world.markWritten()
    const changed = await world.patch(`${path}/members/${user}`, { role: 'editor' })
    assert.deepEqual(changed.body, { ...member, role: 'editor' })
    await world.assertWritten({ events: ['whiteboard.board_member.updated'], audit: ['board_members.update'] })
    const deleted = await world.delete(`${path}/members/${user}`)
    assert.deepEqual(deleted.body, { id: member.id, object: 'board_member', deleted: true })
    await world.assertWritten({
      events: ['whiteboard.board_member.deleted', 'whiteboard.board.updated'],
      audit: ['board_members.delete'],
    })
    assert.equal((await world.get(path)).body.member_count, 1)
    const gone = [404, 'resource_not_found', undefined]
    assert.deepEqual(codeOf(await world.delete(`${path}/members/${user}`)), gone)
    assert.deepEqual(codeOf(await world.patch(`${path}/members/${user}`, { role: 'viewer' })), gone)
    const again = await world.make(`${path}/members`, { user, role: 'viewer' })
    assert.notEqual(again.id, member.id)
  })

  it('a membership is found by its user on its board only', async () => {
    const { user } = await person()
    const member = await world.make(`${path}/members`, { user, role: 'viewer' })
    const other = (await world.make('/v1/boards', { name: 'Another' })).id
    const gone = [404, 'resource_not_found', undefined]
    assert.deepEqual(codeOf(await world.patch(`/v1/boards/${other}/members/${user}`, { role: 'editor' })), gone)
    assert.deepEqual(codeOf(await world.patch(`${path}/members/${member.id}`, { role: 'editor' })), gone)
    assert.deepEqual(codeOf(await world.patch(`${path}/members/%00`, { role: 'editor' })), gone)
  })

  it("the owner's membership cannot be removed, and no request makes another owner", async () => {
    const { user } = await person()
    await world.markWritten()
    const conflict = [409, 'resource_conflict', undefined]
    assert.deepEqual(codeOf(await world.patch(`${path}/members/${board.owner}`, { role: 'viewer' })), conflict)
    assert.deepEqual(codeOf(await world.delete(`${path}/members/${board.owner}`)), conflict)
    assert.deepEqual(codeOf(await world.post(`${path}/members`, { user: board.owner, role: 'viewer' })), conflict)
    const wrong = [400, 'invalid_request_body', 'role']
    assert.deepEqual(codeOf(await world.post(`${path}/members`, { user, role: 'owner' })), wrong)
    assert.deepEqual(codeOf(await world.post(`${path}/members`, { user, role: 'admin' })), wrong)
    await world.assertWritten({ events: [], audit: [] })
  })

  it('a board can be shared only with an active member of the organization', async () => {
    const wrong = [400, 'invalid_request_body', 'user']
    const inactive = await person('inactive')
    const pending = await person('pending')
    for (const user of [inactive.user, pending.user, world.globex.user, 'usr_none']) {
      assert.deepEqual(codeOf(await world.post(`${path}/members`, { user, role: 'viewer' })), wrong, user)
    }
    const { id, user } = await person()
    await world.make(`${path}/members`, { user, role: 'viewer' })
    await setMember(world.services, id, { status: 'inactive' })
    assert.deepEqual(codeOf(await world.post(`${path}/members`, { user, role: 'editor' })), wrong)
  })

  it('the list is paged newest first; a removed membership is a valid cursor, one of another board is not', async () => {
    const members = []
    for (let i = 0; i < 3; i++) {
      members.unshift(await world.make(`${path}/members`, { user: (await person()).user, role: 'viewer' }))
    }
    const first = (await world.get(`${path}/members?limit=2`)).body
    assert.deepEqual(first.data, members.slice(0, 2))
    assert.deepEqual([first.has_more, first.next_cursor], [true, members[1].id])
    await world.delete(`${path}/members/${members[1].user}`)
    const rest = (await world.get(`${path}/members?limit=2&starting_after=${first.next_cursor}`)).body
    assert.deepEqual(
      rest.data.map((member: { user: string }) => member.user),
      [members[2].user, board.owner],
    )
    assert.deepEqual([rest.has_more, rest.next_cursor], [false, null])
    const other = (await world.make('/v1/boards', { name: 'Another' })).id
    const mismatch = await world.get(`/v1/boards/${other}/members?starting_after=${members[0].id}`)
    assert.deepEqual(codeOf(mismatch), [400, 'cursor_filter_mismatch', 'starting_after'])
    const unknown = await world.get(`${path}/members?starting_after=bmb_none`)
    assert.deepEqual(codeOf(unknown), [400, 'cursor_invalid', 'starting_after'])
    const backwards = await world.get(`${path}/members?ending_before=${members[0].id}`)
    assert.deepEqual(codeOf(backwards), [400, 'invalid_query_parameter', 'ending_before'])
  })

  it('folding the events gives the objects that GET shows', async () => {
    assert.ok((await assertFolds(world)) > 10)
  })
})

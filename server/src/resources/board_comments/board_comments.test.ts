import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { assertFolds } from '../../../test/fold.ts'
import { onEveryWorld } from '../../../test/world.ts'
import { addMember } from '../members/write.ts'
import type { BoardComment } from './board_comment.ts'
import { board_comment_limits } from './limits.ts'

onEveryWorld('comments on boards', (world) => {
  let board: string
  let path: string
  let count = 0
  before(async () => {
    board = (await world.make('/v1/boards', { name: 'Map' })).id
    path = `/v1/boards/${board}/comments`
  })

  const place = { x: 12.5, y: -40 }
  /** A person with a role on the board, or none. */
  const person = async (role: 'editor' | 'commenter' | 'viewer' | null) => {
    const { user } = await addMember(world.services, world.acme.id, { email: `b${++count}@acme.example` })
    if (role !== null) await world.make(`/v1/boards/${board}/members`, { user, role })
    return { user, key: (await world.key({ owner: { type: 'user', id: user } })).secret }
  }
  const begin = async (body = 'True?', key?: string): Promise<BoardComment> =>
    await world.make(path, { body, position: place }, { ...(key === undefined ? {} : { key }) })
  const codeOf = ({ status, body }: { status: number; body: { error?: { code: string; param?: string } } }) => [
    status,
    body.error?.code,
    body.error?.param,
  ]

  it('a thread has its place, its replies have none; each write has one event and one audit entry', async () => {
    await world.markWritten()
    const first = await begin()
    assert.deepEqual(
      [first.thread, first.position, first.element, first.author.type, first.resolved_at, first.edited_at],
      [first.id, place, null, 'service_user', null, null],
    )
    const reply = await world.make(path, { body: 'Yes.', thread: first.id })
    assert.deepEqual([reply.thread, reply.position], [first.id, null])
    const moved = (await world.patch(`${path}/${first.id}`, { position: { x: 1, y: 2 }, body: 'Still true?' })).body
    assert.deepEqual([moved.position, moved.body, moved.revision], [{ x: 1, y: 2 }, 'Still true?', 2])
    assert.notEqual(moved.edited_at, null)
    assert.deepEqual((await world.patch(`${path}/${first.id}`, { position: { x: 1, y: 2 } })).body, moved)
    const resolved = await world.make(`${path}/${first.id}/resolve`, undefined)
    assert.deepEqual([resolved.resolved_by, resolved.revision], [first.author.id, 3])
    assert.deepEqual(await world.make(`${path}/${first.id}/resolve`, undefined), resolved)
    const open = await world.make(`${path}/${first.id}/reopen`, undefined)
    assert.deepEqual([open.resolved_at, open.resolved_by], [null, null])
    const listed = (await world.get(`${path}?thread=${first.id}`)).body.data
    assert.deepEqual(listed, [reply, open])
    assert.deepEqual((await world.get(`${path}/${reply.id}`)).body, reply)
    await world.delete(`${path}/${first.id}`)
    for (const { id } of [first, reply]) assert.equal((await world.get(`${path}/${id}`)).status, 410)
    await world.assertWritten({
      events: [
        ...['whiteboard.board_comment.created', 'whiteboard.board_comment.created', 'whiteboard.board_comment.updated'],
        ...['whiteboard.board_comment.resolved', 'whiteboard.board_comment.reopened'],
        ...['whiteboard.board_comment.deleted', 'whiteboard.board_comment.deleted'],
      ],
      audit: [
        ...['board_comments.create', 'board_comments.create', 'board_comments.update'],
        ...['board_comments.resolve', 'board_comments.reopen', 'board_comments.delete'],
      ],
    })
    await assertFolds(world)
  })

  it('a comment on an element names one that the board shows', async () => {
    await world.make(`/v1/boards/${board}/items`, {
      items: [{ source: { element_id: 'plan' }, type: 'shape', text: 'Plan', position: { x: 0, y: 0 } }],
    })
    const pinned = await world.make(path, { body: 'Wider?', position: { x: 4, y: 8 }, element: 'plan' })
    assert.equal(pinned.element, 'plan')
    const refused = await world.post(path, { body: 'Wider?', position: place, element: 'plane' })
    assert.deepEqual(codeOf(refused), [400, 'invalid_request_body', 'element'])
    const freed = (await world.patch(`${path}/${pinned.id}`, { element: null, position: place })).body
    assert.deepEqual([freed.element, freed.position], [null, place])
  })

  it('commenters write and resolve, viewers and people without a role do not; the author is who sends it', async () => {
    const [ben, cleo] = [await person('commenter'), await person('commenter')]
    const thread = await begin('Mine', ben.key)
    assert.deepEqual(thread.author, { type: 'user', id: ben.user })
    for (const role of ['viewer', null] as const) {
      const { key } = await person(role)
      const writes = [
        await world.post(path, { body: 'No', position: place }, { key }),
        await world.post(path, { body: 'No', thread: thread.id }, { key }),
        await world.patch(`${path}/${thread.id}`, { body: 'No' }, { key }),
        await world.post(`${path}/${thread.id}/resolve`, undefined, { key }),
        await world.delete(`${path}/${thread.id}`, { key }),
      ]
      assert.deepEqual(
        writes.map(({ status }) => status),
        [403, 403, 403, 403, 403],
      )
      assert.equal((await world.get(`${path}/${thread.id}`, { key })).status, 200)
    }
    const forged = await world.post(path, { body: 'Hi', position: place, author: cleo.user }, { key: ben.key })
    assert.deepEqual(codeOf(forged), [400, 'invalid_request_body', 'author'])
    assert.equal((await world.post(`${path}/${thread.id}/resolve`, undefined, { key: cleo.key })).status, 200)
    assert.equal((await world.get(`${path}/${thread.id}`)).body.resolved_by, cleo.user)
  })

  it('only its author changes a text; editors move and delete what others wrote, commenters do not', async () => {
    const [author, other, editor] = [await person('commenter'), await person('commenter'), await person('editor')]
    const thread = await begin('Mine', author.key)
    const change = (fields: object, key: string) => world.patch(`${path}/${thread.id}`, fields, { key })
    assert.equal((await change({ body: 'Ours' }, editor.key)).status, 403)
    assert.equal((await change({ position: { x: 0, y: 0 } }, other.key)).status, 403)
    assert.equal((await change({ position: { x: 0, y: 0 } }, editor.key)).status, 200)
    assert.equal((await change({ body: 'Still mine', position: place }, author.key)).status, 200)
    assert.equal((await world.delete(`${path}/${thread.id}`, { key: other.key })).status, 403)
    assert.equal((await world.delete(`${path}/${thread.id}`, { key: editor.key })).status, 200)
  })

  it('a reply has no place of its own and is not resolved; a thread of another board or organization is unknown', async () => {
    const first = await begin()
    const reply = await world.make(path, { body: 'Yes.', thread: first.id })
    const moved = await world.patch(`${path}/${reply.id}`, { position: place })
    assert.deepEqual(codeOf(moved), [400, 'invalid_request_body', 'position'])
    assert.deepEqual(codeOf(await world.post(`${path}/${reply.id}/resolve`, undefined)).slice(0, 2), [
      409,
      'resource_conflict',
    ])
    assert.deepEqual(codeOf(await world.post(path, { body: 'Hm', thread: reply.id })), [
      400,
      'invalid_request_body',
      'thread',
    ])
    const elsewhere = (await world.make('/v1/boards', { name: 'Other' })).id
    const crossed = await world.post(`/v1/boards/${elsewhere}/comments`, { body: 'Hm', thread: first.id })
    assert.deepEqual(codeOf(crossed), [400, 'invalid_request_body', 'thread'])
    assert.equal((await world.get(`/v1/boards/${elsewhere}/comments/${first.id}`)).status, 404)
    assert.equal((await world.get(`${path}/${first.id}`, { key: world.globex.key })).status, 404)
  })

  it('refuses comments over the limit of a thread', async () => {
    const { id: thread } = await begin()
    const replies = board_comment_limits.board_thread_comments_max - 1
    for (let i = 0; i < replies; i++) await world.make(path, { body: `${i}`, thread })
    const refused = await world.post(path, { body: 'One more', thread })
    assert.deepEqual([refused.status, refused.body.error.message], [409, 'A thread has at most 100 comments.'])
  })

  it('an archived board takes no comments', async () => {
    const { id } = await world.make('/v1/boards', { name: 'Old' })
    const comments = `/v1/boards/${id}/comments`
    const thread = await world.make(comments, { body: 'Before', position: place })
    await world.delete(`/v1/boards/${id}`)
    for (const reply of [
      await world.post(comments, { body: 'After', position: place }),
      await world.post(`${comments}/${thread.id}/resolve`, undefined),
      await world.delete(`${comments}/${thread.id}`),
    ])
      assert.deepEqual(codeOf(reply).slice(0, 2), [409, 'resource_conflict'])
    assert.equal((await world.get(`${comments}/${thread.id}`)).status, 200)
  })
})

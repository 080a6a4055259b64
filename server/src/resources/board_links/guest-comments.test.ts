/** Comments of guests of links: who may write and read them, what each side sees, and their bounds. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type BegunGuest, beginGuest, makeLink, newBrowser } from '../../../test/board-guests.ts'
import type { Reply } from '../../../test/call.ts'
import { refusal } from '../../../test/console/visitor.ts'
import { fillInboxes } from '../../../test/inbox.ts'
import { onEveryWorld } from '../../../test/world.ts'
import { addMember } from '../members/write.ts'
import { board_link_limits } from './limits.ts'

onEveryWorld('comments of guests of links', (world) => {
  const makeBoard = async (name = 'Plan'): Promise<string> => (await world.make('/v1/boards', { name })).id
  let people = 0
  /** A member who edits a board, with a key of her own. */
  const makeEditor = async (board: string) => {
    const added = await addMember(world.services, world.acme.id, { email: `writer${++people}@acme.example` })
    const { secret: key } = await world.key({ owner: { type: 'user', id: added.user } })
    await world.make(`/v1/boards/${board}/members`, { user: added.user, role: 'editor' })
    return { user: added.user, key }
  }
  const guestOf = async (board: string, role: string, name = 'Kim', key = world.acme.key) => {
    const link = await makeLink(world, board, { role }, { key })
    return { link, begun: await beginGuest(world, link.secret, name) }
  }
  let keys = 0
  const write = async ({ token }: BegunGuest, sent: object): Promise<Reply> =>
    (await newBrowser(world)).post('board-guests/comments', { token, key: `comment-${keys++}`, ...sent })
  const pin = (begun: BegunGuest, body = 'Is this true?') => write(begun, { body, position: { x: 10, y: 20 } })
  const read = async ({ token }: BegunGuest, sent: object = {}): Promise<Reply> =>
    (await newBrowser(world)).post('board-guests/comments/read', { token, ...sent })
  const update = async ({ token }: BegunGuest, id: string, body: string): Promise<Reply> =>
    (await newBrowser(world)).post('board-guests/comments/update', { token, id, body })
  const remove = async ({ token }: BegunGuest, id: string): Promise<Reply> =>
    (await newBrowser(world)).post('board-guests/comments/delete', { token, id })
  const commentsOf = async (board: string) => (await world.get(`/v1/boards/${board}/comments`)).body.data
  const now = () => Math.floor(world.clock.now() / 1000)

  it('a guest of a commenter link pins a comment, which members see as that of the guest, in API, event and audit', async () => {
    const board = await makeBoard()
    const { link, begun } = await guestOf(board, 'commenter', 'Kim Lee')
    await world.markWritten()
    const { body: made } = await pin(begun)
    await world.assertWritten({ events: ['whiteboard.board_comment.created'], audit: ['board_comments.create'] })
    assert.deepEqual(made, {
      ...{ id: made.id, thread: made.id, position: { x: 10, y: 20 }, element: null },
      ...{ body: [{ text: 'Is this true?' }], guest: 'Kim Lee', created: now(), is_edited: false, is_resolved: false },
      own: 'Is this true?',
    })
    const [comment] = await commentsOf(board)
    assert.deepEqual(
      [comment.id, comment.author, comment.guest, comment.body],
      [made.id, { type: 'board_guest', id: begun.guest.id }, 'Kim Lee', 'Is this true?'],
    )
    const [entry] = (await world.get(`/v1/audit_logs?action=board_comments.create&room=${board}`)).body.data
    assert.deepEqual(
      [entry.actor, entry.target.id, entry.credential],
      [{ type: 'board_link', id: link.id }, made.id, null],
    )
    const [event] = (await world.get(`/v1/events?types[]=whiteboard.board_comment.created&limit=1`)).body.data
    assert.deepEqual([event.actor, event.data.object], [{ type: 'board_link', id: link.id }, comment])
  })

  it('a comment that is sent again with its key is written once, also at the same time and after it was deleted', async () => {
    const board = await makeBoard()
    const { begun } = await guestOf(board, 'commenter')
    const { begun: another } = await guestOf(board, 'commenter')
    const sent = { key: 'the-same-key', body: 'Once', position: { x: 0, y: 0 } }
    await world.markWritten()
    const [first, second] = await Promise.all([write(begun, sent), write(begun, sent)])
    assert.deepEqual(second.body, first.body)
    await world.assertWritten({ events: ['whiteboard.board_comment.created'], audit: ['board_comments.create'] })
    await world.delete(`/v1/boards/${board}/comments/${first.body.id}`)
    assert.equal((await write(begun, { ...sent, body: 'Twice' })).body.id, first.body.id)
    assert.deepEqual(await commentsOf(board), [])
    assert.notEqual((await write(another, sent)).body.id, first.body.id)
    assert.equal((await commentsOf(board)).length, 1)
  })

  it('a guest reads all comments of the board without people, ids and titles, and replies in a thread of a member', async () => {
    const [board, other] = [await makeBoard(), await makeBoard()]
    const ada = await makeEditor(board)
    const { id: workspace } = await world.make('/v1/workspaces', { title: 'Yard' })
    const task = await world.make('/v1/tasks', { workspace, title: 'Paint' })
    const body = `[@Ada](atrium:${ada.user}), see [Secret pier](atrium:${task.id})`
    const { id: thread } = await world.make(
      `/v1/boards/${board}/comments`,
      { body, position: { x: 0, y: 0 } },
      { key: ada.key },
    )
    const elsewhere = await world.make(`/v1/boards/${other}/comments`, { body: 'Other', position: { x: 0, y: 0 } })
    const { begun } = await guestOf(board, 'commenter')
    const replied = await write(begun, { body: 'Yes.', thread })
    assert.equal(replied.status, 200, replied.text)
    const answer = await read(begun)
    assert.deepEqual(
      answer.body.data.map((each: { guest: string; thread: string; body: unknown }) => [
        each.guest,
        each.thread,
        each.body,
      ]),
      [
        ['Kim', thread, [{ text: 'Yes.' }]],
        [null, thread, [{ hidden: 'person' }, { text: ', see ' }, { hidden: 'task' }]],
      ],
    )
    assert.doesNotMatch(answer.text, /usr_|tsk_|bgu_|Ada|Secret|Other/)
    for (const wrong of [elsewhere.id, replied.body.id, 'bcm_nothing'])
      assert.deepEqual(refusal(await write(begun, { body: 'x', thread: wrong })), [
        400,
        'invalid_request_body',
        'thread',
      ])
    assert.deepEqual(refusal(await write(begun, { body: 'x', position: { x: 0, y: 0 }, element: 'none' })), [
      400,
      'invalid_request_body',
      'element',
    ])
  })

  it('reading again with the state of an answer is empty until a comment is written, changed, resolved or deleted', async () => {
    const board = await makeBoard()
    const { begun } = await guestOf(board, 'editor')
    const { id } = (await pin(begun)).body
    let { state } = (await read(begun)).body
    const comments = `/v1/boards/${board}/comments`
    const reply = await world.make(comments, { body: 'No.', thread: id })
    const changes = [
      () => world.patch(`${comments}/${reply.id}`, { body: 'Yes.' }),
      () => world.make(`${comments}/${id}/resolve`, {}),
      () => world.make(`${comments}/${id}/reopen`, {}),
      () => world.delete(`${comments}/${reply.id}`),
      () => pin(begun, 'More'),
    ]
    const first = (await read(begun, { state })).body
    assert.deepEqual([first.data.length, first.before], [2, null])
    state = first.state
    for (const change of changes) {
      assert.deepEqual((await read(begun, { state })).body, { state, data: null, before: null })
      await change()
      const next = (await read(begun, { state })).body
      assert.notEqual(next.data, null)
      state = next.state
    }
  })

  it('a guest changes the text of an own comment, once for equal texts, by event and audit entry of the link', async () => {
    const board = await makeBoard()
    const { link, begun } = await guestOf(board, 'commenter')
    const { id } = (await pin(begun, 'Is thsi true?')).body
    await world.markWritten()
    const changed = await update(begun, id, 'Is [this](https://example.com) true?')
    await world.assertWritten({ events: ['whiteboard.board_comment.updated'], audit: ['board_comments.update'] })
    assert.deepEqual([changed.body.own, changed.body.is_edited], ['Is [this](https://example.com) true?', true])
    const [entry] = (await world.get(`/v1/audit_logs?action=board_comments.update&room=${board}`)).body.data
    assert.deepEqual(entry.actor, { type: 'board_link', id: link.id })
    assert.deepEqual((await update(begun, id, changed.body.own)).body, changed.body)
    await world.assertWritten({ events: [], audit: [] })
    const [stored] = await commentsOf(board)
    assert.deepEqual([stored.body, stored.revision, stored.edited_at], [changed.body.own, 2, now()])
  })

  it('a guest deletes an own reply and an own thread, once, but no thread in which others have replied', async () => {
    const board = await makeBoard()
    const { begun } = await guestOf(board, 'commenter')
    const thread: string = (await pin(begun)).body.id
    const reply: string = (await write(begun, { body: 'Hello?', thread })).body.id
    const another = await world.make(`/v1/boards/${board}/comments`, { body: 'Yes.', thread })
    assert.deepEqual(refusal(await remove(begun, thread)), [409, 'resource_conflict'])
    assert.deepEqual((await remove(begun, reply)).body, { id: reply, deleted: true })
    await world.delete(`/v1/boards/${board}/comments/${another.id}`)
    await write(begun, { body: 'Hello again?', thread })
    await world.markWritten()
    assert.equal((await remove(begun, thread)).status, 200)
    const deleted = 'whiteboard.board_comment.deleted'
    await world.assertWritten({ events: [deleted, deleted], audit: ['board_comments.delete'] })
    assert.deepEqual((await remove(begun, thread)).body, { id: thread, deleted: true })
    await world.assertWritten({ events: [], audit: [] })
    assert.deepEqual(await commentsOf(board), [])
    assert.deepEqual(refusal(await update(begun, thread, 'Again')), [404, 'resource_not_found'])
  })

  it('a guest changes and deletes no comment of a member or of another guest, and none on other boards', async () => {
    const [board, other] = [await makeBoard(), await makeBoard()]
    const { begun } = await guestOf(board, 'editor')
    const { begun: another } = await guestOf(board, 'editor')
    const position = { x: 0, y: 0 }
    const { id: theirs } = await world.make(`/v1/boards/${board}/comments`, { body: 'Ours', position })
    const { id: elsewhere } = await world.make(`/v1/boards/${other}/comments`, { body: 'Other', position })
    const ofAnother: string = (await pin(another)).body.id
    for (const id of [theirs, ofAnother])
      for (const reply of [await update(begun, id, 'Mine'), await remove(begun, id)])
        assert.deepEqual(refusal(reply), [403, 'insufficient_scope'])
    for (const id of [elsewhere, 'bcm_nothing'])
      for (const reply of [await update(begun, id, 'Mine'), await remove(begun, id)])
        assert.deepEqual(refusal(reply), [404, 'resource_not_found'])
    assert.deepEqual(
      (await read(begun)).body.data.map(({ own }: { own: string | null }) => own),
      [null, null],
    )
    assert.equal((await commentsOf(board)).length, 2)
  })

  it('a link for looking, a revoked link and a session that is over change and delete nothing', async () => {
    const board = await makeBoard()
    const { link, begun } = await guestOf(board, 'commenter')
    const { begun: late } = await guestOf(board, 'commenter')
    const { begun: viewer } = await guestOf(board, 'viewer')
    const { id } = (await pin(begun)).body
    const { id: ofLate } = (await pin(late)).body
    for (const reply of [await update(viewer, id, 'x'), await remove(viewer, id)])
      assert.deepEqual(refusal(reply), [403, 'insufficient_scope'])
    await world.delete(`/v1/boards/${board}/links/${link.id}`)
    for (const reply of [await update(begun, id, 'x'), await remove(begun, id)])
      assert.deepEqual(refusal(reply), [404, 'link_invalid'])
    world.clock.advance(board_link_limits.board_guest_ms)
    for (const reply of [await update(late, ofLate, 'x'), await remove(late, ofLate)])
      assert.deepEqual(refusal(reply), [404, 'link_invalid'])
    assert.equal((await commentsOf(board)).length, 2)
  })

  it('refuses an empty text, and changes of one comment over their number', async () => {
    const { begun } = await guestOf(await makeBoard(), 'commenter')
    const { id } = (await pin(begun)).body
    assert.deepEqual(refusal(await update(begun, id, ' ')), [400, 'invalid_request_body', 'body'])
    for (let n = 1; n < board_link_limits.board_guest_comment_revisions_max; n++)
      assert.equal((await update(begun, id, `${n}`)).status, 200)
    assert.deepEqual(refusal(await update(begun, id, 'over')), [409, 'resource_conflict'])
  })

  it('pages of 100 show each comment once, newest first', async () => {
    const board = await makeBoard()
    const { begun } = await guestOf(board, 'commenter')
    const ids: string[] = []
    for (let i = 0; i < 101; i++)
      ids.unshift((await world.make(`/v1/boards/${board}/comments`, { body: `${i}`, position: { x: i, y: 0 } })).id)
    const first = (await read(begun)).body
    const second = (await read(begun, { before: first.before })).body
    const found = [...first.data, ...second.data].map(({ id }: { id: string }) => id)
    assert.deepEqual([found, first.data.length, second.before], [ids, 100, null])
  })

  it('a guest of a viewer link neither reads nor writes comments', async () => {
    const board = await makeBoard()
    const { begun } = await guestOf(board, 'viewer')
    for (const reply of [await pin(begun), await read(begun)])
      assert.deepEqual(refusal(reply), [403, 'insufficient_scope'])
    assert.deepEqual(await commentsOf(board), [])
  })

  it('a revoked link refuses the next comment and the next reading; its comments stay with their name', async () => {
    const board = await makeBoard()
    const { link, begun } = await guestOf(board, 'commenter', 'Kim')
    await pin(begun)
    await world.delete(`/v1/boards/${board}/links/${link.id}`)
    for (const reply of [await pin(begun), await read(begun)]) assert.deepEqual(refusal(reply), [404, 'link_invalid'])
    assert.deepEqual(
      (await commentsOf(board)).map(({ guest }: { guest: string }) => guest),
      ['Kim'],
    )
  })

  it('refuses an empty comment, one over the size for guests, and unknown fields, by their names', async () => {
    const board = await makeBoard()
    const { begun } = await guestOf(board, 'commenter')
    const max = board_link_limits.board_guest_comment_chars_max
    assert.equal((await pin(begun, 'x'.repeat(max))).status, 200)
    for (const [sent, param] of [
      [{ body: ' \n', position: { x: 0, y: 0 } }, 'body'],
      [{ body: 'x'.repeat(max + 1), position: { x: 0, y: 0 } }, 'body'],
      [{ body: 'x' }, 'position'],
      [{ body: 'x', position: { x: 1e12, y: 0 } }, 'position.x'],
      [{ body: 'x', position: { x: 0, y: 0 }, guest: 'Ada' }, 'guest'],
      [{ body: 'x', position: { x: 0, y: 0 }, author: { type: 'user', id: world.acme.user } }, 'author'],
    ] as const)
      assert.deepEqual(refusal(await write(begun, sent)), [400, 'invalid_request_body', param])
    assert.equal((await commentsOf(board)).length, 1)
  })

  it('refuses a guest, and all guests of a board, over their comments within 15 minutes, while members still write', async () => {
    const board = await makeBoard()
    const link = await makeLink(world, board, { role: 'commenter' })
    const { board_guest_comments_max: each, board_guests_comments_max: all } = board_link_limits
    const guests: BegunGuest[] = []
    for (let i = 0; i <= all / each; i++) guests.push(await beginGuest(world, link.secret, `Guest ${i}`))
    const [first, ...others] = guests as [BegunGuest, ...BegunGuest[]]
    for (let i = 0; i < each; i++) assert.equal((await pin(first)).status, 200)
    const reply = await pin(first)
    assert.deepEqual([...refusal(reply), reply.headers['retry-after']], [429, 'too_many_attempts', '900'])
    for (const other of others.slice(0, -1)) for (let i = 0; i < each; i++) assert.equal((await pin(other)).status, 200)
    assert.deepEqual(refusal(await pin(others.at(-1) as BegunGuest)), [429, 'too_many_attempts'])
    await world.make(`/v1/boards/${board}/comments`, { body: 'Enough.', position: { x: 0, y: 0 } })
    world.clock.advance(board_link_limits.board_guest_comments_ms)
    assert.equal((await pin(first)).status, 200)
  })

  it('the inbox tells the maker of the link and the people of the thread, by the name of the guest', async () => {
    const board = await makeBoard()
    const [ada, ben] = [await makeEditor(board), await makeEditor(board)]
    const { link, begun } = await guestOf(board, 'commenter', 'Kim Lee', ada.key)
    const inbox = async ({ key }: { key: string }) => {
      await fillInboxes(world.services)
      return (await world.get('/v1/notifications?kinds=board_comment', { key })).body.data
    }
    const { id: thread } = (await pin(begun)).body
    const [told, ...more] = await inbox(ada)
    assert.deepEqual(
      [told.actor, told.details, told.comment, told.excerpt, told.subject.id, more],
      [{ type: 'board_link', id: link.id }, { thread, guest: 'Kim Lee' }, thread, 'Is this true?', board, []],
    )
    assert.deepEqual(await inbox(ben), [])
    await world.make(`/v1/boards/${board}/comments`, { body: 'No.', thread }, { key: ben.key })
    await write(begun, { body: 'Why?', thread })
    const [ofBen] = await inbox(ben)
    assert.deepEqual([ofBen.details, ofBen.excerpt], [{ thread, guest: 'Kim Lee' }, 'Why?'])
    assert.equal((await inbox(ada)).length, 2)
    const mentioned = `[@Ben](atrium:${ben.user}) here`
    await pin(begun, mentioned)
    await fillInboxes(world.services)
    const [entry] = (await world.get('/v1/notifications?kinds=mentioned', { key: ben.key })).body.data
    assert.deepEqual([entry.details.guest, entry.excerpt], ['Kim Lee', '@Ben here'])
  })

  it('members edit no text of a guest, but resolve threads and delete comments of guests', async () => {
    const board = await makeBoard()
    const ada = await makeEditor(board)
    const { begun } = await guestOf(board, 'commenter')
    const { id } = (await pin(begun)).body
    const path = `/v1/boards/${board}/comments/${id}`
    assert.deepEqual(refusal(await world.patch(path, { body: 'Never.' }, { key: ada.key })), [
      403,
      'insufficient_scope',
    ])
    assert.equal((await world.make(`${path}/resolve`, {}, { key: ada.key })).resolved_by, ada.user)
    assert.equal((await read(begun)).body.data[0].is_resolved, true)
    assert.equal((await world.delete(path, { key: ada.key })).status, 200)
    assert.deepEqual((await read(begun)).body.data, [])
  })
})

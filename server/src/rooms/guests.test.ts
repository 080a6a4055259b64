/** Guests of links at a live board: what they see and draw, when they are disconnected, and what they cannot do. */
import assert from 'node:assert/strict'
import EventEmitter, { once } from 'node:events'
import { afterEach, it } from 'node:test'
import { type BegunGuest, beginGuest, drawAsGuest, makeLink, newBrowser } from '../../test/board-guests.ts'
import { startSecond } from '../../test/conformance/second-server.ts'
import { ownerOf, refusal } from '../../test/console/visitor.ts'
import { Drawer, rectangle } from '../../test/drawer.ts'
import { onEveryWorld } from '../../test/world.ts'
import { scene_limits } from '../resources/board_items/scene/limits.ts'
import { board_link_limits } from '../resources/board_links/limits.ts'
import { addMember } from '../resources/members/write.ts'
import { boardSnapshotsWorker } from '../workers/board-snapshots.ts'
import { runWorker } from '../workers/worker.ts'
import { room_limits } from './limits.ts'

onEveryWorld('guests of links at live boards', (world) => {
  const drawers: Drawer[] = []
  afterEach(() => {
    for (const drawer of drawers.splice(0)) drawer.leave()
  })

  const makeBoard = async (): Promise<string> => (await world.make('/v1/boards', { name: 'Plan' })).id
  const kept = (drawer: Drawer): Drawer => {
    drawers.push(drawer)
    return drawer
  }
  const member = async (board: string, key = world.acme.key): Promise<Drawer> =>
    kept(await new Drawer({ server: world.server.url, board, key }).joined())
  const come = async (begun: BegunGuest): Promise<Drawer> => kept(await drawAsGuest(world, begun))
  /** A raw connection with these messages after the welcome, and what the server sends until it or the client ends it. */
  const rawly = (board: string, token: unknown, messages: readonly unknown[], headers: Record<string, string> = {}) =>
    new Promise<{ code: number; received: Record<string, unknown>[] }>((resolve) => {
      const url = `${world.server.url.replace('http', 'ws')}/app/api/boards/${board}/live`
      // Node's client takes headers, which the type of a browser's does not know.
      const socket = new WebSocket(url, { headers })
      const received: Record<string, unknown>[] = []
      let next = 0
      socket.onopen = () => socket.send(JSON.stringify({ type: 'hello', token }))
      socket.onmessage = ({ data }) => {
        received.push(JSON.parse(String(data)))
        if (next === messages.length) return socket.close()
        const sent = messages[next++]
        socket.send(typeof sent === 'string' ? sent : JSON.stringify(sent))
      }
      socket.onclose = ({ code }) => resolve({ code, received })
    })
  /** Resolves with the code with which the server ends a connection. */
  const ended = (board: string, token: string) =>
    new Promise<number>((resolve) => {
      const socket = new WebSocket(`${world.server.url.replace('http', 'ws')}/app/api/boards/${board}/live`)
      socket.onopen = () => socket.send(JSON.stringify({ type: 'hello', token }))
      socket.onclose = ({ code }) => resolve(code)
    })

  it('a guest of an editor link and a member draw together, and the guest shows by the name given', async () => {
    const board = await makeBoard()
    const begun = await beginGuest(world, (await makeLink(world, board)).secret, 'Kim')
    const [ada, kim] = [await member(board), await come(begun)]
    assert.equal(kim.access, 'editor')
    kim.draw(rectangle('a'))
    await ada.until(() => ada.elements.has('a') && ada.people.length === 2)
    ada.change('a', { x: 40 })
    await kim.until(() => kim.elements.get('a')?.x === 40)
    const shown = ada.people.find((person) => person.user === begun.guest.id)
    assert.deepEqual([shown?.guest, shown?.access], ['Kim', 'editor'])
    kim.point({ x: 12, y: 34 })
    await ada.until(() => ada.pointers.length === 1)
    assert.equal(ada.pointers[0]?.connection, shown?.connection)
  })

  it('a guest gets no id of a person: neither in the list of people nor with changes', async () => {
    const board = await makeBoard()
    const added = await addMember(world.services, world.acme.id, { email: 'ada@acme.example' })
    const { secret: key } = await world.key({ owner: { type: 'user', id: added.user } })
    await world.make(`/v1/boards/${board}/members`, { user: added.user, role: 'editor' })
    const { token } = await beginGuest(world, (await makeLink(world, board, { role: 'viewer' })).secret)
    const received: string[] = []
    const socket = new WebSocket(`${world.server.url.replace('http', 'ws')}/app/api/boards/${board}/live`)
    const got = new EventEmitter()
    const [welcomed, changed] = [once(got, 'welcome'), once(got, 'change')]
    socket.onmessage = ({ data }) => {
      received.push(String(data))
      got.emit(JSON.parse(String(data)).type)
    }
    socket.onopen = () => socket.send(JSON.stringify({ type: 'hello', token }))
    await welcomed
    const ada = await member(board, key)
    ada.draw(rectangle('a'))
    await changed
    socket.close()
    assert.ok(received.some((text) => text.includes('"type":"people"')))
    for (const text of received) assert.doesNotMatch(text, /usr_|mbr_|key_/)
  })

  it('a guest of a viewer link sees what is drawn and changes nothing, by no message', async () => {
    const board = await makeBoard()
    const ada = await member(board)
    ada.draw(rectangle('a'))
    await ada.allSaved()
    const { token } = await beginGuest(world, (await makeLink(world, board, { role: 'viewer' })).secret)
    const element = rectangle('a', { version: 9, x: 66 })
    const { received } = await rawly(board, token, [
      { type: 'change', id: 1, elements: [element] },
      { type: 'change', id: 2, elements: [element], access: 'editor', role: 'editor', __proto__: { access: 'editor' } },
      '{"type":"change","id":3,"__proto__":{"role":"editor"},"elements":[]}',
      { type: 'hello', token: world.acme.key },
      { type: 'access', access: 'editor' },
      { type: 'restore', sequence: 1 },
    ])
    assert.deepEqual(
      received.map(({ type, access, error }) => [type, access ?? (error as { code?: string }).code]),
      [
        ['welcome', 'viewer'],
        ['refused', 'insufficient_scope'],
        ['refused', 'insufficient_scope'],
        ...Array.from({ length: 4 }, () => ['refused', 'invalid_request_body']),
      ],
    )
    const ben = await member(board)
    assert.equal(ben.elements.get('a')?.x, 0)
    ada.change('a', { x: 5 })
    await ben.until(() => ben.elements.get('a')?.x === 5)
  })

  it('a guest of a commenter link is shown as commenter and changes nothing, by no message', async () => {
    const board = await makeBoard()
    const begun = await beginGuest(world, (await makeLink(world, board, { role: 'commenter' })).secret)
    const ada = await member(board)
    const change = { type: 'change', id: 1, elements: [rectangle('a')] }
    const { received } = await rawly(board, begun.token, [
      change,
      { ...change, id: 2, access: 'editor' },
      { type: 'comment', body: 'Here' },
      { type: 'access', access: 'editor' },
    ])
    assert.deepEqual(
      received.map(({ type, access, error }) => [type, access ?? (error as { code?: string }).code]),
      [
        ['welcome', 'commenter'],
        ['refused', 'insufficient_scope'],
        ['refused', 'insufficient_scope'],
        ...Array.from({ length: 2 }, () => ['refused', 'invalid_request_body']),
      ],
    )
    const kim = await come(begun)
    await ada.until(() => ada.people.some((person) => person.guest !== null))
    assert.equal(ada.people.find((person) => person.user === begun.guest.id)?.access, 'commenter')
    kim.leave()
    assert.deepEqual(ada.scene(), [])
  })

  it('revoking a link refuses the next change at once and disconnects its guests within seconds; acknowledged strokes stay', async () => {
    const board = await makeBoard()
    const link = await makeLink(world, board)
    const begun = await beginGuest(world, link.secret)
    const [kim, ada] = [await come(begun), await member(board)]
    kim.draw(rectangle('a'))
    await kim.allSaved()
    const closed = ended(board, begun.token)
    await ada.until(() => ada.people.length === 3)
    await world.delete(`/v1/boards/${board}/links/${link.id}`)
    kim.change('a', { x: 99 })
    await kim.until(() => kim.refusals.length === 1)
    assert.equal(kim.refusals[0]?.code, 'link_invalid')
    assert.equal(await closed, 4401)
    await ada.until(() => ada.people.length === 1)
    assert.equal(ada.elements.get('a')?.x, 0)
    assert.deepEqual(await rawly(board, begun.token, []), { code: 4401, received: [] })
  })

  it('the end of a link, of a session, of the board and of the maker’s right each disconnect the guest', async () => {
    const ends: Record<string, (board: string, key: string) => Promise<unknown>> = {
      link: async () => world.clock.advance(2 * 3_600_000),
      session: async () => world.clock.advance(board_link_limits.board_guest_ms),
      board: (board) => world.delete(`/v1/boards/${board}`),
      right: (_, key) => world.delete(`/v1/api_keys/${key}`),
    }
    for (const [name, end] of Object.entries(ends)) {
      const board = await makeBoard()
      const { id, secret: key } = await world.key()
      const inAnHour = Math.floor(world.clock.now() / 1000) + 3600
      const link = await makeLink(world, board, name === 'link' ? { expires_at: inAnHour } : {}, { key })
      const begun = await beginGuest(world, link.secret)
      const kim = await come(begun)
      kim.draw(rectangle('a'))
      await kim.allSaved()
      const closed = ended(board, begun.token)
      await kim.until(() => kim.people.length === 2)
      await end(board, id)
      kim.change('a', { x: 1 })
      await kim.until(() => kim.refusals.length === 1)
      assert.ok(['link_invalid', 'resource_conflict'].includes(kim.refusals[0]?.code ?? ''), name)
      assert.equal(await closed, 4401, name)
      kim.leave()
      assert.equal((await rawly(board, begun.token, [])).code, 4401, name)
    }
  })

  it('another process disconnects the guests of a link that was revoked here', async () => {
    const second = await startSecond(world)
    const board = await makeBoard()
    const link = await makeLink(world, board)
    const { token } = await beginGuest(world, link.secret)
    const kim = kept(await new Drawer({ server: second.url, board, key: token }).joined())
    await world.delete(`/v1/boards/${board}/links/${link.id}`)
    kim.draw(rectangle('a'))
    await kim.until(() => kim.refusals.length === 1)
    kim.leave()
    await second.close()
  })

  it('a guest opens no other board, and shows no foreign origin', async () => {
    const [board, other] = [await makeBoard(), await makeBoard()]
    const { token } = await beginGuest(world, (await makeLink(world, board)).secret)
    const foreign = (await world.make('/v1/boards', { name: 'Theirs' }, { key: world.globex.key })).id
    const never = `${board.slice(0, -4)}0000`
    for (const id of [other, foreign, never]) {
      assert.deepEqual(await rawly(id, token, []), { code: 4401, received: [] })
      assert.deepEqual(await rawly(id, 'atr_at_live_nothing', []), { code: 4401, received: [] })
    }
    const evil = await rawly(board, token, [], { origin: 'https://evil.example' })
    assert.deepEqual(evil, { code: 1006, received: [] })
    for (const wrong of ['', '__proto__', 'constructor', 7, null, {}, [token], `${token} `, token.toUpperCase()]) {
      const { code, received } = await rawly(board, wrong, [])
      assert.deepEqual([received, code === 4400 || code === 4401], [[], true], JSON.stringify(wrong))
    }
  })

  it('the secret of a link is no token, and headers of a request give a connection nothing', async () => {
    const board = await makeBoard()
    const link = await makeLink(world, board, { role: 'viewer' })
    const begun = await beginGuest(world, link.secret)
    assert.equal((await rawly(board, link.secret, [])).code, 4401)
    const headers = {
      ...{
        authorization: `Bearer ${world.acme.key}`,
        cookie: '__Host-atrium=anything',
        'x-forwarded-for': '127.0.0.1',
      },
      ...{ 'x-forwarded-user': world.acme.user, 'x-board-access': 'editor', origin: world.server.url },
    }
    const change = { type: 'change', id: 1, elements: [rectangle('a')] }
    const { received } = await rawly(board, begun.token, [change], headers)
    assert.equal((received[1]?.error as { code?: string } | undefined)?.code, 'insufficient_scope')
  })

  it('refuses a guest over the limit of guests, while members still come', async () => {
    const board = await makeBoard()
    const { secret } = await makeLink(world, board)
    const begun = await beginGuest(world, secret)
    for (let i = 0; i < room_limits.room_guests_max; i++) await come(begun)
    assert.deepEqual(await rawly(board, begun.token, []), { code: 4409, received: [] })
    const ada = await member(board)
    assert.equal(ada.people.length, room_limits.room_guests_max + 1)
  })

  it('the limit of guests holds in each process by itself: on every one of them members still come', async () => {
    const second = await startSecond(world)
    const board = await makeBoard()
    const { token } = await beginGuest(world, (await makeLink(world, board)).secret)
    const servers = [world.server.url, second.url]
    for (const server of servers) {
      for (let i = 0; i < room_limits.room_guests_max; i++)
        kept(await new Drawer({ server, board, key: token }).joined())
    }
    for (const server of servers) {
      const refused = await new Promise<number>((resolve) => {
        const socket = new WebSocket(`${server.replace('http', 'ws')}/app/api/boards/${board}/live`)
        socket.onopen = () => socket.send(JSON.stringify({ type: 'hello', token }))
        socket.onclose = ({ code }) => resolve(code)
      })
      assert.equal(refused, 4409)
      const ada = kept(await new Drawer({ server, board, key: world.acme.key }).joined())
      assert.ok(ada.people.length >= room_limits.room_guests_max + 1)
    }
    for (const drawer of drawers.splice(0)) drawer.leave()
    await second.close()
  })

  it('the history shows the guest who drew last by the name given, also after the link was revoked', async () => {
    const owner = await ownerOf(world)
    const board = await makeBoard()
    const link = await makeLink(world, board)
    const begun = await beginGuest(world, link.secret, 'Kim')
    const kim = await come(begun)
    kim.draw(rectangle('a'))
    await kim.allSaved()
    await world.delete(`/v1/boards/${board}/links/${link.id}`)
    world.clock.advance(scene_limits.publish_wait_ms)
    await runWorker(world.services, boardSnapshotsWorker, 'test')
    const [version] = (await owner.must('GET', `boards/${board}/versions`)).data
    assert.deepEqual([version.author, version.guest, version.name], [begun.guest.id, 'Kim', null])
    const ada = await member(board)
    ada.change('a', { x: 3 })
    await ada.allSaved()
    world.clock.advance(scene_limits.version_interval_ms)
    await runWorker(world.services, boardSnapshotsWorker, 'test')
    assert.equal((await owner.must('GET', `boards/${board}/versions`)).data[0].guest, null)
  })

  it('images are shown to a guest by files of the board only, and no longer than the link', async () => {
    const owner = await ownerOf(world)
    const [board, other] = [await makeBoard(), await makeBoard()]
    const picture = (text: string) => `data:image/gif;base64,${Buffer.from(`GIF89a, ${text}`).toString('base64')}`
    for (const [id, file] of [
      [board, 'here'],
      [other, 'there'],
    ] as const) {
      await world.make(`/v1/boards/${id}/members`, { user: world.acme.user, role: 'editor' })
      await owner.must('POST', `boards/${id}/images`, { file, data_url: picture(file) })
    }
    const link = await makeLink(world, board, { role: 'viewer' })
    const { token } = await beginGuest(world, link.secret)
    const browser = await newBrowser(world)
    const read = (file: string, by = token) => browser.post('board-guests/images', { token: by, file })
    assert.equal((await read('here')).body.data_url, picture('here'))
    for (const file of ['there', '__proto__', '../here']) assert.equal((await read(file)).body.data_url, null, file)
    assert.deepEqual(refusal(await read('here', world.acme.key)), [404, 'link_invalid'])
    assert.deepEqual(refusal(await browser.post(`boards/${board}/images`, { file: 'x', data_url: picture('x') })), [
      401,
      'session_required',
    ])
    await world.delete(`/v1/boards/${board}/links/${link.id}`)
    assert.deepEqual(refusal(await read('here')), [404, 'link_invalid'])
  })
})

import assert from 'node:assert/strict'
import EventEmitter, { once } from 'node:events'
import { afterEach, it } from 'node:test'
import { generateKeyBetween } from 'fractional-indexing'
import { startSecond } from '../../test/conformance/second-server.ts'
import { Drawer, type DrawerOptions, rectangle } from '../../test/drawer.ts'
import { assertFolds } from '../../test/fold.ts'
import { onEveryWorld } from '../../test/world.ts'
import { limits } from '../api/limits.ts'
import { scene_limits } from '../resources/board_items/scene/limits.ts'
import type { SceneElement } from '../resources/board_items/scene/merge.ts'
import { addMember } from '../resources/members/write.ts'
import { boardSnapshotsWorker } from '../workers/board-snapshots.ts'
import { runWorker } from '../workers/worker.ts'
import { Client } from './client.ts'
import { room_limits } from './limits.ts'
import { Rooms } from './rooms.ts'

onEveryWorld('live boards', (world) => {
  const drawers: Drawer[] = []
  afterEach(() => {
    for (const drawer of drawers.splice(0)) drawer.leave()
  })

  const makeBoard = async (): Promise<string> => (await world.make('/v1/boards', { name: 'Plan' })).id
  const come = async (board: string, more: Partial<DrawerOptions> = {}): Promise<Drawer> => {
    const drawer = new Drawer({ server: world.server.url, board, key: world.acme.key, ...more })
    drawers.push(drawer)
    return await drawer.joined()
  }
  const publish = () => runWorker(world.services, boardSnapshotsWorker, 'test')
  const boardOf = async (id: string) => (await world.get(`/v1/boards/${id}`)).body
  const itemsOf = async (id: string) => (await world.get(`/v1/boards/${id}/items?limit=100`)).body.data
  /** A raw connection, and everything that the server sends on it until it ends. */
  const rawly = (board: string, messages: readonly unknown[], headers: Record<string, string> = {}) =>
    new Promise<{ code: number; received: Record<string, unknown>[] }>((resolve) => {
      const url = `${world.server.url.replace('http', 'ws')}/app/api/boards/${board}/live`
      // Node's client takes headers, which the type of a browser's does not know.
      const socket = new WebSocket(url, { headers })
      const received: Record<string, unknown>[] = []
      socket.onopen = () => {
        for (const message of messages) socket.send(typeof message === 'string' ? message : JSON.stringify(message))
      }
      socket.onmessage = ({ data }) => {
        received.push(JSON.parse(String(data)))
        if (received.length > messages.length) socket.close()
      }
      socket.onclose = ({ code }) => resolve({ code, received })
    })
  const hello = () => ({ type: 'hello', token: world.acme.key })
  const makeUser = async (role: string | null, board: string): Promise<string> => {
    const { key, user } = await makePerson()
    if (role !== null) await world.make(`/v1/boards/${board}/members`, { user, role })
    return key
  }
  let people = 0
  /** A member of the organization with a key of her own. */
  const makePerson = async () => {
    const added = await addMember(world.services, world.acme.id, { email: `person${++people}@acme.example` })
    const key = await world.key({ owner: { type: 'user', id: added.user } })
    return { user: added.user, key: key.secret }
  }

  it('what one person draws, others see, and a late joiner gets', async () => {
    const board = await makeBoard()
    const [ada, ben] = [await come(board), await come(board)]
    ada.draw(rectangle('a'))
    await ben.until(() => ben.elements.has('a'))
    ben.change('a', { x: 40 })
    ben.draw(rectangle('b', { index: 'a1' }))
    await ada.until(() => ada.elements.get('a')?.x === 40 && ada.elements.has('b'))
    await ben.allSaved()
    const cleo = await come(board)
    assert.deepEqual(cleo.scene(), ben.scene())
    assert.deepEqual(ada.scene(), ben.scene())
    assert.deepEqual(cleo.sequence, ben.sequence)
    await ada.until(() => ada.people.length === 3)
    cleo.leave()
    await ada.until(() => ada.people.length === 2)
  })

  it('of two changes of one element the higher version wins everywhere, of equal versions the lower nonce', async () => {
    const board = await makeBoard()
    const [ada, ben] = [await come(board), await come(board)]
    ada.draw(rectangle('a', { version: 3, versionNonce: 7, x: 1 }))
    await ben.until(() => ben.elements.has('a'))
    ben.draw(rectangle('a', { version: 3, versionNonce: 5, x: 2 }))
    await ada.until(() => ada.elements.get('a')?.x === 2)
    ada.draw(rectangle('a', { version: 2, versionNonce: 1, x: 3 }), rectangle('end'))
    await ben.until(() => ben.elements.has('end'))
    const cleo = await come(board)
    for (const each of [ada, ben, cleo]) assert.equal(each.elements.get('a')?.x, 2)
  })

  it('a change in place, while the earlier state is on its way, is sent too', async () => {
    const board = await makeBoard()
    const ada = await come(board)
    const element = rectangle('a', { x: 1 })
    ada.draw(element)
    Object.assign(element, { version: element.version + 1, x: 40 })
    ada.draw(element)
    await ada.allSaved()
    const ben = await come(board)
    assert.equal(ben.elements.get('a')?.x, 40)
  })

  it('pointers are shown to others and stored nowhere', async () => {
    const board = await makeBoard()
    const [ada, ben] = [await come(board), await come(board)]
    ada.point({ x: 12, y: 34, selected: ['a'], view: [0, 0, 10, 10] })
    await ben.until(() => ben.pointers.length === 1)
    const [{ x, y, selected, connection } = ben.pointers[0] as never] = ben.pointers
    assert.deepEqual({ x, y, selected }, { x: 12, y: 34, selected: ['a'] })
    assert.ok(ben.people.some((person) => person.connection === connection))
    assert.equal(ada.pointers.length, 0)
  })

  it('a board at rest for 5 s is published with one event; while people draw, its answers stay the same', async () => {
    // What other tests have drawn is published first.
    world.clock.advance(scene_limits.publish_wait_ms)
    await publish()
    const board = await makeBoard()
    const ada = await come(board)
    const etags = async () => {
      const paths = [`/v1/boards/${board}`, `/v1/boards/${board}/items`]
      return await Promise.all(paths.map(async (path) => (await world.get(path)).headers.etag))
    }
    const before = await etags()
    await world.markWritten()
    ada.draw(rectangle('a'), rectangle('b', { index: 'a1' }))
    await ada.allSaved()
    world.clock.advance(scene_limits.publish_rest_ms - 1)
    await publish()
    assert.deepEqual(await etags(), before)
    world.clock.advance(1)
    await publish()
    await world.assertWritten({ events: ['whiteboard.board.snapshot_published'], audit: ['boards.publish'] })
    const published = await boardOf(board)
    assert.deepEqual([published.snapshot.revision, published.item_count], [1, 2])
    const items = await itemsOf(board)
    assert.deepEqual(
      items.map((item: { source: { element_id: string } }) => item.source.element_id),
      ['a', 'b'],
    )
    // Another look finds nothing to do, and a change that no item shows makes no revision.
    await publish()
    ada.change('a', { seed: 99 })
    await ada.allSaved()
    world.clock.advance(scene_limits.publish_rest_ms)
    await publish()
    assert.equal((await boardOf(board)).snapshot.revision, 1)
    await assertFolds(world)
  })

  it('a board that is never at rest is published 30 s after its first change', async () => {
    const board = await makeBoard()
    const ada = await come(board)
    for (let i = 0; i < 8; i++) {
      ada.draw(rectangle(`e${i}`, { index: `a${i}` }))
      await ada.allSaved()
      await publish()
      assert.equal((await boardOf(board)).snapshot.revision, null, `after ${i * 4} s`)
      world.clock.advance(4000)
    }
    await publish()
    assert.equal((await boardOf(board)).item_count, 8)
  })

  it('after publications and hours, the board opens as it was, without operations that no client needs', async () => {
    const board = await makeBoard()
    const ada = await come(board)
    ada.draw(rectangle('a'), rectangle('b', { index: 'a1' }))
    ada.change('b', { isDeleted: true })
    await ada.allSaved()
    world.clock.advance(scene_limits.publish_wait_ms)
    await publish()
    world.clock.advance(scene_limits.operations_kept_ms)
    ada.change('a', { x: 5 })
    await ada.allSaved()
    world.clock.advance(scene_limits.publish_wait_ms)
    await publish()
    const scene = ada.scene()
    ada.leave()
    const ben = await come(board)
    assert.deepEqual(ben.scene(), scene)
    assert.equal(ben.sequence, ada.sequence)
  })

  it('commenters, viewers and people without a membership change nothing, by no message', async () => {
    const board = await makeBoard()
    const owner = await come(board)
    owner.draw(rectangle('a'))
    await owner.allSaved()
    for (const role of ['viewer', 'commenter', null]) {
      const key = await makeUser(role, board)
      const drawer = await come(board, { key })
      assert.equal(drawer.access, role ?? 'viewer')
      drawer.change('a', { x: 66 })
      await drawer.until(() => drawer.refusals.length === 1)
      assert.equal(drawer.refusals[0]?.code, 'insufficient_scope')
    }
    const editor = await come(board, { key: await makeUser('editor', board) })
    editor.change('a', { x: 77 })
    await owner.until(() => owner.elements.get('a')?.x === 77)
    const reader = (await world.key({ scopes: ['boards:read'] })).secret
    const looking = await come(board, { key: reader })
    looking.change('a', { x: 88 })
    await looking.until(() => looking.refusals.length === 1)
    assert.equal(owner.elements.get('a')?.x, 77)
  })

  it('an editor whose role is taken away is refused from the next change on; an archived board refuses all', async () => {
    const board = await makeBoard()
    const { key, user } = await makePerson()
    await world.make(`/v1/boards/${board}/members`, { user, role: 'editor' })
    const ben = await come(board, { key })
    ben.draw(rectangle('a'))
    await ben.allSaved()
    await world.patch(`/v1/boards/${board}/members/${user}`, { role: 'viewer' })
    ben.change('a', { x: 1 })
    await ben.until(() => ben.refusals.length === 1)
    const ada = await come(board)
    await world.delete(`/v1/boards/${board}`)
    ada.change('a', { x: 2 })
    await ada.until(() => ada.refusals.length === 1)
    assert.equal(ada.refusals[0]?.code, 'resource_conflict')
    assert.equal((await come(board)).elements.get('a')?.x, 0)
  })

  it('an unknown token, a foreign board, a foreign origin and a missing hello get nothing', async () => {
    const board = await makeBoard()
    const { received, code } = await rawly(board, [{ type: 'hello', token: 'atr_live_nothing' }])
    assert.deepEqual([received, code], [[], 4401])
    const theirs = await rawly(board, [{ type: 'hello', token: world.globex.key }])
    assert.deepEqual([theirs.received, theirs.code], [[], 4404])
    const testRealm = await rawly(board, [{ type: 'hello', token: world.acme.testKey }])
    assert.deepEqual([testRealm.received, testRealm.code], [[], 4404])
    const unasked = await rawly(board, [{ type: 'change', id: 1, elements: [rectangle('a')] }])
    assert.deepEqual([unasked.received, unasked.code], [[], 4400])
    const foreign = await rawly(board, [hello()], { origin: 'https://evil.example' })
    assert.deepEqual([foreign.received, foreign.code], [[], 1006])
  })

  it('refuses damaged elements with their path, and keeps the connection', async () => {
    const board = await makeBoard()
    const damages: [Record<string, unknown>, string][] = [
      [{ x: 'left' }, 'elements[0].x'],
      [{ x: 1e300 }, 'elements[0].x'],
      [{ version: 0 }, 'elements[0].version'],
      [{ version: 2 ** 40 }, 'elements[0].version'],
      [{ versionNonce: 0.5 }, 'elements[0].versionNonce'],
      [{ isDeleted: 'no' }, 'elements[0].isDeleted'],
      [{ index: 'zzz!' }, 'elements[0].index'],
      [{ index: null }, 'elements[0].index'],
      [{ groupIds: [1] }, 'elements[0].groupIds[0]'],
      [{ customData: 'x'.repeat(scene_limits.element_bytes_max) }, 'elements[0]'],
      [{ id: '' }, 'elements[0].id'],
    ]
    const messages = damages.map(([fields], id) => ({
      type: 'change',
      id,
      elements: [rectangle('a', fields as Partial<SceneElement>)],
    }))
    const { received } = await rawlyAfterWelcome(board, [...messages, 'no json', '[]', { type: 'undo' }])
    assert.deepEqual(
      received.map(({ type, id, error }) => [type, id, (error as { param?: string }).param]),
      [
        ...damages.map(([, param], id) => ['refused', id, param]),
        ['refused', null, undefined],
        ['refused', null, undefined],
        ['refused', null, 'type'],
      ],
    )
  })

  /** Sends messages one after the other, each after the answer to the one before it. */
  const rawlyAfterWelcome = (board: string, messages: readonly unknown[]) =>
    new Promise<{ received: Record<string, unknown>[] }>((resolve) => {
      const socket = new WebSocket(`${world.server.url.replace('http', 'ws')}/app/api/boards/${board}/live`)
      const received: Record<string, unknown>[] = []
      let next = 0
      socket.onopen = () => socket.send(JSON.stringify(hello()))
      socket.onmessage = ({ data }) => {
        const message = JSON.parse(String(data))
        if (message.type !== 'welcome') received.push(message)
        if (next === messages.length) socket.close()
        else {
          const sent = messages[next++]
          socket.send(typeof sent === 'string' ? sent : JSON.stringify(sent))
        }
      }
      socket.onclose = () => resolve({ received })
    })

  it('refuses elements over the limit of a board, and messages over the limit of a second', async () => {
    const board = await makeBoard()
    const ada = await come(board)
    const many = Array.from({ length: limits.board_elements_max }, (_, i) => rectangle(`e${i}`))
    ada.draw(...many)
    await ada.allSaved()
    ada.draw(rectangle('over'))
    await ada.until(() => ada.refusals.length === 1)
    assert.equal(ada.refusals[0]?.code, 'resource_conflict')
    assert.match(ada.refusals[0]?.message ?? '', /at most 5000 elements/)
    const count = room_limits.room_burst_max + 20
    const pointer = { type: 'pointer', x: 0, y: 0, tool: 'pointer', button: 'up' }
    const socket = new WebSocket(`${world.server.url.replace('http', 'ws')}/app/api/boards/${board}/live`)
    const codes = await new Promise<string[]>((resolve) => {
      const found: string[] = []
      socket.onopen = () => socket.send(JSON.stringify(hello()))
      socket.onmessage = ({ data }) => {
        const message = JSON.parse(String(data))
        if (message.type === 'welcome') for (let i = 0; i < count; i++) socket.send(JSON.stringify(pointer))
        if (message.type === 'refused') found.push(message.error.code)
        if (message.type === 'refused') socket.close()
      }
      socket.onclose = () => resolve(found)
    })
    assert.equal(codes[0], 'rate_limit_exceeded')
  })

  it('takes as many messages at once as the limit says, and says with a refusal when there are more', async () => {
    const board = await makeBoard()
    const pointer = { type: 'pointer', x: 0, y: 0, tool: 'pointer', button: 'up' }
    const burst = room_limits.room_burst_max
    /** What the server answers to this number of pointers and one message that it always answers. */
    const answers = (count: number) =>
      new Promise<unknown[]>((resolve) => {
        const socket = new WebSocket(`${world.server.url.replace('http', 'ws')}/app/api/boards/${board}/live`)
        const errors: unknown[] = []
        socket.onopen = () => socket.send(JSON.stringify(hello()))
        socket.onmessage = ({ data }) => {
          const { type, id, error } = JSON.parse(String(data))
          if (type === 'welcome') {
            for (let i = 0; i < count; i++) socket.send(JSON.stringify(pointer))
            socket.send(JSON.stringify({ type: 'undo', id: 1 }))
          }
          if (type === 'refused') errors.push([error.code, error.message])
          if (type === 'refused' && id === 1) socket.close()
        }
        socket.onclose = () => resolve(errors)
      })
    const last = ['invalid_request_body', '`type` must be change or pointer.']
    assert.deepEqual(await answers(burst - 1), [last])
    const per_second = room_limits.room_messages_per_second
    const message = `At most ${per_second} messages per second are accepted. Send it again later.`
    const [first] = await answers(burst * 4)
    assert.deepEqual(first, ['rate_limit_exceeded', message])
  })

  it('reads a limited number of characters of a client per second, and goes on by itself', async (t) => {
    const board = await makeBoard()
    const rooms = new Rooms(world.services)
    let now = Math.round(performance.now())
    t.mock.method(performance, 'now', () => now)
    const flow: string[] = []
    const sent = new EventEmitter()
    const client = new Client(world.services, rooms, board, {
      send: (text) => sent.emit(JSON.parse(text).type),
      ...{ behind: () => 0, close: () => {} },
      ...{ pause: () => flow.push('pause'), resume: () => flow.push('resume') },
    })
    const welcome = once(sent, 'welcome')
    client.receive(JSON.stringify(hello()))
    await welcome
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { room_frame_bytes_max: frame, room_chars_per_second: per_second } = room_limits
    const pointer = JSON.stringify({ type: 'pointer', x: 0, y: 0, tool: 'pointer', button: 'up' })
    client.receive(pointer.padEnd(frame))
    assert.deepEqual(flow, [])
    client.receive(pointer.padEnd(per_second))
    assert.deepEqual(flow, ['pause'])
    t.mock.timers.tick(999)
    assert.deepEqual(flow, ['pause'])
    t.mock.timers.tick(1)
    assert.deepEqual(flow, ['pause', 'resume'])
    now += 1000 * (1 + frame / per_second)
    client.receive(pointer.padEnd(frame))
    assert.deepEqual(flow, ['pause', 'resume'])
    client.gone()
    await rooms.close()
  })

  it('refuses a message of more arrays and objects, or keys of one object, than a drawing has', async () => {
    const board = await makeBoard()
    const arrays = `{"type":"pointer","of":[${'[],'.repeat(room_limits.room_containers_max)}0]}`
    const keys = `{${Array.from({ length: 1001 }, (_, i) => `"key${i}":0`).join()}}`
    const socket = new WebSocket(`${world.server.url.replace('http', 'ws')}/app/api/boards/${board}/live`)
    const messages = await new Promise<string[]>((resolve) => {
      const found: string[] = []
      socket.onopen = () => socket.send(JSON.stringify(hello()))
      socket.onmessage = ({ data }) => {
        const { type, error } = JSON.parse(String(data))
        if (type === 'welcome') for (const text of [arrays, keys]) socket.send(text)
        if (type === 'refused' && found.push(error.message) === 2) socket.close()
      }
      socket.onclose = () => resolve(found)
    })
    assert.deepEqual(messages, [
      'The message is not valid JSON: there are more than 400000 arrays and objects',
      'The message is not valid JSON: an object has more than 1000 keys',
    ])
  })

  it('a board takes elements up to its bytes, and refuses one byte more without changing', async () => {
    const { scene_bytes_max: max, element_bytes_max } = scene_limits
    const board = await makeBoard()
    const ada = await come(board)
    /** A rectangle with this number of bytes of JSON. */
    const sized = (id: string, bytes: number) => {
      const bare = rectangle(id, { customData: { text: '' } } as Partial<SceneElement>)
      const text = 'x'.repeat(bytes - JSON.stringify(bare).length)
      return { ...bare, customData: { text } } as SceneElement
    }
    const whole = Math.floor(max / element_bytes_max) - 1
    for (let i = 0; i < whole; i++) {
      ada.draw(sized(`e${i}`, element_bytes_max))
      await ada.allSaved()
    }
    const left = max - whole * element_bytes_max
    ada.draw(sized('half', left / 2))
    await ada.allSaved()
    ada.draw(sized('over', left / 2 + 1))
    await ada.until(() => ada.refusals.length === 1)
    assert.deepEqual(ada.refusals, [
      {
        code: 'resource_conflict',
        message: `The elements of a board have at most ${max} bytes of JSON.`,
        param: 'elements',
      },
    ])
    await ada.joined()
    ada.draw(sized('last', left / 2))
    await ada.allSaved()
    assert.equal(ada.refusals.length, 1)
    const late = await come(board)
    assert.equal(late.elements.size, whole + 2)
    assert.equal(late.elements.has('over'), false)
  })

  it('a room takes 100 people; the next one is turned away with the limit, until one leaves', async () => {
    const board = await makeBoard()
    const people = await Promise.all(Array.from({ length: room_limits.room_people_max }, () => come(board)))
    const [first] = people as [Drawer]
    await first.until(() => first.people.length === room_limits.room_people_max)
    const over = new Drawer({ server: world.server.url, board, key: world.acme.key })
    drawers.push(over)
    await over.until(() => over.reason !== '' || over.state === 'open')
    const full = `At most ${room_limits.room_people_max} people can be on a board, ${room_limits.room_guests_max} of them guests.`
    assert.deepEqual([over.state, over.reason], ['connecting', full])
    over.leave()
    people.at(-1)?.leave()
    await first.until(() => first.people.length === room_limits.room_people_max - 1)
    await come(board)
    await first.until(() => first.people.length === room_limits.room_people_max)
  })

  it('whatever breaks on the way, all end with the same scene, which a reload and the API show, and nothing acknowledged is lost', async () => {
    const board = await makeBoard()
    const second = await startSecond(world)
    const random = seeded(20261125)
    const network = { random, delayed: 0.2, broken: 0.02 }
    const people = await Promise.all(
      Array.from({ length: 4 }, (_, i) => come(board, { network, server: (i % 2 === 0 ? world.server : second).url })),
    )
    const acknowledged = new Map<string, SceneElement>()
    for (let stroke = 0; stroke < 60; stroke++) {
      for (const [who, drawer] of people.entries()) drawAnything(drawer, `${who}-${stroke}`, random)
      const settled = people[stroke % people.length] as Drawer
      if (stroke % 20 === 10) {
        await settled.allSaved()
        for (const element of settled.elements.values()) acknowledged.set(element.id, element)
      }
      if (stroke % 15 === 7) settled.drop()
      await new Promise((resolve) => setImmediate(resolve))
    }
    for (const drawer of people) await drawer.allSaved()
    const newest = () => Math.max(...people.map(({ sequence }) => sequence))
    for (const drawer of people) await drawer.until(() => drawer.state === 'open' && drawer.sequence === newest())
    const late = await come(board)
    for (const drawer of people) assert.deepEqual(drawer.scene(), late.scene())
    for (const [id, element] of acknowledged) {
      assert.ok((late.elements.get(id)?.version ?? 0) >= element.version, `${id} was acknowledged and is lost`)
    }
    world.clock.advance(scene_limits.publish_wait_ms)
    await publish()
    const items = await allItems(board)
    assert.deepEqual(
      items,
      late.scene().map(({ id }) => id),
    )
    await second.close()
  })

  /** The elements of all items, in drawing order. */
  const allItems = async (board: string): Promise<string[]> => {
    const found: string[] = []
    for (let cursor = ''; ; ) {
      const { body } = await world.get(`/v1/boards/${board}/items?limit=100${cursor}`)
      found.push(...body.data.map((item: { source: { element_id: string } }) => item.source.element_id))
      if (!body.has_more) return found
      cursor = `&cursor=${body.next_cursor}`
    }
  }
})

/** A stroke: a new element, or a change or deletion of any that the person sees. */
function drawAnything(drawer: Drawer, id: string, random: () => number): void {
  const scene = drawer.scene()
  const any = scene[Math.floor(random() * scene.length)]
  const kind = random()
  if (any === undefined || kind < 0.5) {
    const index = generateKeyBetween(scene.at(-1)?.index ?? null, null)
    drawer.draw(rectangle(id, { index, x: Math.floor(random() * 1000) }))
  } else if (kind < 0.9) drawer.change(any.id, { x: Math.floor(random() * 1000) })
  else drawer.change(any.id, { isDeleted: true })
}

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

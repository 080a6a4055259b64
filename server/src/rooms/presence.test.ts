import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { beginGuest, makeLink } from '../../test/board-guests.ts'
import { startSecond } from '../../test/conformance/second-server.ts'
import { Drawer, rectangle } from '../../test/drawer.ts'
import { worldOf } from '../../test/world.ts'
import { openStore } from '../db/open.ts'
import type { Store } from '../db/store.ts'
import type { RunningServer } from '../main.ts'
import { room_limits } from './limits.ts'
import type { Person } from './messages.ts'
import { Elsewhere, type Note, Presence } from './presence.ts'

const person = (n: number, more: Partial<Person> = {}): Person => ({
  ...{ connection: `con_${n}`, user: `usr_${n}`, guest: null, access: 'editor', ...more },
})

describe('people on a board through two processes', () => {
  const world = worldOf('postgres')
  const drawers: Drawer[] = []
  let second: RunningServer
  let other: Store
  before(async () => {
    second = await startSecond(world)
    other = await openStore(world.database.url)
  })
  afterEach(() => {
    for (const drawer of drawers.splice(0)) drawer.leave()
  })
  after(async () => {
    await second.close()
    await other.close()
  })

  const makeBoard = async (): Promise<string> => (await world.make('/v1/boards', { name: 'Plan' })).id
  const come = async (board: string, server = world.server.url, key = world.acme.key): Promise<Drawer> => {
    const drawer = new Drawer({ server, board, key })
    drawers.push(drawer)
    return await drawer.joined()
  }
  const connections = ({ people }: Drawer) => people.map(({ connection }) => connection).sort()

  it('see each other, each other’s pointers, and who leaves', async () => {
    const board = await makeBoard()
    const [ada, ben] = [await come(board), await come(board, second.url)]
    for (const each of [ada, ben]) await each.until(() => each.people.length === 2)
    assert.deepEqual(connections(ada), connections(ben))
    ada.point({ x: 12, y: 34, selected: ['a'], view: [0, 0, 10, 10] })
    await ben.until(() => ben.pointers.length === 1)
    const [{ x, y, selected, view, connection } = ben.pointers[0] as never] = ben.pointers
    assert.deepEqual({ x, y, selected, view }, { x: 12, y: 34, selected: ['a'], view: [0, 0, 10, 10] })
    assert.ok(ben.people.some((each) => each.connection === connection))
    assert.equal(ada.pointers.length, 0)
    const eve = await come(board)
    await ben.until(() => ben.people.length === 3)
    assert.deepEqual(connections(eve), connections(ben))
    eve.leave()
    await ben.until(() => ben.people.length === 2)
    ben.leave()
    await ada.until(() => ada.people.length === 1)
  })

  it('are gone for the others when their process ends', async () => {
    const third = await startSecond(world)
    const board = await makeBoard()
    const [ada] = [await come(board), await come(board, third.url)]
    await ada.until(() => ada.people.length === 2)
    await third.close()
    await ada.until(() => ada.people.length === 1)
  })

  it('are shown on their board only', async () => {
    const [board, elsewhere] = [await makeBoard(), await makeBoard()]
    const [ada, eve] = [await come(board), await come(board, second.url)]
    const [kim, ben] = [await come(elsewhere), await come(elsewhere, second.url)]
    for (const each of [ada, eve, kim, ben]) await each.until(() => each.people.length === 2)
    ben.point({ x: 1, y: 1 })
    eve.point({ x: 2, y: 2 })
    for (const each of [ada, kim]) await each.until(() => each.pointers.length > 0)
    assert.deepEqual(
      [ada, kim].map(({ pointers }) => pointers.map(({ x }) => x)),
      [[2], [1]],
    )
  })

  it('have no ids for a guest of a link', async () => {
    const board = await makeBoard()
    const { token } = await beginGuest(world, (await makeLink(world, board)).secret, 'Kim')
    const [kim, ada] = [await come(board, second.url, token), await come(board)]
    for (const each of [ada, kim]) await each.until(() => each.people.length === 2)
    assert.deepEqual(
      kim.people.map(({ user }) => user),
      [null, null],
    )
    assert.equal(ada.people.filter(({ guest }) => guest === 'Kim').length, 1)
  })

  it('point without their selection if its ids are long, and draw what others see as before', async () => {
    const board = await makeBoard()
    const [ada, ben] = [await come(board), await come(board, second.url)]
    for (const each of [ada, ben]) await each.until(() => each.people.length === 2)
    ada.point({ x: 5, y: 5, selected: Array.from({ length: 200 }, (_, n) => `${n}`.padEnd(190, 'x')) })
    await ben.until(() => ben.pointers.length === 1)
    assert.deepEqual(ben.pointers[0]?.selected, [])
    ada.draw(rectangle('a'))
    await ben.until(() => ben.elements.has('a'))
  })

  it('are sent in as many broadcasts as they need, the last state of each, and not to their own process', async () => {
    const heard: Note[] = []
    const key = { realm: 1, board: 'brd_many' }
    let arrived = () => {}
    const all = new Promise<void>((resolve) => {
      arrived = resolve
    })
    const listening = new Presence(world.services.store, 1, (at, note) => {
      if (at.board !== key.board) return
      heard.push(note)
      if (heard.length === 500) arrived()
    })
    const own: Note[] = []
    const sending = new Presence(other, 1, (at, note) => {
      if (at.board === key.board) own.push(note)
    })
    for (const access of ['viewer', 'editor'] as const) {
      for (let n = 0; n < 500; n++)
        sending.send(key, { type: 'here', person: person(n, { access, guest: '🦊'.repeat(60) }) })
    }
    await sending.close()
    await all
    await listening.close()
    const expected = Array.from({ length: 500 }, (_, n) => ({
      type: 'here',
      person: person(n, { guest: '🦊'.repeat(60) }),
    }))
    assert.deepEqual(heard, expected)
    assert.deepEqual(own, [])
  })

  it('ignores what another program broadcasts', async () => {
    const board = await makeBoard()
    const [ada, ben] = [await come(board), await come(board, second.url)]
    for (const each of [ada, ben]) await each.until(() => each.people.length === 2)
    const note = [world.acme.realms.live, board, { type: 'here', person: person(1) }]
    for (const text of ['', 'null', '{', '[]', JSON.stringify({ form: 2, process: 'prc_x', notes: [note] })])
      await other.broadcast(text)
    ben.point({ x: 7, y: 7 })
    await ada.until(() => ada.pointers.length === 1)
    assert.equal(ada.people.length, 2)
  })
})

describe('people of other processes', () => {
  it('are forgotten when their process has been silent for 15 s', () => {
    const elsewhere = new Elsewhere()
    assert.equal(elsewhere.hear({ type: 'here', person: person(1) }, 0), true)
    assert.equal(elsewhere.hear({ type: 'here', person: person(2) }, 0), true)
    assert.equal(elsewhere.hear({ type: 'here', person: person(2) }, 5000), false)
    assert.equal(elsewhere.expire(14_999), false)
    assert.equal(elsewhere.expire(15_000), true)
    assert.deepEqual(elsewhere.people(), [person(2)])
    assert.equal(elsewhere.hear({ type: 'gone', connection: 'con_2' }, 15_000), true)
    assert.deepEqual(elsewhere.people(), [])
  })

  it('are others when their rights have changed', () => {
    const elsewhere = new Elsewhere()
    elsewhere.hear({ type: 'here', person: person(1) }, 0)
    assert.equal(elsewhere.hear({ type: 'here', person: person(1, { access: 'viewer' }) }, 1), true)
  })

  it('are at most 1,000', () => {
    const elsewhere = new Elsewhere()
    const max = room_limits.room_people_elsewhere_max
    for (let n = 0; n < max; n++) assert.equal(elsewhere.hear({ type: 'here', person: person(n) }, 0), true)
    assert.equal(elsewhere.hear({ type: 'here', person: person(max) }, 0), false)
    assert.equal(elsewhere.hear({ type: 'here', person: person(0) }, 0), false)
    assert.equal(elsewhere.people().length, max)
  })
})

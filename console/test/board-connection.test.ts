/** The connection of a board over a network that goes away without a word. */
import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import { BoardConnection, type BoardHandlers, type LiveElement } from '../src/pages/boards/live/connection.ts'

/** A socket that sends into nothing, as one whose network is gone. */
class Socket {
  readyState = 1
  bufferedAmount = 0
  isClosed = false
  readonly sent: { readonly type: string; readonly elements?: readonly LiveElement[] }[] = []
  onopen: () => void = () => {}
  onmessage: (event: { readonly data: string }) => void = () => {}
  onclose: (event: { readonly code: number; readonly reason: string }) => void = () => {}

  send(text: string): void {
    this.sent.push(JSON.parse(text))
  }

  close(): void {
    this.isClosed = true
  }

  says(message: object): void {
    this.onmessage({ data: JSON.stringify(message) })
  }

  get changes() {
    return this.sent.filter(({ type }) => type === 'change').map(({ elements }) => elements?.map(({ id }) => id))
  }
}

const welcome = { type: 'welcome', connection: 'c', access: 'editor', sequence: 1, elements: [], people: [] }
const box = { id: 'box', version: 1, versionNonce: 1 }
/** Longer than the connection waits for an answer. */
const silence_ms = 16_000

async function open() {
  const sockets: Socket[] = []
  const states: string[] = []
  const saves: boolean[] = []
  const nothing = () => {}
  const handlers: BoardHandlers<LiveElement> = {
    ...{ onScene: nothing, onChange: nothing, onPeople: nothing, onPointer: nothing, onAccess: nothing },
    ...{ onRefused: nothing, onState: (state) => states.push(state), onSaved: (saved) => saves.push(saved) },
  }
  const connection = new BoardConnection<LiveElement>({
    ...{ url: 'ws://board', token: async () => 'token', handlers, wait: () => 1 },
    open: () => {
      const socket = new Socket()
      sockets.push(socket)
      // The connection uses these parts of it only.
      return socket as unknown as WebSocket
    },
  })
  await settle()
  const [first] = sockets
  assert.ok(first)
  first.says(welcome)
  return { connection, sockets, first, states, saves }
}

/** Lets the reads of the token end. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve()
}

async function pass(ms: number): Promise<void> {
  mock.timers.tick(ms)
  await settle()
  mock.timers.tick(1)
  await settle()
}

describe('the connection of a board', { concurrency: false }, () => {
  const withTimers = (test: () => Promise<void>) => async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      await test()
    } finally {
      mock.timers.reset()
    }
  }

  it(
    'is given up when a change is not answered, and the change is sent over the next one',
    withTimers(async () => {
      const { connection, sockets, first, states, saves } = await open()
      connection.offer([box])
      assert.deepEqual(first.changes, [['box']])
      await pass(silence_ms)
      assert.equal(first.isClosed, true)
      assert.deepEqual(states, ['connecting', 'open', 'connecting', 'connecting'])
      sockets[1]?.says(welcome)
      assert.deepEqual(sockets[1]?.changes, [['box']])
      assert.equal(connection.isSaved, false)
      sockets[1]?.says({ type: 'ack', id: 2, sequence: 2 })
      assert.deepEqual([connection.isSaved, saves.at(-1)], [true, true])
      connection.end()
    }),
  )

  it(
    'stays while nothing waits for an answer, and while the bytes of a large change leave',
    withTimers(async () => {
      const { connection, sockets, first } = await open()
      connection.offer([box])
      first.says({ type: 'ack', id: 1, sequence: 2 })
      await pass(silence_ms)
      connection.offer([{ ...box, version: 2 }])
      for (const left of [900, 600, 300]) {
        first.bufferedAmount = left
        await pass(silence_ms)
        assert.equal(sockets.length, 1)
      }
      await pass(silence_ms)
      assert.equal(sockets.length, 2)
      connection.end()
    }),
  )
})

/**
 * A person at a board without a browser: the console's own connection, and a scene that is merged by the rule of the editor.
 * The network can be made bad: messages wait, and connections break in the middle.
 */
import EventEmitter, { once } from 'node:events'
import { generateKeyBetween } from 'fractional-indexing'
import {
  type BoardAccess,
  BoardConnection,
  type ConnectionState,
  type Person,
  type Pointer,
  type Refusal,
} from '../../console/src/pages/boards/live/connection.ts'
import type { SceneElement } from '../src/resources/board_items/scene/merge.ts'

interface Network {
  /** A share of messages that wait, and of messages in whose place the connection breaks. */
  readonly delayed: number
  readonly broken: number
  readonly random: () => number
}

export interface DrawerOptions {
  /** The server's URL; a function is asked at each attempt to connect. */
  readonly server: string | (() => string)
  readonly board: string
  readonly key: string
  readonly network?: Network
}

export class Drawer {
  readonly elements = new Map<string, SceneElement>()
  /** What this person has drawn and the server has acknowledged: the last state of each element. */
  readonly acknowledged = new Map<string, SceneElement>()
  readonly refusals: Refusal[] = []
  readonly pointers: (Pointer & { connection: string })[] = []
  people: readonly Person[] = []
  access: BoardAccess | null = null
  state: ConnectionState = 'connecting'
  reason = ''
  saved = true
  readonly #connection: BoardConnection<SceneElement>
  readonly #drawn = new Map<string, SceneElement>()
  readonly #changes = new EventEmitter()
  #resets = false

  constructor({ server, board, key, network }: DrawerOptions) {
    this.#changes.setMaxListeners(0)
    const told = () => this.#changes.emit('change')
    const place = () =>
      `${(typeof server === 'string' ? server : server()).replace(/^http/, 'ws')}/app/api/boards/${board}/live`
    this.#connection = new BoardConnection<SceneElement>({
      url: '',
      token: async () => key,
      open: () => open(place(), network),
      wait: () => 20,
      handlers: {
        onScene: (elements) => {
          if (this.#resets) this.elements.clear()
          this.#resets = false
          for (const element of elements) this.#merge(element)
          told()
        },
        onChange: (elements) => {
          for (const element of elements) this.#merge(element)
          told()
        },
        onPeople: (people) => {
          this.people = people
          told()
        },
        onPointer: (connection, pointer) => {
          this.pointers.push({ ...pointer, connection })
          told()
        },
        onAccess: (access) => {
          this.access = access
          told()
        },
        onState: (state, reason) => {
          this.state = state
          this.reason = reason
          told()
        },
        onSaved: (saved) => {
          this.saved = saved
          if (saved) for (const [id, element] of this.#drawn) this.acknowledged.set(id, element)
          told()
        },
        onRefused: (error) => {
          this.refusals.push(error)
          // As in the editor: what was not acknowledged is given up, and the server's scene follows.
          this.#drawn.clear()
          this.#resets = true
          told()
        },
      },
    })
  }

  get sequence(): number {
    return this.#connection.sequence
  }

  /** Resolves when the condition holds. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await once(this.#changes, 'change')
  }

  async joined(): Promise<this> {
    await this.until(() => this.state === 'open')
    return this
  }

  async allSaved(): Promise<void> {
    await this.until(() => this.saved && this.state === 'open')
  }

  draw(...elements: SceneElement[]): void {
    for (const element of elements) {
      this.#merge(element)
      this.#drawn.set(element.id, element)
    }
    this.#connection.offer(elements)
  }

  /** The next version of an element with other fields. */
  change(id: string, fields: Partial<SceneElement>): SceneElement {
    const element = this.elements.get(id) as SceneElement
    const newer = { version: element.version + 1, versionNonce: nonce(), updated: Date.now() }
    const next = { ...element, ...fields, ...newer } as SceneElement
    this.draw(next)
    return next
  }

  point(pointer: Partial<Pointer>): void {
    const still = { x: 0, y: 0, tool: 'pointer', button: 'up', selected: [], view: null } as const
    this.#connection.point({ ...still, ...pointer })
  }

  drop(): void {
    this.#connection.drop()
  }

  leave(): void {
    this.#connection.end()
  }

  /** What the person sees, in drawing order. */
  scene(): SceneElement[] {
    return [...this.elements.values()]
      .filter(({ isDeleted }) => !isDeleted)
      .sort((a, b) => (a.index === b.index ? (a.id < b.id ? -1 : 1) : a.index < b.index ? -1 : 1))
  }

  #merge(element: SceneElement): void {
    const local = this.elements.get(element.id)
    // As in the editor: the local state stays if it has the higher version, or the same version and the lower nonce.
    const stays =
      local !== undefined &&
      (local.version > element.version ||
        (local.version === element.version && local.versionNonce < element.versionNonce))
    if (!stays) this.elements.set(element.id, element)
  }
}

let nonces = 0
/** Nonces that differ within a test and come in no order. */
function nonce(): number {
  return (++nonces * 2654435761) % 2 ** 31
}

export function rectangle(id: string, fields: Partial<SceneElement> = {}): SceneElement {
  return {
    ...{ id, type: 'rectangle', x: 0, y: 0, width: 100, height: 50, angle: 0, strokeColor: '#1e1e1e' },
    ...{ backgroundColor: 'transparent', fillStyle: 'solid', strokeWidth: 2, strokeStyle: 'solid', roughness: 1 },
    ...{ opacity: 100, groupIds: [], frameId: null, roundness: null, seed: 1, version: 1, versionNonce: nonce() },
    ...{
      isDeleted: false,
      index: generateKeyBetween(null, null),
      boundElements: [],
      updated: 1,
      link: null,
      locked: false,
    },
    ...fields,
  } as SceneElement
}

function open(url: string, network: Network | undefined): WebSocket {
  const socket = new WebSocket(url)
  if (network === undefined) return socket
  const { random, delayed, broken } = network
  const send = socket.send.bind(socket)
  // Messages overtake none: each waits for the one before it.
  let before: Promise<unknown> = Promise.resolve()
  socket.send = (data) => {
    const wait_ms = random() < delayed ? 1 + random() * 20 : 0
    const breaks = random() < broken
    before = before.then(async () => {
      if (wait_ms > 0) await new Promise((resolve) => setTimeout(resolve, wait_ms))
      if (breaks) socket.close()
      else if (socket.readyState === 1) send(data)
    })
  }
  return socket
}

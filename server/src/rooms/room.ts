/**
 * The room of one board in this process: its scene, its people, and the changes that wait for their commit. Invariants: a
 * change is acknowledged and shown to others only after its commit; every client gets the operations in their order, without a
 * gap, from its welcome on. Several processes have a room of the same board each; they meet in the operation log, and learn by
 * broadcasts who is in the others' rooms.
 */
import { refuse } from '../api/declare/errors.ts'
import type { Services } from '../api/services.ts'
import type { BoardRow } from '../db/schema.ts'
import { StoreUnavailable, type Tx } from '../db/store.ts'
import {
  appendChange,
  type BoardKey,
  type Operation,
  openScene,
  readOperations,
  readScene,
  readState,
} from '../resources/board_items/scene/log.ts'
import type { SceneElement } from '../resources/board_items/scene/merge.ts'
import type { Scene } from '../resources/board_items/scene/scene.ts'
import { boardNoun } from '../resources/boards/board.ts'
import { room_limits } from './limits.ts'
import { errorOf, type MessageError, type Person, type Pointer, type ServerMessage, shownToGuest } from './messages.ts'
import { Elsewhere, type Note, type Presence } from './presence.ts'
import type { Visitor } from './visitor.ts'

/** A client that has been admitted to the room. */
export interface Member {
  readonly visitor: Visitor
  person: Person
  send(text: string): void
  /** Bytes that were sent and not read yet. */
  behind(): number
  close(code: number, reason: string): void
}

interface Waiting {
  readonly member: Member
  readonly id: number
  readonly elements: readonly SceneElement[]
}

type Outcome = { readonly operation: Operation | null } | { readonly error: MessageError }

interface Committed {
  /** Operations of others that this process had not seen. */
  readonly missing: readonly Operation[]
  readonly outcomes: readonly Outcome[]
}

/** What `room.ts` says when its scene is too old to catch up by operations. */
class SceneOutdated extends Error {}

export class Room {
  readonly key: BoardKey
  readonly #services: Services
  readonly #scope: Visitor['storeScope']
  readonly #organization: string
  readonly #presence: Presence
  readonly #members = new Set<Member>()
  readonly #elsewhere = new Elsewhere()
  readonly #waiting: Waiting[] = []
  #scene: Scene
  #committing = false
  #polling: NodeJS.Timeout | undefined
  #unsubscribe: () => void

  private constructor(services: Services, presence: Presence, visitor: Visitor, board: string, scene: Scene) {
    this.#services = services
    this.#presence = presence
    this.#scope = visitor.storeScope
    this.#organization = visitor.organization
    this.key = { realm: visitor.realm, board }
    this.#scene = scene
    this.#unsubscribe = services.wakeUps.on('events', () => this.#pollSoon(0))
    this.#pollSoon(room_limits.room_poll_ms)
    presence.send(this.key, { type: 'who' })
  }

  /** Reads the board, which is made ready to be drawn on if this is the first time. */
  static async open(services: Services, presence: Presence, visitor: Visitor, board: BoardRow): Promise<Room> {
    const { realm, storeScope } = visitor
    const found = await readScene(services.store.reader(storeScope), { realm, board: board.id })
    const scene = found ?? (await services.store.write(storeScope, (tx) => openScene(tx, board, services.clock.now())))
    return new Room(services, presence, visitor, board.id, scene)
  }

  get isEmpty(): boolean {
    return this.#members.size === 0
  }

  isFullFor({ guest }: Visitor): boolean {
    if (this.#members.size >= room_limits.room_people_max) return true
    if (guest === null) return false
    return [...this.#members].filter(isGuest).length >= room_limits.room_guests_max
  }

  /** Sends the welcome. Everything after `sequence` follows. */
  join(member: Member): void {
    this.#members.add(member)
    const { connection, access } = member.person
    const { sequence } = this.#scene
    const elements = this.#scene.elements()
    const welcome = { type: 'welcome', connection, access, sequence, elements, people: this.#people() } as const
    send(member, member.visitor.guest === null ? welcome : shownToGuest(welcome))
    this.#tellOthers(member, { type: 'people', people: this.#people() })
    this.#presence.send(this.key, { type: 'here', person: member.person })
  }

  leave(member: Member): void {
    if (!this.#members.delete(member)) return
    this.#tellOthers(member, { type: 'people', people: this.#people() })
    this.#presence.send(this.key, { type: 'gone', connection: member.person.connection })
  }

  #people(): Person[] {
    return [...[...this.#members].map(({ person }) => person), ...this.#elsewhere.people()]
  }

  /** Takes a note of another process. */
  hear(note: Note): void {
    if (note.type === 'who') this.#sayWho()
    else if (note.type === 'pointer') {
      if (this.#elsewhere.has(note.connection)) this.#showPointer(note.connection, note.pointer, null)
    } else if (this.#elsewhere.hear(note, performance.now())) {
      this.#tellOthers(null, { type: 'people', people: this.#people() })
    }
  }

  /** Repeats who is here, and forgets people of processes that have not done so. */
  repeat(): void {
    this.#sayWho()
    if (this.#elsewhere.expire(performance.now())) this.#tellOthers(null, { type: 'people', people: this.#people() })
  }

  #sayWho(): void {
    for (const { person } of this.#members) this.#presence.send(this.key, { type: 'here', person })
  }

  point(member: Member, pointer: Pointer): void {
    const { connection } = member.person
    this.#showPointer(connection, pointer, member)
    // Most boards are open in one process.
    if (!this.#elsewhere.isEmpty) this.#presence.send(this.key, { type: 'pointer', connection, pointer })
  }

  #showPointer(connection: string, pointer: Pointer, sender: Member | null): void {
    const text = JSON.stringify({ type: 'pointer', connection, ...pointer })
    for (const each of this.#members) {
      if (each !== sender && each.behind() < room_limits.room_behind_bytes) each.send(text)
    }
  }

  /** Commits a change with those that wait, then acknowledges it or says why it was refused. */
  change(member: Member, id: number, elements: readonly SceneElement[]): void {
    this.#waiting.push({ member, id, elements })
    if (!this.#committing) void this.#commitAll()
  }

  /** Ends the room and disconnects its people. */
  close(code: number, reason: string): void {
    clearTimeout(this.#polling)
    this.#unsubscribe()
    const members = [...this.#members]
    this.#members.clear()
    for (const member of members) {
      this.#presence.send(this.key, { type: 'gone', connection: member.person.connection })
      member.close(code, reason)
    }
  }

  async #commitAll(): Promise<void> {
    this.#committing = true
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#waiting.splice(0, room_limits.room_batch_max)
        try {
          await this.#commitBatch(batch)
        } catch (error) {
          this.#refuseAll(batch, error)
        }
      }
    } finally {
      this.#committing = false
    }
  }

  async #commitBatch(batch: readonly Waiting[]): Promise<void> {
    const { store } = this.#services
    let committed: Committed
    try {
      committed = await store.write(this.#scope, (tx) => this.#append(tx, batch))
    } catch (error) {
      if (!(error instanceof SceneOutdated)) throw error
      await this.#readAgain()
      committed = await store.write(this.#scope, (tx) => this.#append(tx, batch))
    }
    for (const operation of committed.missing) this.#show(operation, null)
    for (const [i, outcome] of committed.outcomes.entries()) {
      const { member, id } = batch[i] as Waiting
      if ('error' in outcome) {
        send(member, { type: 'refused', id, error: outcome.error })
        continue
      }
      const { operation } = outcome
      if (operation !== null) this.#show(operation, member)
      send(member, { type: 'ack', id, sequence: operation?.sequence ?? null })
    }
  }

  /** Runs in the transaction, perhaps several times: nothing of the room changes here. */
  async #append(tx: Tx, batch: readonly Waiting[]): Promise<Committed> {
    const { key } = this
    const now = this.#services.clock.now()
    const board = await boardNoun.find(tx, { organization: this.#organization, realm: key.realm }, key.board)
    const state = await readState(tx, key)
    if (board === undefined || state === undefined) throw refuse('resource_not_found')
    const scene = this.#scene.copy()
    const missing = state.head > scene.sequence ? await readOperations(tx, key, scene.sequence) : []
    if (missing === null) throw new SceneOutdated()
    for (const { sequence, elements } of missing) {
      scene.apply(elements)
      scene.sequence = sequence
    }
    const pending = { pending_since: state.pending_since }
    const outcomes: Outcome[] = []
    for (const { member, elements } of batch) {
      try {
        await member.visitor.requireEditor(tx, board)
        const change = { author: member.visitor.author, elements }
        outcomes.push({ operation: appendChange(tx, key, scene, pending, change, now) })
      } catch (error) {
        if (error instanceof StoreUnavailable) throw error
        outcomes.push({ error: errorOf(error) })
      }
    }
    return { missing, outcomes }
  }

  #refuseAll(batch: readonly Waiting[], error: unknown): void {
    const isUnavailable = error instanceof StoreUnavailable
    if (!isUnavailable) this.#services.log.error('a change of a board failed', { error: String(error) })
    const message = 'The change was not stored. Send it again.'
    const sent = isUnavailable ? errorOf(refuse('rate_limit_unavailable', { message })) : errorOf(error)
    for (const { member, id } of batch) send(member, { type: 'refused', id, error: sent })
  }

  /** Takes over a committed operation and shows it to all but its sender. */
  #show(operation: Operation, sender: Member | null): void {
    const { sequence, author, elements } = operation
    if (sequence <= this.#scene.sequence) return
    this.#scene.apply(elements)
    this.#scene.sequence = sequence
    this.#tellOthers(sender, { type: 'change', sequence, author, elements })
  }

  #tellOthers(sender: Member | null, message: ServerMessage): void {
    const others = [...this.#members].filter((member) => member !== sender)
    const [guests, people] = [others.filter(isGuest), others.filter((member) => !isGuest(member))]
    if (people.length > 0) sendAll(people, message)
    if (guests.length > 0) sendAll(guests, shownToGuest(message))
  }

  #pollSoon(wait_ms: number): void {
    clearTimeout(this.#polling)
    this.#polling = setTimeout(() => void this.#poll(), wait_ms)
    this.#polling.unref()
  }

  /** Looks for what other processes and the API have committed. */
  async #poll(): Promise<void> {
    try {
      // A commit that is under way sees them too, and shows them in order.
      if (!this.#committing && this.#members.size > 0) await this.#catchUp()
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) {
        this.#services.log.warn('a board could not be followed', { error: String(error) })
      }
    }
    this.#pollSoon(room_limits.room_poll_ms)
  }

  async #catchUp(): Promise<void> {
    const reader = this.#services.store.reader(this.#scope)
    const state = await readState(reader, this.key)
    if (state === undefined || state.head <= this.#scene.sequence) return
    const missing = await readOperations(reader, this.key, this.#scene.sequence)
    if (missing === null) await this.#readAgain()
    else if (!this.#committing) for (const operation of missing) this.#show(operation, null)
  }

  /** Reads the whole board and sends it to everyone. */
  async #readAgain(): Promise<void> {
    const scene = await readScene(this.#services.store.reader(this.#scope), this.key)
    if (scene === undefined || scene.sequence <= this.#scene.sequence) return
    this.#scene = scene
    for (const member of [...this.#members]) this.join(member)
  }
}

export function send(member: Pick<Member, 'send'>, message: ServerMessage): void {
  member.send(JSON.stringify(message))
}

function sendAll(members: readonly Member[], message: ServerMessage): void {
  const text = JSON.stringify(message)
  for (const member of members) member.send(text)
}

function isGuest({ visitor }: Member): boolean {
  return visitor.guest !== null
}

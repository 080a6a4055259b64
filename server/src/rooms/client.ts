/**
 * One connection to a board, from its hello to its end. A client that has not said hello can do nothing else; one that sends
 * what it may not gets a refusal; one that sends too much or does not read is disconnected.
 */
import { Refusal, refuse } from '../api/declare/errors.ts'
import type { Services } from '../api/services.ts'
import { StoreUnavailable } from '../db/store.ts'
import { newId } from '../lib/ids.ts'
import { room_limits } from './limits.ts'
import { errorOf, idOf, readClientMessage, readHello, readMessage } from './messages.ts'
import { type Member, type Room, send } from './room.ts'
import { close_codes, type Rooms } from './rooms.ts'
import { findVisitor, type Visitor } from './visitor.ts'

/** A WebSocket, as far as rooms use it. */
export interface Socket {
  send(text: string): void
  behind(): number
  close(code: number, reason: string): void
  /** Until `resume`, nothing more is read from the network. */
  pause(): void
  resume(): void
}

export class Client {
  readonly #services: Services
  readonly #rooms: Rooms
  readonly #board: string
  readonly #socket: Socket
  readonly #deadline: NodeJS.Timeout
  #check: NodeJS.Timeout | undefined
  #member: Member | null = null
  #room: Room | null = null
  #greeted = false
  #ended = false
  #tokens: number = room_limits.room_burst_max
  #refilled = performance.now()
  #excess = 0
  #chars: number = room_limits.room_frame_bytes_max
  #charsRefilled = performance.now()
  #resting: NodeJS.Timeout | undefined

  constructor(services: Services, rooms: Rooms, board: string, socket: Socket) {
    this.#services = services
    this.#rooms = rooms
    this.#board = board
    this.#socket = socket
    this.#deadline = setTimeout(() => this.#end(close_codes.slow, 'No hello.'), room_limits.room_hello_ms)
  }

  receive(text: string): void {
    if (this.#ended) return
    if (!this.#greeted) {
      this.#greeted = true
      clearTimeout(this.#deadline)
      void this.#greet(text)
      return
    }
    if (this.#room === null || this.#member === null) {
      this.#end(close_codes.wrong, 'Wait for the welcome.')
      return
    }
    this.#rest(text.length)
    this.#handle(text, this.#room, this.#member)
  }

  /** The connection has ended. */
  gone(): void {
    this.#ended = true
    clearTimeout(this.#deadline)
    clearInterval(this.#check)
    clearTimeout(this.#resting)
    this.#socket.resume()
    if (this.#room !== null && this.#member !== null) this.#rooms.leave(this.#room, this.#member)
  }

  #handle(text: string, room: Room, member: Member): void {
    // Without an id a refusal concerns the connection.
    let id: number | null = null
    const isOver = !this.#spend()
    try {
      const read = readMessage(text)
      id = idOf(read)
      if (isOver) throw refuse('rate_limit_exceeded', { message: tooMany })
      const message = readClientMessage(read)
      if (message.type === 'change') room.change(member, message.id, message.elements)
      else {
        const { type: _, ...pointer } = message
        room.point(member, pointer)
      }
    } catch (error) {
      send(this.#socket, { type: 'refused', id, error: errorOf(error) })
      if (isOver && this.#excess > room_limits.room_excess_max) this.#end(close_codes.too_many, tooMany)
    }
  }

  /** Reads nothing more for as long as a message was too large for its time. */
  #rest(chars: number): void {
    const { room_frame_bytes_max, room_chars_per_second } = room_limits
    const now = performance.now()
    const refill = ((now - this.#charsRefilled) / 1000) * room_chars_per_second
    this.#chars = Math.min(room_frame_bytes_max, this.#chars + refill) - chars
    this.#charsRefilled = now
    if (this.#chars >= 0) return
    this.#socket.pause()
    clearTimeout(this.#resting)
    this.#resting = setTimeout(() => this.#socket.resume(), (-this.#chars / room_chars_per_second) * 1000)
  }

  #spend(): boolean {
    const now = performance.now()
    const refill = ((now - this.#refilled) / 1000) * room_limits.room_messages_per_second
    this.#tokens = Math.min(room_limits.room_burst_max, this.#tokens + refill)
    this.#refilled = now
    if (this.#tokens < 1) {
      this.#excess++
      return false
    }
    this.#tokens--
    this.#excess = 0
    return true
  }

  async #greet(text: string): Promise<void> {
    try {
      if (text.length > room_limits.room_hello_bytes_max) throw refuse('invalid_request_body')
      const visitor = await findVisitor(this.#services, readHello(text), this.#board)
      if (visitor === null) {
        this.#end(close_codes.unauthenticated, 'The token is not valid.')
        return
      }
      await this.#enter(visitor)
    } catch (error) {
      const { code, message } = errorOf(error)
      if (error instanceof StoreUnavailable) this.#end(close_codes.unavailable, 'The store is unavailable.')
      else this.#end(codes[code] ?? close_codes.wrong, message)
    }
  }

  async #enter(visitor: Visitor): Promise<void> {
    const { board, access } = await visitor.open(this.#board)
    const { author: user, guest } = visitor
    const socket = this.#socket
    const member: Member = {
      visitor,
      person: { connection: newId('con', this.#services.clock.now()), user, guest, access },
      behind: () => socket.behind(),
      close: (code, reason) => this.#end(code, reason),
      send: (sent) => {
        socket.send(sent)
        if (socket.behind() > room_limits.room_behind_bytes_max) this.#end(close_codes.slow, 'Messages are not read.')
      },
    }
    if (this.#ended) return
    this.#member = member
    const room = await this.#rooms.join(visitor, board, member)
    if (room === null) {
      const { room_people_max, room_guests_max } = room_limits
      const full = `At most ${room_people_max} people can be on a board, ${room_guests_max} of them guests.`
      this.#end(close_codes.full, full)
      return
    }
    this.#room = room
    if (this.#ended) this.#rooms.leave(room, member)
    else this.#check = setInterval(() => void this.#checkVisitor(visitor, board.id), visitor.check_ms)
  }

  /** Ends with the credential or the link, and tells the page when its rights have changed. */
  async #checkVisitor(visitor: Visitor, id: string): Promise<void> {
    try {
      if (!(await visitor.isStillValid())) {
        this.#end(close_codes.unauthenticated, 'The token is no longer valid.')
        return
      }
      const { access } = await visitor.open(id)
      if (this.#member === null || access === this.#member.person.access) return
      this.#member.person = { ...this.#member.person, access }
      send(this.#member, { type: 'access', access })
    } catch (error) {
      // Without an answer of the store the next check decides; every change is checked in its own transaction.
      if (error instanceof Refusal) this.#end(codes[error.code] ?? close_codes.unauthenticated, error.message)
    }
  }

  #end(code: number, reason: string): void {
    if (this.#ended) return
    this.#ended = true
    this.#socket.close(code, reason)
    this.gone()
  }
}

const tooMany = `At most ${room_limits.room_messages_per_second} messages per second are accepted. Send it again later.`

const codes: Readonly<Record<string, number>> = {
  resource_not_found: close_codes.not_found,
  resource_deleted: close_codes.not_found,
  link_invalid: close_codes.unauthenticated,
  insufficient_scope: close_codes.forbidden,
  plan_required: close_codes.forbidden,
}

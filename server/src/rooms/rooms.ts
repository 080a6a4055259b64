/** The rooms of this process. A room is opened by the first person on a board and ends when the last one has left. */
import type { Services } from '../api/services.ts'
import type { BoardRow } from '../db/schema.ts'
import { type Member, Room } from './room.ts'
import type { Visitor } from './visitor.ts'

/** Why a client is disconnected, as a WebSocket close code. */
export const close_codes = {
  restart: 1012,
  wrong: 4400,
  unauthenticated: 4401,
  forbidden: 4403,
  not_found: 4404,
  slow: 4408,
  full: 4409,
  too_many: 4429,
  unavailable: 4503,
} as const

export class Rooms {
  readonly #services: Services
  readonly #rooms = new Map<string, Promise<Room>>()
  #isClosed = false

  constructor(services: Services) {
    this.#services = services
  }

  /** Admits a client to a board. Returns null if the room is full, for guests when it has its number of them. */
  async join(visitor: Visitor, board: BoardRow, member: Member): Promise<Room | null> {
    const name = `${visitor.realm} ${board.id}`
    let opening = this.#rooms.get(name)
    if (opening === undefined) {
      opening = Room.open(this.#services, visitor, board)
      this.#rooms.set(name, opening)
      opening.catch(() => this.#rooms.delete(name))
    }
    const room = await opening
    if (room.isFullFor(visitor)) return null
    // The room may have ended while it was awaited.
    if (this.#rooms.get(name) !== opening) return await this.join(visitor, board, member)
    if (this.#isClosed) member.close(close_codes.restart, 'The server restarts.')
    else room.join(member)
    return room
  }

  leave(room: Room, member: Member): void {
    room.leave(member)
    if (!room.isEmpty) return
    this.#rooms.delete(`${room.key.realm} ${room.key.board}`)
    room.close(close_codes.restart, '')
  }

  /** Disconnects everyone. Clients return to another process or, after its restart, to this one. */
  async close(): Promise<void> {
    this.#isClosed = true
    const rooms = await Promise.allSettled(this.#rooms.values())
    for (const room of rooms) {
      if (room.status === 'fulfilled') room.value.close(close_codes.restart, 'The server restarts.')
    }
    this.#rooms.clear()
  }
}

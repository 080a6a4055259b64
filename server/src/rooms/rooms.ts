/** The rooms of this process. A room is opened by the first person on a board and ends when the last one has left. */
import type { Services } from '../api/services.ts'
import type { BoardRow } from '../db/schema.ts'
import type { BoardKey } from '../resources/board_items/scene/log.ts'
import { room_limits } from './limits.ts'
import { Presence } from './presence.ts'
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
  readonly #presence: Presence
  readonly #repeating: NodeJS.Timeout
  readonly #rooms = new Map<string, Promise<Room>>()
  #isClosed = false

  constructor(services: Services) {
    this.#services = services
    this.#presence = new Presence(services.store, services.clock.now(), (key, note) => {
      void whenOpen(this.#rooms.get(nameOf(key)), (room) => room.hear(note))
    })
    this.#repeating = setInterval(() => this.#repeat(), room_limits.room_people_repeat_ms)
    this.#repeating.unref()
  }

  /** Admits a client to a board. Returns null if the room is full, for guests when it has its number of them. */
  async join(visitor: Visitor, board: BoardRow, member: Member): Promise<Room | null> {
    const name = nameOf({ realm: visitor.realm, board: board.id })
    let opening = this.#rooms.get(name)
    if (opening === undefined) {
      opening = Room.open(this.#services, this.#presence, visitor, board)
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
    this.#rooms.delete(nameOf(room.key))
    room.close(close_codes.restart, '')
  }

  #repeat(): void {
    for (const opening of this.#rooms.values()) void whenOpen(opening, (room) => room.repeat())
  }

  /** Disconnects everyone. Clients return to another process or, after its restart, to this one. */
  async close(): Promise<void> {
    this.#isClosed = true
    const rooms = await Promise.allSettled(this.#rooms.values())
    for (const room of rooms) {
      if (room.status === 'fulfilled') room.value.close(close_codes.restart, 'The server restarts.')
    }
    this.#rooms.clear()
    clearInterval(this.#repeating)
    await this.#presence.close()
  }
}

/** Runs `act` on a room that this process has. Who waits for one that cannot be opened gets the error. */
async function whenOpen(opening: Promise<Room> | undefined, act: (room: Room) => void): Promise<void> {
  const room = await opening?.catch(() => undefined)
  if (room !== undefined) act(room)
}

function nameOf({ realm, board }: BoardKey): string {
  return `${realm} ${board}`
}

/**
 * Who is on a board, and what decides it: a credential of the organization, or the link that a guest has opened. A room asks
 * the visitor in the transaction of each change, and the connection asks again from time to time.
 */
import { actingUser, type Caller, type Tenant } from '../api/declare/caller.ts'
import { refuse } from '../api/declare/errors.ts'
import { requirePlan, requireScope } from '../api/request/authorize.ts'
import { requireLive } from '../api/request/target.ts'
import type { Services } from '../api/services.ts'
import type { BoardRow } from '../db/schema.ts'
import type { Reader, Scope } from '../db/store.ts'
import {
  accessOfLink,
  endedLink,
  findGuest,
  type PresentGuest,
  presentGuest,
  scopeOf,
} from '../resources/board_links/shared/guests.ts'
import { accessOf, type BoardAccess, mayOpen, requireEditor } from '../resources/board_members/shared/access.ts'
import { boardNoun } from '../resources/boards/board.ts'
import { room_limits } from './limits.ts'

export interface Visitor extends Tenant {
  readonly storeScope: Scope
  /** The author of the visitor's changes: a user, or a guest of a link. */
  readonly author: string
  /** The name that a guest has given; null for a member or a credential of the organization. */
  readonly guest: string | null
  /** How often the connection asks whether the visitor may stay. */
  readonly check_ms: number
  /** Whether the credential or the session still stands. Rejects with StoreUnavailable. */
  isStillValid(): Promise<boolean>
  /** The board, and what the visitor may do on it. Refuses a board that the visitor may not open. */
  open(board: string): Promise<{ readonly board: BoardRow; readonly access: BoardAccess }>
  /** Refuses a visitor who may not draw. */
  requireEditor(reader: Reader, board: BoardRow): Promise<void>
}

/** The visitor of a token; null if it is not valid, or that of a guest of another board. */
export async function findVisitor(services: Services, token: string, board: string): Promise<Visitor | null> {
  const now = services.clock.now()
  const caller = await services.credentials.find(token, now)
  if (caller !== null) return caller.resource === 'mcp' ? null : visitorOfCaller(services, caller)
  const present = await findGuest(services, token, now)
  return present === null || present.board.id !== board ? null : visitorOfGuest(services, present)
}

function visitorOfCaller({ store, clock, credentials }: Services, caller: Caller): Visitor {
  const { organization, realm, storeScope } = caller
  return {
    ...{ organization, realm, storeScope, author: actingUser(caller), guest: null },
    check_ms: caller.guest === null ? room_limits.room_credential_check_ms : room_limits.room_guest_check_ms,
    isStillValid: () => credentials.isStillValid(caller, clock.now()),
    async open(id) {
      requirePlan(caller)
      requireScope(caller, 'boards:read')
      const reader = store.reader(storeScope)
      const board = await requireLive(boardNoun, reader, caller, id)
      if (!(await mayOpen(reader, caller, board))) throw refuse('resource_not_found', { message: 'No such board.' })
      return { board, access: await accessOf(reader, caller, board) }
    },
    requireEditor: (reader, board) => requireEditor(reader, caller, board),
  }
}

function visitorOfGuest({ store, clock }: Services, { guest, link }: PresentGuest): Visitor {
  const { organization, realm, id } = guest
  const storeScope = scopeOf(guest)
  const look = (reader: Reader) => presentGuest(reader, { realm, id }, clock.now())
  return {
    ...{ organization, realm, storeScope, author: id, guest: guest.name },
    check_ms: room_limits.room_guest_check_ms,
    isStillValid: async () => (await look(store.reader(storeScope))) !== null,
    async open(board) {
      const present = await look(store.reader(storeScope))
      if (present === null || present.board.id !== board) throw endedLink()
      return { board: present.board, access: accessOfLink(link) }
    },
    async requireEditor(reader, board) {
      const present = await look(reader)
      if (present === null || present.board.id !== board.id) throw endedLink()
      if (present.link.role !== 'editor') {
        throw refuse('insufficient_scope', { message: 'The link is not for drawing.' })
      }
    },
  }
}

/** What the canvas and the comments of a guest's page need: a session that begins again by itself, images, and names. */
import { useMemo, useRef } from 'react'
import { app } from '../../../data/app-api.ts'
import { Badge } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import type { BoardHost } from '../live/host.ts'
import { personName } from '../live/person-name.ts'
import { type BoardGuest, beginSession, isEnded } from './session.ts'

export interface GuestHost extends BoardHost {
  /** Makes a call with the token of the session, and once more with that of another one if it has ended. */
  readonly call: <T>(send: (token: string) => Promise<T>) => Promise<T>
}

/** Guests do not see the names of members. */
const nameOf: BoardHost['nameOf'] = (person) => personName(person, (id) => id)

/** Of a task, a guest learns nothing beyond what the drawing holds. */
function GuestCard() {
  return <Badge>{t('A task')}</Badge>
}

/** Begins another session with the same name when the former one has ended, until the link has ended. */
export function useGuestHost(secret: string, begun: BoardGuest, onEnd: () => void): GuestHost {
  const session = useRef(begun)
  const ended = useRef(onEnd)
  ended.current = onEnd
  return useMemo<GuestHost>(() => {
    const token = async (refused: string | null) => {
      if (session.current.token !== refused) return session.current.token
      try {
        session.current = await beginSession(secret, session.current.guest.name)
        return session.current.token
      } catch (error) {
        if (isEnded(error)) ended.current()
        throw error
      }
    }
    const call: GuestHost['call'] = async (send) => {
      const used = await token(null)
      try {
        return await send(used)
      } catch (error) {
        if (!isEnded(error)) throw error
        return await send(await token(used))
      }
    }
    const storeImage = (file: string, data_url: string) =>
      call((by) => app('POST board-guests/images/store', { body: { token: by, file, data_url } }))
    return {
      board: begun.board.id,
      token,
      call,
      readImage: async (file) =>
        (await call((by) => app('POST board-guests/images', { body: { token: by, file } }))).data_url,
      storeImage: begun.role === 'editor' ? storeImage : null,
      nameOf,
      Card: GuestCard,
      ArrowOffer: null,
      openTask: null,
    }
  }, [begun.board.id, begun.role, secret])
}

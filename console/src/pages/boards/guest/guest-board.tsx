/** The board of a link: the canvas and who is on it, without navigation, tasks, comments or members. */
import '../boards.css'
import '../live/live.css'
import './guest.css'
import { lazy, Suspense, useCallback, useMemo, useRef, useState } from 'react'
import { app } from '../../../data/app-api.ts'
import { Badge, Notice, usePageTitle } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import type { Canvas } from '../live/editor.tsx'
import type { BoardHost } from '../live/host.ts'
import { BoardPeople, BoardState } from '../live/people.tsx'
import { guestName, personName } from '../live/person-name.ts'
import type { PinsOnCanvas } from '../live/pins.tsx'
import { type BoardGuest, beginSession, isEnded } from './session.ts'

const Editor = lazy(() => import('../live/editor.tsx').then((module) => ({ default: module.Editor })))

const no_comments: PinsOnCanvas = { pins: [], chosen: null, isPlacing: false, onOpen: () => {}, onPlace: () => {} }

interface GuestBoardProps {
  readonly secret: string
  readonly begun: BoardGuest
  readonly onEnd: () => void
}

export function GuestBoard({ secret, begun, onEnd }: GuestBoardProps) {
  const { board, role, guest } = begun
  const host = useGuestHost(secret, begun, onEnd)
  const [canvas, setCanvas] = useState<Canvas | null>(null)
  const onCanvas = useCallback((now: Canvas) => setCanvas(now), [])
  usePageTitle(board.name)
  return (
    <main className="guest-board">
      <header className="guest-head">
        <h1 className="guest-title cut">{board.name}</h1>
        <span className="guest-self cut">{guestName(guest.name)}</span>
        {canvas !== null && <BoardState live={canvas.live} />}
        {canvas !== null && <BoardPeople people={canvas.live.people} nameOf={nameOf} />}
      </header>
      {canvas !== null && <Notices canvas={canvas} role={role} />}
      <div className="board-canvas" aria-busy={canvas === null || canvas.live.access === null}>
        <Suspense>
          <Editor host={host} name={board.name} isArchived={false} comments={no_comments} onCanvas={onCanvas} />
        </Suspense>
      </div>
    </main>
  )
}

function Notices({ canvas: { live }, role }: { readonly canvas: Canvas; readonly role: BoardGuest['role'] }) {
  return (
    <>
      {role === 'viewer' && <Notice tone="info" title={t('You can look at this board')} />}
      {live.state === 'connecting' && live.reason !== '' && <Notice tone="warn" title={live.reason} />}
      {live.refusal !== null && (
        <Notice tone="warn" title={t('A change was not accepted')}>
          {live.refusal}
        </Notice>
      )}
    </>
  )
}

/** Guests do not see the names of members. */
const nameOf: BoardHost['nameOf'] = (person) => personName(person, (id) => id)

/** Of a task, a guest learns nothing beyond what the drawing holds. */
function GuestCard() {
  return <Badge>{t('A task')}</Badge>
}

/** Begins another session with the same name when the former one has ended, until the link has ended. */
function useGuestHost(secret: string, begun: BoardGuest, onEnd: () => void): BoardHost {
  const session = useRef(begun)
  const ended = useRef(onEnd)
  ended.current = onEnd
  return useMemo<BoardHost>(
    () => ({
      board: begun.board.id,
      async token(refused) {
        if (session.current.token !== refused) return session.current.token
        try {
          session.current = await beginSession(secret, session.current.guest.name)
          return session.current.token
        } catch (error) {
          if (isEnded(error)) ended.current()
          throw error
        }
      },
      readImage: async (file) =>
        (await app('POST board-guests/images', { body: { token: session.current.token, file } })).data_url,
      storeImage: null,
      nameOf,
      Card: GuestCard,
      openTask: null,
    }),
    [begun.board.id, secret],
  )
}

/** The board of a link: the canvas, who is on it, and its comments if the link is for them, without navigation, tasks or members. */
import '../boards.css'
import '../live/live.css'
import './guest.css'
import { MessageSquare, Presentation } from 'lucide-react'
import { lazy, Suspense, useCallback, useState } from 'react'
import { guestName } from '../../../app/guest-name.ts'
import { IconButton, Notice, usePageTitle } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import type { Canvas } from '../live/editor.tsx'
import { BoardPeople, BoardState } from '../live/people.tsx'
import type { PinsOnCanvas } from '../live/pins.tsx'
import { usePinsOnCanvas } from '../live/pins-on-canvas.ts'
import { authorName, GuestCommentsPanel, plainText } from './comments-panel.tsx'
import { useGuestHost } from './host.tsx'
import type { BoardGuest } from './session.ts'
import { type GuestThreads, useGuestThreads } from './threads.ts'

const Editor = lazy(() => import('../live/editor.tsx').then((module) => ({ default: module.Editor })))

interface GuestBoardProps {
  readonly secret: string
  readonly begun: BoardGuest
  readonly onEnd: () => void
}

export function GuestBoard({ secret, begun, onEnd }: GuestBoardProps) {
  const { board, role, guest } = begun
  const host = useGuestHost(secret, begun, onEnd)
  const canComment = role !== 'viewer'
  const [canvas, setCanvas] = useState<Canvas | null>(null)
  const [isPanelOpen, setPanelOpen] = useState(role === 'commenter')
  const threads = useGuestThreads(host, canComment)
  const comments = usePins(threads, isPanelOpen, () => setPanelOpen(true))
  const onCanvas = useCallback((now: Canvas) => setCanvas(now), [])
  usePageTitle(board.name)
  return (
    <main className="guest-board">
      <header className="guest-head">
        <h1 className="guest-title cut">{board.name}</h1>
        <span className="guest-self cut">{guestName(guest.name)}</span>
        {canvas !== null && <BoardState live={canvas.live} />}
        {canvas !== null && <BoardPeople people={canvas.live.people} nameOf={host.nameOf} />}
        {canvas !== null && <IconButton icon={Presentation} label={t('Present frames')} onClick={canvas.present} />}
        {canComment && (
          <IconButton
            icon={MessageSquare}
            label={t('Comments')}
            pressed={isPanelOpen}
            onClick={() => setPanelOpen((isOpen) => !isOpen)}
          />
        )}
      </header>
      {canvas !== null && <Notices canvas={canvas} role={role} />}
      <div className="board-view">
        <div className="board-canvas" aria-busy={canvas === null || canvas.live.access === null}>
          <Suspense>
            <Editor host={host} name={board.name} isArchived={false} comments={comments} onCanvas={onCanvas} />
          </Suspense>
        </div>
        {canComment && isPanelOpen && canvas !== null && (
          <GuestCommentsPanel threads={threads} onPlaceInMiddle={() => comments.onPlace(canvas.middle())} />
        )}
      </div>
    </main>
  )
}

/** The open threads as pins, with the chosen one and the one that is being written. */
function usePins(threads: GuestThreads, isPanelOpen: boolean, openPanel: () => void): PinsOnCanvas {
  const { all = [], chosen } = threads
  const open = all.filter(({ id, first }) => !first.is_resolved || id === chosen?.id)
  const pins = open.flatMap(({ id, first }) => {
    const { position, element, guest } = first
    if (position === null) return []
    const name = authorName(first)
    const label = t('Comment of {name}: {text}', { name, text: plainText(first).slice(0, label_chars_max) })
    return [{ id, position, element, label, author: { id: guest ?? 'member', name: guest ?? name } }]
  })
  const own = { label: t('New comment'), author: { id: 'new', name: '+' } }
  const onOpen = (id: string) => {
    threads.choose(id)
    openPanel()
  }
  return usePinsOnCanvas(threads, { pins, own, chosen: chosen?.id ?? null, isPanelOpen, onOpen })
}

const label_chars_max = 140

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

/** Drawing on a board, together with everyone who is on it. */
import './boards.css'
import './drawing.css'
import './live/live.css'
import type { Board } from '@atrium/sdk'
import { Eye, History, ListChecks, MessageSquare, Presentation, Users } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useCallback, useState } from 'react'
import { Link, useParams } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { FavoriteButton } from '../../app/favorites.tsx'
import { guestName } from '../../app/guest-name.ts'
import { useTaskPanel } from '../../app/task-panel.ts'
import { useDirectory, useSession, useUrlPanel, useWrite } from '../../data/index.ts'
import { Button, ButtonLink, IconButton, Notice, Page } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { BoardTrail } from './board-trail.tsx'
import { CommentsPanel } from './live/comments-panel.tsx'
import type { BoardAccess } from './live/connection.ts'
import type { Canvas } from './live/editor.tsx'
import { HistoryPanel } from './live/history-panel.tsx'
import { useMemberHost } from './live/host.ts'
import { BoardPeople, BoardState } from './live/people.tsx'
import type { PinsOnCanvas } from './live/pins.tsx'
import { usePinsOnCanvas } from './live/pins-on-canvas.ts'
import { TasksPanel } from './live/tasks-panel.tsx'
import { type BoardThreads, useThreads } from './live/threads.ts'
import { Members } from './members.tsx'
import { useBoard } from './reads.ts'

const Editor = lazy(() => import('./live/editor.tsx').then((module) => ({ default: module.Editor })))

export function DrawPage() {
  const { id = '' } = useParams()
  const { data: board, error, refetch } = useBoard(id)
  if (error && board === undefined) {
    return (
      <Page title={t('Board')} trail={<Link href="/boards">{t('Boards')}</Link>}>
        <ErrorState error={error} onRetry={() => void refetch()} />
      </Page>
    )
  }
  return <DrawView key={id} id={id} board={board} />
}

function DrawView({ id, board }: { readonly id: string; readonly board: Board | undefined }) {
  const { value: panel, open, close } = useUrlPanel('panel')
  const [canvas, setCanvas] = useState<Canvas | null>(null)
  const onCanvas = useCallback((now: Canvas) => setCanvas(now), [])
  const task = useUrlPanel('task', task_params)
  const host = useMemberHost(id, task.open)
  const threads = useThreads(id)
  const comments = usePins(threads, panel === 'comments')
  return (
    <Page
      title={board?.name ?? t('Board')}
      beside={board && <FavoriteButton id={id} />}
      trail={<BoardTrail board={board} />}
      width="full"
      fixed
      actions={
        <>
          {canvas !== null && <BoardState live={canvas.live} />}
          {canvas !== null && <BoardPeople people={canvas.live.people} nameOf={host.nameOf} />}
          <ButtonLink icon={Eye} to={`/boards/${id}`}>
            {t('View')}
          </ButtonLink>
          {canvas !== null && <IconButton icon={Presentation} label={t('Present frames')} onClick={canvas.present} />}
          <PanelButtons panel={panel} onToggle={(name) => (panel === name ? close() : open(name))} />
        </>
      }
    >
      <div className="board-body">
        {board !== undefined && canvas !== null && <Notices board={board} canvas={canvas} />}
        <div className="board-view">
          <div className="board-canvas" aria-busy={canvas === null || canvas.live.access === null}>
            {board !== undefined && (
              <Suspense>
                <Editor
                  host={host}
                  name={board.name}
                  isArchived={board.status === 'archived'}
                  comments={comments}
                  onCanvas={onCanvas}
                />
              </Suspense>
            )}
          </div>
          {board !== undefined && <OpenPanel {...{ panel, board, canvas, threads }} onPlace={comments.onPlace} />}
        </div>
      </div>
      {task.value !== null && <OpenTask id={task.value} onClose={task.close} />}
    </Page>
  )
}

/** Parameters of the address that belong to the panel of a task. */
const task_params = ['part'] as const

function OpenTask({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const TaskPanel = useTaskPanel()
  return (
    TaskPanel && (
      <Suspense>
        <TaskPanel id={id} onClose={onClose} />
      </Suspense>
    )
  )
}

const panels = [
  { name: 'tasks', icon: ListChecks, label: t('Tasks') },
  { name: 'comments', icon: MessageSquare, label: t('Comments') },
  { name: 'history', icon: History, label: t('History') },
  { name: 'members', icon: Users, label: t('Members') },
] as const

interface PanelButtonsProps {
  readonly panel: string | null
  readonly onToggle: (name: string) => void
}

function PanelButtons({ panel, onToggle }: PanelButtonsProps) {
  return panels.map(({ name, icon, label }) => (
    <IconButton key={name} icon={icon} label={label} pressed={panel === name} onClick={() => onToggle(name)} />
  ))
}

function Notices({ board, canvas: { live } }: { readonly board: Board; readonly canvas: Canvas }) {
  return (
    <>
      {live.access !== null && !canDrawOn(board, live.access) && <ReadOnly board={board} access={live.access} />}
      {live.state === 'ended' && (
        <Notice tone="bad" title={t('The board cannot be shown')}>
          {live.reason}
        </Notice>
      )}
      {live.refusal && (
        <Notice tone="warn" title={t('A change was not accepted')}>
          {live.refusal}
        </Notice>
      )}
    </>
  )
}

function canDrawOn(board: Board, access: BoardAccess | null): boolean {
  return access === 'editor' && board.status !== 'archived'
}

interface OpenPanelProps {
  readonly panel: string | null
  readonly board: Board
  readonly canvas: Canvas | null
  readonly threads: BoardThreads
  readonly onPlace: PinsOnCanvas['onPlace']
}

function OpenPanel({ panel, board, canvas, threads, onPlace }: OpenPanelProps) {
  const access = canvas?.live.access ?? null
  const canDraw = canDrawOn(board, access)
  return (
    <>
      {panel === 'tasks' && canvas !== null && (
        <Panel title={t('Tasks')}>
          <TasksPanel
            project={board.project}
            notes={canvas.notes}
            canDraw={canDraw}
            onPlace={canvas.place}
            onMade={canvas.link}
            onUnmade={canvas.unlink}
          />
        </Panel>
      )}
      {panel === 'comments' && canvas !== null && access !== null && (
        <Panel title={t('Comments')}>
          <CommentsPanel
            threads={threads}
            access={board.status === 'archived' ? 'viewer' : access}
            onPlaceInMiddle={() => onPlace(canvas.middle())}
          />
        </Panel>
      )}
      {panel === 'history' && (
        <Panel title={t('History')}>
          <HistoryPanel board={board.id} canDraw={canDraw} />
        </Panel>
      )}
      {panel === 'members' && (
        <Panel title={t('Members')}>
          <Members board={board} />
        </Panel>
      )}
    </>
  )
}

/** The open threads as pins, with the chosen one and the one that is being written. */
function usePins(threads: BoardThreads, isPanelOpen: boolean): PinsOnCanvas {
  const { nameOf } = useDirectory()
  const { user } = useSession()
  const { list, chosen, withResolved } = threads
  const open = (list.all ?? []).filter(
    ({ id, first }) => withResolved || first.resolved_at === null || id === chosen?.id,
  )
  const pins = open.flatMap(({ id, first: { position, element, author, guest }, text }) => {
    const name = guest === null ? nameOf(author.id) : guestName(guest)
    const label = t('Comment of {name}: {text}', { name, text })
    return position === null ? [] : [{ id, position, element, label, author: { id: author.id, name: guest ?? name } }]
  })
  const own = { label: t('New comment'), author: { id: user.id, name: nameOf(user.id) } }
  return usePinsOnCanvas(threads, { pins, own, chosen: chosen?.id ?? null, isPanelOpen, onOpen: threads.open })
}

/** Says why a person cannot draw, and lets a person without a membership join. */
function ReadOnly({ board, access }: { readonly board: Board; readonly access: BoardAccess }) {
  const session = useSession()
  const join = useWrite({
    write: (atrium, user: string) => atrium.boards.members.create(board.id, { user, role: 'editor' }),
    invalidates: ['board_member', 'board'],
    done: () => t('You can draw on this board'),
  })
  if (board.status === 'archived') {
    return (
      <Notice tone="warn" title={t('This board is archived')}>
        {t('It is read-only until someone restores it.')}
      </Notice>
    )
  }
  const user = session?.user.id
  return (
    <Notice
      tone="info"
      title={access === 'commenter' ? t('You can comment on this board') : t('You can look at this board')}
      actions={
        user !== undefined &&
        session.role !== 'guest' && (
          <Button busy={join.busy} onClick={() => void join.run(user).then(() => location.reload())}>
            {t('Join to draw')}
          </Button>
        )
      }
    >
      {t('Only its editors can draw on it.')}
    </Notice>
  )
}

function Panel({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <aside className="board-panel" aria-label={title}>
      <h2 className="section-title">{title}</h2>
      {children}
    </aside>
  )
}

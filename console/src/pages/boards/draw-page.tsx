/** Drawing on a board, together with everyone who is on it. */
import './boards.css'
import './drawing.css'
import './live/live.css'
import type { Board } from '@atrium/sdk'
import { Eye, History, ListChecks, Users } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useCallback, useState } from 'react'
import { Link, useParams } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { useDirectory, useSession, useUrlPanel, useWrite } from '../../data/index.ts'
import { Avatar, Badge, Button, ButtonLink, IconButton, Notice, Page } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { BoardTrail } from './board-trail.tsx'
import type { Canvas } from './live/editor.tsx'
import { HistoryPanel } from './live/history-panel.tsx'
import { TasksPanel } from './live/tasks-panel.tsx'
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
  const toggle = (name: string) => (panel === name ? close() : open(name))
  const access = canvas?.live.access ?? null
  const canDraw = access === 'editor' && board?.status !== 'archived'
  return (
    <Page
      title={board?.name ?? t('Board')}
      trail={<BoardTrail board={board} />}
      width="full"
      fixed
      actions={
        <>
          {canvas !== null && <State canvas={canvas} />}
          {canvas !== null && <People canvas={canvas} />}
          <ButtonLink icon={Eye} to={`/boards/${id}`}>
            {t('View')}
          </ButtonLink>
          <IconButton
            icon={ListChecks}
            label={t('Tasks')}
            pressed={panel === 'tasks'}
            onClick={() => toggle('tasks')}
          />
          <IconButton
            icon={History}
            label={t('History')}
            pressed={panel === 'history'}
            onClick={() => toggle('history')}
          />
          <IconButton
            icon={Users}
            label={t('Members')}
            pressed={panel === 'members'}
            onClick={() => toggle('members')}
          />
        </>
      }
    >
      <div className="board-body">
        {board !== undefined && canvas !== null && access !== null && !canDraw && <ReadOnly board={board} />}
        {canvas !== null && canvas.live.state === 'ended' && (
          <Notice tone="bad" title={t('The board cannot be shown')}>
            {canvas.live.reason}
          </Notice>
        )}
        {canvas?.live.refusal && (
          <Notice tone="warn" title={t('A change was not accepted')}>
            {canvas.live.refusal}
          </Notice>
        )}
        <div className="board-view">
          <div className="board-canvas" aria-busy={canvas === null || canvas.live.access === null}>
            {board !== undefined && (
              <Suspense>
                <Editor board={id} name={board.name} isArchived={board.status === 'archived'} onCanvas={onCanvas} />
              </Suspense>
            )}
          </div>
          {panel === 'tasks' && canvas !== null && (
            <Panel title={t('Tasks')}>
              <TasksPanel
                project={board?.project ?? null}
                notes={canvas.notes}
                canDraw={canDraw}
                onPlace={canvas.place}
                onMade={canvas.link}
                onUnmade={canvas.unlink}
              />
            </Panel>
          )}
          {panel === 'history' && (
            <Panel title={t('History')}>
              <HistoryPanel board={id} canDraw={canDraw} />
            </Panel>
          )}
          {panel === 'members' && board !== undefined && (
            <Panel title={t('Members')}>
              <Members board={board} />
            </Panel>
          )}
        </div>
      </div>
    </Page>
  )
}

function State({ canvas: { live } }: { readonly canvas: Canvas }) {
  const text = live.state === 'connecting' ? t('Connecting…') : live.saved ? t('Saved') : t('Saving…')
  return (
    <span role="status">
      <Badge tone={live.state === 'connecting' ? 'warn' : 'neutral'}>{text}</Badge>
    </span>
  )
}

/** Who is on the board, once per person. */
function People({ canvas: { live } }: { readonly canvas: Canvas }) {
  const { nameOf } = useDirectory()
  const users = [...new Set(live.people.map(({ user }) => user))]
  return (
    <ul className="live-people" aria-label={t('On this board')}>
      {users.slice(0, 6).map((user) => (
        <li key={user} title={nameOf(user)}>
          <Avatar name={nameOf(user)} id={user} size="s" />
          <span className="unseen">{nameOf(user)}</span>
        </li>
      ))}
      {users.length > 6 && <li className="subtle">+{users.length - 6}</li>}
    </ul>
  )
}

/** Says why a person cannot draw, and lets a person without a membership join. */
function ReadOnly({ board }: { readonly board: Board }) {
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
      title={t('You can look at this board')}
      actions={
        user !== undefined && (
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

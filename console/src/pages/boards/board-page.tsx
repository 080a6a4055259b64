/** One board: its drawing, its members, and its texts as a list. A dropped file becomes the next snapshot. */
import './boards.css'
import type { AtriumEvent, Board } from '@atrium/sdk'
import { ArchiveRestore, ImageUp, Pencil, PenTool, Text, Users } from 'lucide-react'
import { type ReactNode, useCallback } from 'react'
import { Link, useParams } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { FavoriteButton } from '../../app/favorites.tsx'
import { useShortcut } from '../../app/shortcuts.ts'
import { useEvents, useUrlPanel } from '../../data/index.ts'
import { Button, ButtonLink, Empty, IconButton, Notice, Page, Skeleton, SkeletonLines } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { BoardMenu } from './board-card.tsx'
import { BoardTrail } from './board-trail.tsx'
import { Canvas } from './canvas.tsx'
import { Freshness } from './freshness.tsx'
import { useImport } from './import-drawing.tsx'
import { ItemList } from './item-list.tsx'
import { Members } from './members.tsx'
import { useBoard, useRestore, useScene } from './reads.ts'
import type { Scene } from './scene.ts'

export function BoardPage() {
  const { id = '' } = useParams()
  const board = useBoard(id)
  const { data, refetch } = board
  useEvents(
    useCallback(
      (event: AtriumEvent) => {
        // Read again instead of taking the event's object: the event of an archived board holds its former state.
        const { id: changed } = event.data.object as { readonly id?: string }
        if (event.type.startsWith('whiteboard.board.') && changed === id) void refetch()
      },
      [id, refetch],
    ),
  )
  if (board.error && data === undefined) {
    return (
      <Page title={t('Board')} trail={<Link href="/boards">{t('Boards')}</Link>}>
        <ErrorState error={board.error} onRetry={() => void refetch()} />
      </Page>
    )
  }
  return <BoardView board={data} onChanged={() => void refetch()} />
}

function BoardView({ board, onChanged }: { readonly board: Board | undefined; readonly onChanged: () => void }) {
  const { value: panel, open, close } = useUrlPanel('panel')
  const isActive = board?.status === 'active'
  // Shown while the board is being read, because most boards have it and nothing should move.
  const mayPublish = board === undefined || isActive
  const importing = useImport(board ?? null, onChanged, isActive)
  const toggle = (name: string) => (panel === name ? close() : open(name))
  useShortcut('t', t('Show texts'), () => toggle('texts'))
  useShortcut('m', t('Show members'), () => toggle('members'))
  return (
    <Page
      title={board?.name ?? t('Board')}
      beside={board && <FavoriteButton id={board.id} />}
      trail={<BoardTrail board={board} />}
      description={board === undefined ? ' ' : <Freshness board={board} />}
      width="full"
      fixed
      actions={
        <>
          {mayPublish && (
            <Button icon={ImageUp} busy={importing.busy} disabled={board === undefined} onClick={importing.choose}>
              {t('Publish drawing')}
            </Button>
          )}
          {mayPublish && (
            <ButtonLink kind="primary" icon={Pencil} to={`/boards/${board?.id ?? ''}/draw`}>
              {t('Draw')}
            </ButtonLink>
          )}
          <IconButton
            icon={Text}
            label={t('Texts')}
            keys="t"
            pressed={panel === 'texts'}
            onClick={() => toggle('texts')}
          />
          <IconButton
            icon={Users}
            label={t('Members')}
            keys="m"
            pressed={panel === 'members'}
            onClick={() => toggle('members')}
          />
          {board === undefined ? (
            <Skeleton width="var(--control-s)" height="var(--control-s)" />
          ) : (
            <BoardMenu board={board} onDone={onChanged} />
          )}
        </>
      }
    >
      {importing.surface}
      <Body board={board} panel={panel} onChoose={importing.choose} onChanged={onChanged} />
    </Page>
  )
}

interface BodyProps {
  readonly board: Board | undefined
  readonly panel: string | null
  readonly onChoose: () => void
  readonly onChanged: () => void
}

function Body({ board, panel, onChoose, onChanged }: BodyProps) {
  const { scene, error, refetch } = useScene(board)
  return (
    <div className="board-body">
      {board?.status === 'archived' && <Archived board={board} onChanged={onChanged} />}
      <div className="board-view">
        <Surface {...{ board, scene, error, refetch, onChoose }} />
        {board !== undefined && panel === 'members' && (
          <Panel title={t('Members')}>
            <Members board={board} />
          </Panel>
        )}
        {panel === 'texts' && (
          <Panel title={t('Texts')}>
            {scene === undefined ? <SkeletonLines lines={8} /> : <ItemList scene={scene} />}
          </Panel>
        )}
      </div>
    </div>
  )
}

interface SurfaceProps {
  readonly board: Board | undefined
  readonly scene: Scene | undefined
  readonly error: Error | null
  readonly refetch: () => void
  readonly onChoose: () => void
}

function Surface({ board, scene, error, refetch, onChoose }: SurfaceProps) {
  if (board === undefined || (scene === undefined && error === null)) {
    return <div className="board-canvas" aria-busy="true" />
  }
  if (scene === undefined) {
    return (
      <div className="board-canvas board-nothing">
        <ErrorState error={error} onRetry={refetch} plain />
      </div>
    )
  }
  if (scene.placed.length > 0) return <Canvas name={board.name} scene={scene} />
  return (
    <div className="board-canvas board-nothing">
      <Empty
        icon={PenTool}
        title={t('This board is empty')}
        plain
        actions={
          board.status === 'active' && (
            <>
              <ButtonLink kind="primary" icon={Pencil} to={`/boards/${board.id}/draw`}>
                {t('Draw')}
              </ButtonLink>
              <Button icon={ImageUp} onClick={onChoose}>
                {t('Choose file')}
              </Button>
            </>
          )
        }
      >
        {t(
          'Draw here together, or drop a file of Excalidraw on this page. Link an element to the page of a task to show the task on the board with its current status.',
        )}
      </Empty>
    </div>
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

function Archived({ board, onChanged }: { readonly board: Board; readonly onChanged: () => void }) {
  const restore = useRestore()
  return (
    <Notice
      tone="warn"
      title={t('This board is archived')}
      actions={
        <Button icon={ArchiveRestore} busy={restore.busy} onClick={() => void restore.run(board.id).then(onChanged)}>
          {t('Restore')}
        </Button>
      }
    >
      {t('It is read-only until you restore it.')}
    </Notice>
  )
}

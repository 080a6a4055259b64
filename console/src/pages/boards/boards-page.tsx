/** The boards, each with a picture of its drawing. A file dropped anywhere becomes one. */
import './boards.css'
import { ImageUp, PenTool, Plus } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { useShortcut } from '../../app/shortcuts.ts'
import { useSession, useUrlParam } from '../../data/index.ts'
import { Button, CodeBlock, Empty, More, Page, Skeleton, Switch } from '../../design/index.ts'
import { BoardCard } from './board-card.tsx'
import { useImport } from './import-drawing.tsx'
import { CreateDialog } from './name-dialog.tsx'
import { useBoards } from './reads.ts'

const skeletons = ['a', 'b', 'c', 'd', 'e', 'f']

export function BoardsPage() {
  const [archived, setArchived] = useUrlParam('archived')
  const [creating, setCreating] = useState(false)
  const [, navigate] = useLocation()
  const list = useBoards(archived !== null)
  const importing = useImport(null, ({ id }) => navigate(`/boards/${id}`), !creating)
  useShortcut('n', 'New board', () => setCreating(true))
  const rows = list.rows?.filter(({ status }) => archived !== null || status === 'active')
  return (
    <Page
      title="Boards"
      description="Drawings that the organization shares, with the tasks on them as they stand now."
      width="full"
      actions={
        <>
          <Switch label="Archived" checked={archived !== null} onChange={(next) => setArchived(next ? '1' : null)} />
          <Button icon={ImageUp} busy={importing.busy} onClick={importing.choose}>
            Import
          </Button>
          <Button kind="primary" icon={Plus} onClick={() => setCreating(true)}>
            New board
          </Button>
        </>
      }
    >
      {importing.surface}
      {creating && <CreateDialog onClose={() => setCreating(false)} />}
      {list.error ? (
        <ErrorState error={list.error} onRetry={list.refetch} />
      ) : rows === undefined ? (
        <Waiting />
      ) : rows.length === 0 ? (
        <NoBoards onChoose={importing.choose} />
      ) : (
        <div className="stack">
          <ul className="board-grid" aria-label="Boards">
            {rows.map((board) => (
              <BoardCard key={board.id} board={board} />
            ))}
          </ul>
          <More hasMore={list.hasMore} busy={list.isLoadingMore} onMore={list.more} shown={rows.length} />
        </div>
      )}
    </Page>
  )
}

function Waiting() {
  return (
    <div className="board-grid" aria-busy="true">
      {skeletons.map((key) => (
        <div className="board-card" key={key}>
          <div className="board-thumbnail" />
          <div className="board-card-foot">
            <div className="board-card-text">
              <Skeleton width="60%" />
              <Skeleton width="40%" />
            </div>
          </div>
        </div>
      ))}
    </div>
  )
}

function NoBoards({ onChoose }: { readonly onChoose: () => void }) {
  const { organization } = useSession()
  return (
    <div className="stack">
      <Empty
        icon={PenTool}
        title="No boards yet"
        actions={
          <Button icon={ImageUp} onClick={onChoose}>
            Choose a drawing
          </Button>
        }
      >
        A board shows an Excalidraw drawing to everybody. What links to a task’s page is shown as that task, with its
        status and assignee as they are now. Drop a file anywhere on this page, or import one from the command line:
      </Empty>
      <CodeBlock code={`atrium board import plan.excalidraw --organization ${organization.id} --name Plan`} wrap />
    </div>
  )
}

/** A grid of boards with their thumbnails: loading, failed, empty, or loaded. */
import type { Board } from '@atrium/sdk'
import type { ReactNode } from 'react'
import { ErrorState } from '../../app/error-state.tsx'
import { More, Skeleton } from '../../design/index.ts'
import { BoardCard } from './board-card.tsx'
import type { useBoards } from './reads.ts'

const skeletons = ['a', 'b', 'c', 'd', 'e', 'f']

interface BoardGridProps {
  readonly label: string
  readonly list: ReturnType<typeof useBoards>
  /** The rows to show. */
  readonly rows: readonly Board[] | undefined
  /** Shown without boards. */
  readonly empty: ReactNode
}

export function BoardGrid({ label, list, rows, empty }: BoardGridProps) {
  if (list.error) return <ErrorState error={list.error} onRetry={list.refetch} />
  if (rows === undefined) return <CardSkeletons />
  if (rows.length === 0) return empty
  return (
    <div className="stack">
      <ul className="board-grid" aria-label={label}>
        {rows.map((board) => (
          <BoardCard key={board.id} board={board} />
        ))}
      </ul>
      <More hasMore={list.hasMore} busy={list.isLoadingMore} onMore={list.loadMore} shown={rows.length} />
    </div>
  )
}

function CardSkeletons() {
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

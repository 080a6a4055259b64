/** How fresh a board's drawing is. */
import type { Board } from '@atrium/sdk'
import { Badge, RelativeTime } from '../../design/index.ts'

export function Freshness({ board }: { readonly board: Board }) {
  const { status, published_at, pending_changes } = board.snapshot
  if (board.status === 'archived') {
    return (
      <span className="board-fresh">
        <Badge>archived</Badge>
        <RelativeTime at={board.archived_at} />
      </span>
    )
  }
  if (status === 'none') return <Badge>no drawing yet</Badge>
  return (
    <span className="board-fresh">
      <Badge tone={status === 'current' ? 'good' : 'warn'} dot>
        {status}
      </Badge>
      <RelativeTime at={published_at} />
      {pending_changes && <Badge tone="info">newer changes known</Badge>}
    </span>
  )
}

/** Whether a board's snapshot is current, and when it was published. */
import type { Board } from '@atrium/sdk'
import { Badge, RelativeTime, StatusBadge } from '../../design/index.ts'
import { t } from '../../language/index.ts'

export function Freshness({ board }: { readonly board: Board }) {
  const { status, published_at, pending_changes } = board.snapshot
  if (board.status === 'archived') {
    return (
      <span className="board-fresh">
        <Badge>{t('Archived')}</Badge>
        <RelativeTime at={board.archived_at} />
      </span>
    )
  }
  if (status === 'none') return <Badge>{t('No drawing yet')}</Badge>
  return (
    <span className="board-fresh">
      <StatusBadge status={status} />
      <RelativeTime at={published_at} />
      {pending_changes && <Badge tone="info">{t('Unpublished changes')}</Badge>}
    </span>
  )
}

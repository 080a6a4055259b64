/** The way to the next page of a list that shows one page at a time, newest first, and back to the first. */
import { Button } from '../design/index.ts'
import { t } from '../language/index.ts'

interface PageTurnProps {
  /** Of the page that is shown; null for the first. */
  readonly cursor: string | null
  readonly next: string | null
  readonly onTurn: (cursor: string | null) => void
}

export function PageTurn({ cursor, next, onTurn }: PageTurnProps) {
  if (cursor === null && next === null) return null
  return (
    <div className="row">
      {cursor !== null && <Button onClick={() => onTurn(null)}>{t('Newest')}</Button>}
      {next !== null && <Button onClick={() => onTurn(next)}>{t('Older')}</Button>}
    </div>
  )
}

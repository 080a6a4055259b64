/** When something that signs in was added, and when it was last used. */
import { RelativeTime } from '../../design/index.ts'
import { rich, t } from '../../language/index.ts'

interface UseTimesProps {
  /** Unix seconds. */
  readonly created: number
  readonly lastUsed: number | null
}

export function UseTimes({ created, lastUsed }: UseTimesProps) {
  return (
    <p className="item-hint">
      {rich('Added {relativeTime} · last used', { relativeTime: <RelativeTime at={created} /> })}{' '}
      <RelativeTime at={lastUsed} none={t('never')} />
    </p>
  )
}

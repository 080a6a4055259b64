/** A placeholder in the size of content that is loading, to avoid layout shifts. */
import './skeleton.css'
import { t } from '../language/index.ts'

interface SkeletonProps {
  readonly width?: string
  readonly height?: string
  readonly round?: boolean
}

export function Skeleton({ width = '100%', height = '0.75rem', round }: SkeletonProps) {
  return <span className="skeleton" data-round={round || undefined} style={{ width, height }} aria-hidden="true" />
}

export function SkeletonLines({ lines = 3 }: { readonly lines?: number }) {
  const widths = ['92%', '76%', '84%', '58%']
  return (
    <span className="skeleton-lines">
      {Array.from({ length: lines }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: all lines are alike
        <Skeleton key={i} width={widths[i % widths.length] ?? '80%'} />
      ))}
    </span>
  )
}

/** A spinner for an operation in place. */
export function Spinner({ label = t('Loading') }: { readonly label?: string }) {
  return <span className="spinner" role="progressbar" aria-label={label} />
}

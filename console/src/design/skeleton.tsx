/** Holds the place of what is still coming, in its size, so that nothing moves when it comes. */
import './skeleton.css'

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
      {Array.from({ length: lines }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        <Skeleton key={at} width={widths[at % widths.length] ?? '80%'} />
      ))}
    </span>
  )
}

/** A circle that turns, for what is under way in place. */
export function Spinner({ label = 'Loading' }: { readonly label?: string }) {
  return <span className="spinner" role="progressbar" aria-label={label} />
}

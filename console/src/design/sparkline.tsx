/** A small bar chart of values over time. `marked` values, such as errors, are drawn in front. */
import './sparkline.css'

interface SparklineProps {
  readonly values: readonly number[]
  /** The part of each value to highlight, such as errors. */
  readonly marked?: readonly number[]
  /** The accessible description: 24 hours, 1,204 requests, 3 errors. */
  readonly label: string
  readonly width?: number
  readonly height?: number
}

export function Sparkline({ values, marked = [], label, width = 96, height = 20 }: SparklineProps) {
  const max = Math.max(1, ...values)
  const step = width / Math.max(1, values.length)
  const bar = Math.max(1, step - (step > 3 ? 1 : 0))
  const heightOf = (value: number) => (value === 0 ? 0 : Math.max(1.5, (value / max) * height))
  return (
    <svg
      className="sparkline"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
    >
      <line x1="0" x2={width} y1={height - 0.5} y2={height - 0.5} className="sparkline-ground" />
      {values.map((value, i) => {
        const part = marked[i] ?? 0
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: bars are identified by position
          <g key={i}>
            <rect
              x={i * step}
              width={bar}
              y={height - heightOf(value)}
              height={heightOf(value)}
              className="sparkline-bar"
            />
            {part > 0 && (
              <rect
                x={i * step}
                width={bar}
                y={height - heightOf(part)}
                height={heightOf(part)}
                className="sparkline-marked"
              />
            )}
          </g>
        )
      })}
    </svg>
  )
}

/** Numbers over time in a line of text, as bars; `marked` ones (errors) stand in front. */
import './sparkline.css'

interface SparklineProps {
  readonly values: readonly number[]
  /** Of each value the part that went wrong. */
  readonly marked?: readonly number[]
  /** What it shows, in words: 24 hours, 1,204 requests, 3 errors. */
  readonly label: string
  readonly width?: number
  readonly height?: number
}

export function Sparkline({ values, marked = [], label, width = 96, height = 20 }: SparklineProps) {
  const top = Math.max(1, ...values)
  const step = width / Math.max(1, values.length)
  const bar = Math.max(1, step - (step > 3 ? 1 : 0))
  const heightOf = (value: number) => (value === 0 ? 0 : Math.max(1.5, (value / top) * height))
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
      {values.map((value, at) => {
        const wrong = marked[at] ?? 0
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place
          <g key={at}>
            <rect
              x={at * step}
              width={bar}
              y={height - heightOf(value)}
              height={heightOf(value)}
              className="sparkline-bar"
            />
            {wrong > 0 && (
              <rect
                x={at * step}
                width={bar}
                y={height - heightOf(wrong)}
                height={heightOf(wrong)}
                className="sparkline-marked"
              />
            )}
          </g>
        )
      })}
    </svg>
  )
}

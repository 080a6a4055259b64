import { t } from '../../../language/index.ts'
import type { Day } from '../calendar/days.ts'
import { type Scale, type Tick, ticksOf } from './scale.ts'
import type { AxisWindow } from './timeline-view.ts'

/** Days rendered beyond either edge of the window, in pixels. */
const beside_px = 256

interface AxisHeadProps {
  readonly scale: Scale
  readonly today: Day
  readonly shown: AxisWindow
}

/** The head of the axis: months over days or weeks, or years over months. */
export function AxisHead({ scale, today, shown }: AxisHeadProps) {
  const { upper, lower } = ticksOf(scale, shown.from - beside_px, shown.to + beside_px)
  return (
    <div className="gantt-head">
      <div className="gantt-corner">{t('Task')}</div>
      <div className="gantt-axis" aria-hidden="true">
        {upper.map((tick) => (
          <AxisTick key={tick.day} tick={tick} name_px={shown.name_px} isUpper />
        ))}
        {lower.map((tick) => (
          <AxisTick
            key={tick.day}
            tick={tick}
            name_px={shown.name_px}
            isToday={scale.zoom === 'week' && tick.day === today}
          />
        ))}
      </div>
    </div>
  )
}

interface AxisTickProps {
  readonly tick: Tick
  readonly name_px: number
  readonly isUpper?: true
  readonly isToday?: boolean
}

function AxisTick({ tick: { x, width, text }, name_px, isUpper, isToday }: AxisTickProps) {
  return (
    <div
      className="gantt-tick numbers"
      data-upper={isUpper}
      data-today={isToday || undefined}
      style={{ left: x, width }}
    >
      <span style={isUpper && { left: name_px }}>{text}</span>
    </div>
  )
}

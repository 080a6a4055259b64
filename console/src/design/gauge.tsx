/** Gauge shows usage against a limit, Progress a running operation. */
import './gauge.css'
import type { ReactNode } from 'react'
import { t } from '../language/index.ts'
import { Skeleton } from './skeleton.tsx'
import { formatLanguage } from './time-format.ts'

interface GaugeProps {
  readonly label: string
  /** Undefined while loading. */
  readonly used: number | undefined
  /** `null`: unlimited. */
  readonly limit: number | null
  readonly hint?: ReactNode
  readonly unit?: (value: number) => string
}

const plain = (value: number) => value.toLocaleString(formatLanguage())

export function Gauge({ label, used, limit, hint, unit = plain }: GaugeProps) {
  return (
    <div className="gauge">
      <div className="gauge-head">
        <span className="gauge-label">{label}</span>
        {used === undefined ? (
          <Skeleton width="5rem" />
        ) : (
          <span className="numbers">
            <strong>{unit(used)}</strong>
            <span className="subtle">
              {limit === null ? t(' · unlimited') : t(' of {unit}', { unit: unit(limit) })}
            </span>
          </span>
        )}
      </div>
      {used === undefined ? <div className="bar" /> : <Meter label={label} used={used} limit={limit} unit={unit} />}
      {hint && <p className="gauge-hint">{hint}</p>}
    </div>
  )
}

type MeterProps = Required<Pick<GaugeProps, 'label' | 'limit' | 'unit'>> & { readonly used: number }

function Meter({ label, used, limit, unit }: MeterProps) {
  const share = limit === null || limit === 0 ? 0 : Math.min(1, used / limit)
  const tone = share >= 0.95 ? 'bad' : share >= 0.8 ? 'warn' : 'accent'
  return (
    <div
      className="bar"
      data-tone={tone}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={limit ?? Math.max(1, used)}
      aria-valuenow={limit === null ? used : Math.min(used, limit)}
      aria-valuetext={limit === null ? unit(used) : t('{unit} of {unit2}', { unit: unit(used), unit2: unit(limit) })}
    >
      <div className="bar-fill" style={{ width: `${share * 100}%` }} />
    </div>
  )
}

/** `value` is from 0 to 1; without it the progress is indeterminate. */
export function Progress({ label, value }: { readonly label: string; readonly value?: number | undefined }) {
  const known = value === undefined ? {} : { 'aria-valuenow': Math.round(value * 100) }
  return (
    <div className="bar" role="progressbar" aria-label={label} aria-valuemin={0} aria-valuemax={100} {...known}>
      <div
        className="bar-fill"
        data-unknown={value === undefined || undefined}
        style={value === undefined ? undefined : { width: `${value * 100}%` }}
      />
    </div>
  )
}

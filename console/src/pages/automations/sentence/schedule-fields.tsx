/** A schedule by rhythm, days, time and place. A schedule that words cannot say is shown as it is, until another is chosen. */
import { useMemo } from 'react'
import { Combobox, Field, Input, Select } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { cronOf, ordinal, placeOfZone, type Rhythm, type Schedule, scheduleOf, weekday_names } from './schedule.ts'

interface ScheduleFieldsProps {
  readonly cron: string
  readonly timezone: string
  readonly onCron: (cron: string) => void
  readonly onTimezone: (timezone: string) => void
  readonly error: string | undefined
}

const rhythms: readonly { readonly value: Rhythm | 'own'; readonly label: string }[] = [
  { value: 'hour', label: t('every hour') },
  { value: 'day', label: t('every day') },
  { value: 'week', label: t('every week') },
  { value: 'month', label: t('every month') },
]

/** A week begins on Monday. */
const week = [1, 2, 3, 4, 5, 6, 0] as const
const days_max = 31

export function ScheduleFields({ cron, timezone, onCron, onTimezone, error }: ScheduleFieldsProps) {
  const schedule = scheduleOf(cron)
  const change = (next: Partial<Schedule>) =>
    onCron(cronOf({ rhythm: 'week', time: '09:00', weekdays: [1], day: 1, ...schedule, ...next }))
  const own = { value: 'own' as const, label: t('on the schedule {cron}', { cron }) }
  return (
    <Field label={t('How often')} error={error}>
      <span className="row sentence-wrap">
        <Select
          aria-label={t('How often')}
          choices={schedule === null ? [own, ...rhythms] : rhythms}
          value={schedule?.rhythm ?? 'own'}
          onChange={(rhythm) => rhythm !== 'own' && change({ rhythm })}
        />
        {schedule?.rhythm === 'week' && (
          <Weekdays days={schedule.weekdays} onChange={(weekdays) => change({ weekdays })} />
        )}
        {schedule?.rhythm === 'month' && (
          <Select
            aria-label={t('Day of the month')}
            choices={Array.from({ length: days_max }, (_, i) => ({
              value: String(i + 1),
              label: t('on the {ordinal}', { ordinal: ordinal(i + 1) }),
            }))}
            value={String(schedule.day)}
            onChange={(day) => change({ day: Number(day) })}
          />
        )}
        {schedule?.rhythm === 'hour' && (
          <Input
            type="number"
            min={0}
            max={59}
            className="sentence-number"
            aria-label={t('At minute')}
            value={String(Number(schedule.time.slice(3)))}
            onChange={({ currentTarget: { value } }) =>
              change({ time: `00:${String(Math.min(59, Number(value))).padStart(2, '0')}` })
            }
          />
        )}
        {schedule !== null && schedule.rhythm !== 'hour' && (
          <Input
            type="time"
            className="sentence-time"
            aria-label={t('Time')}
            value={schedule.time}
            onChange={({ currentTarget: { value } }) => value !== '' && change({ time: value.slice(0, 5) })}
          />
        )}
        <Zone timezone={timezone} onChange={onTimezone} />
      </span>
    </Field>
  )
}

function Weekdays({
  days,
  onChange,
}: {
  readonly days: readonly number[]
  readonly onChange: (days: number[]) => void
}) {
  const toggle = (day: number) => {
    const next = days.includes(day) ? days.filter((each) => each !== day) : [...days, day]
    // A week without a day would be no schedule.
    if (next.length > 0) onChange(next.toSorted((a, b) => a - b))
  }
  return (
    <fieldset className="sentence-days" aria-label={t('Days of the week')}>
      {week.map((day) => (
        <button
          key={day}
          type="button"
          className="sentence-day"
          aria-pressed={days.includes(day)}
          onClick={() => toggle(day)}
        >
          <span aria-hidden="true">{weekday_names[day]?.slice(0, 2)}</span>
          <span className="unseen">{weekday_names[day]}</span>
        </button>
      ))}
    </fieldset>
  )
}

function Zone({ timezone, onChange }: { readonly timezone: string; readonly onChange: (zone: string) => void }) {
  const options = useMemo(
    () =>
      [...new Set([timezone, 'UTC', ...Intl.supportedValuesOf('timeZone')])].map((zone) => ({
        value: zone,
        label: placeOfZone(zone),
        hint: zone,
      })),
    [timezone],
  )
  return (
    <Combobox
      label={t('Time zone')}
      options={options}
      value={[timezone]}
      onChange={([zone]) => zone !== undefined && onChange(zone)}
      trigger={
        <button
          type="button"
          className="input combobox sentence-zone"
          aria-label={t('Time zone: {place}', { place: placeOfZone(timezone) })}
        >
          <span className="cut">{placeOfZone(timezone)}</span>
        </button>
      }
    />
  )
}

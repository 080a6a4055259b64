/** A date, optionally with a time, in the browser's native control and the person's time zone. Values are Unix seconds; `null` is empty. */
import { Input } from './input.tsx'
import { calendarDay, momentOf, wallOf } from './wall-time.ts'

interface DateFieldProps {
  readonly value: number | null
  readonly onChange: (value: number | null) => void
  readonly withTime?: boolean
  readonly disabled?: boolean
  readonly 'aria-label'?: string
}

export function DateField({ value, onChange, withTime, ...props }: DateFieldProps) {
  return (
    <Input
      {...props}
      type={withTime ? 'datetime-local' : 'date'}
      value={value === null ? '' : localText(value, withTime === true)}
      onChange={({ currentTarget }) => onChange(secondsOf(currentTarget.value))}
    />
  )
}

/** A calendar day in the API's format, `YYYY-MM-DD`. */
interface DayFieldProps extends Omit<DateFieldProps, 'value' | 'onChange' | 'withTime'> {
  readonly value: string
  readonly onChange: (value: string) => void
}

export function DayField({ value, onChange, ...props }: DayFieldProps) {
  return <Input {...props} type="date" value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)} />
}

/** A date without a time is the end of that day: a task due then is late only when the day has passed. */
function secondsOf(text: string): number | null {
  if (text === '') return null
  const wall = new Date(text.includes('T') ? `${text}Z` : `${text}T23:59:00Z`)
  return Number.isNaN(wall.getTime()) ? null : momentOf(wall)
}

function localText(at: number, withTime: boolean): string {
  const wall = wallOf(at)
  return withTime ? wall.toISOString().slice(0, 16) : calendarDay(wall)
}

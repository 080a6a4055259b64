/** A date, optionally with a time, in the browser's native control. Values are Unix seconds; `null` is empty. */
import { Input } from './input.tsx'

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
  const ms = new Date(text.includes('T') ? text : `${text}T23:59:00`).getTime()
  return Number.isNaN(ms) ? null : Math.floor(ms / 1000)
}

function localText(at: number, withTime: boolean): string {
  const day = new Date(at * 1000)
  const two = (part: number) => String(part).padStart(2, '0')
  const calendar = `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`
  return withTime ? `${calendar}T${two(day.getHours())}:${two(day.getMinutes())}` : calendar
}

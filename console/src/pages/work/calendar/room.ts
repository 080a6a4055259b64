/** How many tasks a day of a calendar has room for, so that reading them does not change the height of its week. */
import { useEffect, useState } from 'react'
import type { Span } from './days.ts'

/** Heights as in `calendar.css`: a day's least, its head with its paddings, and a task with the gap. */
const day_px_min = 116
const head_px = 38
const task_px = 26
const week_days = 7
/** Days of a week stand beside each other, and those of a phone below each other: both scroll. */
const scrolled_tasks_max = 30
const phone = '(max-width: 47.99rem)'

export function useRoom(root: HTMLElement | null, span: Span, days: number): number {
  const [height, setHeight] = useState(0)
  useEffect(() => {
    const frame = root?.querySelector('.calendar-scroll') ?? null
    if (frame === null) return
    const observer = new ResizeObserver(() => setHeight(frame.clientHeight))
    observer.observe(frame)
    return () => observer.disconnect()
  }, [root])
  if (span === 'week' || matchMedia(phone).matches) return scrolled_tasks_max
  const day_px = Math.max(day_px_min, (height * week_days) / days)
  return Math.max(2, Math.floor((day_px - head_px) / task_px))
}

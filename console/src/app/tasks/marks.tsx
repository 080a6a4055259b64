/** Compact marks of a task's status, priority, assignee, labels and due date, for rows and cards. */
import './marks.css'
import {
  Ban,
  Circle,
  CircleCheck,
  CircleDashed,
  CircleDot,
  CircleDotDashed,
  CircleX,
  type LucideIcon,
  Minus,
  SignalHigh,
  SignalLow,
  SignalMedium,
  TriangleAlert,
  UserRound,
} from 'lucide-react'
import {
  Avatar,
  Badge,
  date,
  dateFormat,
  dateTime,
  inWords,
  startOfWallDay,
  useNow,
  wallOf,
} from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { isOpen, labelTone, priorityName } from './values.ts'

const statusIcons: Readonly<Record<string, LucideIcon>> = {
  backlog: CircleDashed,
  todo: Circle,
  in_progress: CircleDot,
  in_review: CircleDotDashed,
  blocked: Ban,
  done: CircleCheck,
  canceled: CircleX,
}

const priorityIcons: Readonly<Record<string, LucideIcon>> = {
  urgent: TriangleAlert,
  high: SignalHigh,
  medium: SignalMedium,
  low: SignalLow,
  none: Minus,
}

export function StatusMark({ status, named }: { readonly status: string; readonly named?: boolean }) {
  const Icon = statusIcons[status] ?? Circle
  return (
    <span className="task-mark" data-status={status} title={named ? undefined : inWords(status)}>
      <Icon aria-hidden="true" />
      <span className={named ? 'cut' : 'unseen'}>{inWords(status)}</span>
    </span>
  )
}

export function PriorityMark({ priority, named }: { readonly priority: string; readonly named?: boolean }) {
  const Icon = priorityIcons[priority] ?? Minus
  return (
    <span className="task-mark" data-priority={priority} title={named ? undefined : priorityName(priority)}>
      <Icon aria-hidden="true" />
      <span className={named ? 'cut' : 'unseen'}>{priorityName(priority)}</span>
    </span>
  )
}

/** The avatar of the assignee, or the mark of an unassigned task. */
export function PersonMark({ id, name }: { readonly id: string | null; readonly name: string | null }) {
  if (id === null || name === null) {
    return (
      <span className="task-unassigned" title={t('Unassigned')}>
        <UserRound aria-hidden="true" />
        <span className="unseen">{t('Unassigned')}</span>
      </span>
    )
  }
  return (
    <span title={name} className="task-person">
      <Avatar name={name} id={id} size="s" />
      <span className="unseen">{name}</span>
    </span>
  )
}

export function Labels({ labels, max = 3 }: { readonly labels: readonly string[]; readonly max?: number }) {
  const more = labels.length - max
  return (
    <>
      {labels.slice(0, max).map((label) => (
        <Badge key={label} tone={labelTone(label)}>
          {label}
        </Badge>
      ))}
      {more > 0 && <span className="subtle numbers">+{more}</span>}
    </>
  )
}

interface DueMarkProps {
  readonly at: number | null
  readonly status: string
  /** Days near today by name: Today, Fri. */
  readonly inWords?: boolean
}

export function DueMark({ at, status, inWords = false }: DueMarkProps) {
  const now = useNow()
  if (at === null) return null
  const isLate = at < now && isOpen(status)
  return (
    <time
      className="task-due numbers"
      dateTime={new Date(at * 1000).toISOString()}
      title={dateTime(at)}
      data-late={isLate || undefined}
    >
      {isLate && <span className="unseen">{t('Overdue:')} </span>}
      {inWords ? dayInWords(at, now) : date(at, now)}
    </time>
  )
}

const weekday = dateFormat({ weekday: 'short' })

/** Yesterday, Today, Tomorrow, the short name of a day within a week, or a date. */
function dayInWords(at: number, now: number): string {
  const dayOf = (time: number) => startOfWallDay(wallOf(time)).getTime()
  const days = (dayOf(at) - dayOf(now)) / 86_400_000
  const near = [t('Yesterday'), t('Today'), t('Tomorrow')][days + 1]
  if (near !== undefined) return near
  return days > 1 && days < 7 ? weekday().format(at * 1000) : date(at, now)
}

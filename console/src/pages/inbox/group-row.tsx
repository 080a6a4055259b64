/** One task, board, run or account of the inbox with the newest of its entries. */
import type { Notification } from '@atrium/sdk'
import {
  AlarmClock,
  BellOff,
  Bot,
  Circle,
  CircleDot,
  ListTodo,
  type LucideIcon,
  PenTool,
  ShieldAlert,
} from 'lucide-react'
import { Decision } from '../../app/decision.tsx'
import { guestName } from '../../app/guest-name.ts'
import { useDirectory } from '../../data/index.ts'
import { IconButton, inWords, Menu, type MenuEntry, RelativeTime } from '../../design/index.ts'
import { inSentence, t } from '../../language/index.ts'
import { entryText, hasActor } from './entry-text.tsx'
import type { Group } from './reads.ts'
import { snoozeTimes } from './snooze-times.ts'

interface GroupRowProps {
  readonly group: Group
  readonly isOpen: boolean
  readonly onOpen: () => void
  readonly onRead: () => void
  readonly onSnooze: (until: number | null, said: string) => void
  readonly onMute: () => void
}

/** Entries of a group that are shown. */
const shown_max = 3

const icons: Readonly<Record<string, LucideIcon>> = {
  task: ListTodo,
  board: PenTool,
  automation_run: Bot,
  automation_flow: Bot,
  user: ShieldAlert,
}

export function GroupRow({ group, isOpen, onOpen, onRead, onSnooze, onMute }: GroupRowProps) {
  const { newest, entries, isUnread, subject } = group
  const Icon = icons[subject.object] ?? ListTodo
  const title = newest.title ?? (subject.object === 'user' ? t('Your account') : inWords(subject.object))
  const more = entries.length - shown_max
  return (
    <li
      className="inbox-group"
      data-group={subject.id}
      data-unread={isUnread || undefined}
      data-open={isOpen || undefined}
    >
      <Icon aria-hidden="true" className="inbox-icon" />
      <div className="inbox-text">
        <button type="button" className="inbox-open" aria-current={isOpen || undefined} onClick={onOpen}>
          {isUnread && <span className="unseen">{t('Unread:')} </span>}
          {newest.key && <span className="inbox-key numbers">{newest.key} </span>}
          {title}
        </button>
        <ul className="inbox-entries">
          {entries.slice(0, shown_max).map((entry) => (
            <EntryLine key={entry.id} entry={entry} />
          ))}
        </ul>
        {more > 0 && (
          <span className="subtle">
            {t('{more, plural, one {1 earlier entry} other {# earlier entries}}', { more })}
          </span>
        )}
      </div>
      <div className="inbox-tools">
        <IconButton
          icon={isUnread ? CircleDot : Circle}
          label={isUnread ? t('Mark read: {title}', { title }) : t('Mark unread: {title}', { title })}
          size="s"
          onClick={onRead}
        />
        <Menu
          label={t('Put off')}
          trigger={<IconButton icon={AlarmClock} label={t('Put off: {title}', { title })} size="s" />}
          items={snoozeEntries(group, onSnooze)}
        />
        {subject.object === 'task' && (
          <IconButton icon={BellOff} label={t('Mute: {title}', { title })} size="s" onClick={onMute} />
        )}
      </div>
    </li>
  )
}

function snoozeEntries({ newest }: Group, onSnooze: GroupRowProps['onSnooze']): MenuEntry[] {
  const times = snoozeTimes().map(({ label, at }) => ({
    label,
    onSelect: () => onSnooze(at, t('Put off: {label}', { label: inSentence(label) })),
  }))
  const isSnoozed = (newest.snoozed_until ?? 0) * 1000 > Date.now()
  return isSnoozed
    ? [{ label: t('Bring back now'), onSelect: () => onSnooze(null, t('Back in the inbox')) }, 'line', ...times]
    : times
}

function EntryLine({ entry }: { readonly entry: Notification }) {
  const { nameOf } = useDirectory()
  const { approval, status, decided_by, guest } = entry.details
  return (
    <li className="inbox-entry">
      <span>
        {hasActor(entry) && entry.actor !== null && (
          <strong>{guest === undefined ? nameOf(entry.actor.id) : guestName(guest)} </strong>
        )}
        {entryText(entry, nameOf)}
        {decided_by && t(' by {name}', { name: nameOf(decided_by) })}
        {entry.excerpt !== null && <q className="inbox-excerpt">{entry.excerpt}</q>}
        {approval !== undefined && status === undefined && <Decision approval={approval} text={entry.excerpt ?? ''} />}
      </span>
      <RelativeTime at={entry.created} />
    </li>
  )
}

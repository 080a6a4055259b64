/** Recent events, one per line: actor, action, object, time. */
import './activity.css'
import type { AtriumEvent, Task } from '@atrium/sdk'
import { Bot, KeyRound, Server, Workflow } from 'lucide-react'
import { Link } from 'wouter'
import { useDirectory } from '../data/directory.ts'
import { useObject } from '../data/read.ts'
import { Avatar } from '../design/avatar.tsx'
import { RelativeTime } from '../design/relative-time.tsx'
import { t } from '../language/index.ts'
import { eventText } from './event-text.ts'

const actorIcons = { api_key: KeyRound, access_token: Bot, automation: Workflow, system: Server }

export function Activity({ events }: { readonly events: readonly AtriumEvent[] }) {
  return (
    <ul className="activity" aria-label={t('Recent activity')}>
      {events.map((event) => (
        <ActivityLine key={event.id} event={event} />
      ))}
    </ul>
  )
}

function ActivityLine({ event }: { readonly event: AtriumEvent }) {
  const { nameOf } = useDirectory()
  const { verb, object, reference, task, kind, to } = eventText(event)
  const { data } = useObject<Task>('task', task, (atrium, id, signal) => atrium.tasks.retrieve(id, {}, { signal }))
  const taskName = task === null || data === undefined ? '' : `${data.key} ${data.title}`
  const text = taskName || object || (reference === null ? kind : nameOf(reference))
  const { type, id } = event.actor
  const name = type === 'system' ? 'Atrium' : type === 'board_link' ? t('A guest') : nameOf(id)
  const Icon = actorIcons[type as keyof typeof actorIcons]
  return (
    <li className="activity-line">
      {Icon === undefined ? (
        <Avatar name={name} id={id} size="s" />
      ) : (
        <span className="activity-icon">
          <Icon aria-hidden="true" />
        </span>
      )}
      <p className="activity-text">
        <span className="activity-actor">{name}</span> <span className="muted">{verb}</span>{' '}
        {to === null ? (
          <span>{text}</span>
        ) : (
          <Link href={to} className="activity-thing">
            {text}
          </Link>
        )}
      </p>
      <span className="activity-time">
        <RelativeTime at={event.created} />
      </span>
    </li>
  )
}

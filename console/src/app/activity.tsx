/** Recent events, one per line: actor, action, object, time. */
import './activity.css'
import type { Atrium, AtriumEvent, Task } from '@atrium/sdk'
import { Bot, KeyRound, Server, Workflow } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { useDirectory } from '../data/directory.ts'
import { useAreRead, useObject } from '../data/read.ts'
import { Avatar } from '../design/avatar.tsx'
import { RelativeTime } from '../design/relative-time.tsx'
import { SkeletonLines } from '../design/skeleton.tsx'
import { t } from '../language/index.ts'
import { eventText } from './event-text.ts'

const actorIcons = { api_key: KeyRound, access_token: Bot, automation: Workflow, system: Server }

/** Shown when the names of all lines are known: a name that comes later would move the lines below it. */
export function Activity({ events }: { readonly events: readonly AtriumEvent[] }) {
  const { isLoaded } = useDirectory()
  const tasks = events.map((event) => eventText(event).task).filter((task) => task !== null)
  const areNamed = useAreRead('task', [...new Set(tasks)], readTask) && isLoaded
  // Later events are added as they come.
  const [isShown, setShown] = useState(false)
  if (areNamed && !isShown) setShown(true)
  if (!isShown)
    return (
      <div className="activity" aria-busy="true">
        <SkeletonLines lines={events.length} />
      </div>
    )
  return (
    <ul className="activity" aria-label={t('Recent activity')}>
      {events.map((event) => (
        <ActivityLine key={event.id} event={event} />
      ))}
    </ul>
  )
}

const readTask = (atrium: Atrium, id: string, signal: AbortSignal) => atrium.tasks.retrieve(id, {}, { signal })

function ActivityLine({ event }: { readonly event: AtriumEvent }) {
  const { nameOf } = useDirectory()
  const { verb, object, reference, task, kind, to } = eventText(event)
  const { data } = useObject<Task>('task', task, readTask)
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

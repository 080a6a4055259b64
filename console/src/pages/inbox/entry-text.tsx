/** What an entry tells, in words. */
import type { Notification } from '@atrium/sdk'
import { dateTime, inWords } from '../../design/index.ts'

/** The sentence after the name of the actor. */
export function entryText({ kind, details }: Notification): string {
  switch (kind) {
    case 'assigned':
      return 'assigned the task to you'
    case 'mentioned':
      return 'mentioned you'
    case 'invitation':
      return 'invited you to the board'
    case 'automation_failed':
      return 'An automation that you activated has failed'
    case 'comment':
      return 'commented'
    case 'status':
      return `changed the status from ${inWords(details.from ?? '')} to ${inWords(details.to ?? '')}`
    case 'due_tomorrow':
      return `Due ${dateTime(details.due_at ?? 0)}`
    case 'overdue':
      return `Overdue since ${dateTime(details.due_at ?? 0)}`
    default:
      return inWords(kind)
  }
}

/** Whether the sentence begins with who did it. */
export function hasActor({ kind, actor }: Notification): boolean {
  return actor !== null && kind !== 'automation_failed'
}

/** The page of a subject that no panel shows. */
export function pageOf({ subject }: Pick<Notification, 'subject'>): string {
  if (subject.object === 'board') return `/boards/${subject.id}`
  return subject.object === 'automation_run' ? `/automations/runs/${subject.id}` : `/work/tasks/${subject.id}`
}

/** What an entry tells, in words. */
import type { Notification } from '@atrium/sdk'
import { dateTime, inWords } from '../../design/index.ts'
import { t } from '../../language/index.ts'

/** The sentence after the name of the actor. `nameOf` has the names of teams, which guests do not see. */
export function entryText({ kind, details, comment }: Notification, nameOf: (id: string) => string): string {
  switch (kind) {
    case 'assigned':
      return t('assigned the task to you')
    case 'mentioned':
      return mentionText(details.team, nameOf)
    case 'invitation':
      return t('invited you to the board')
    case 'approval':
      return approvalText(details.status)
    case 'automation_failed':
      return t('An automation that you activated has failed')
    case 'automation_authority':
      return t('The permissions of this automation have ended; a person has to renew them')
    case 'board_comment':
      return details.thread === comment ? t('commented') : t('replied')
    case 'comment':
      return t('commented')
    case 'status':
      return t('changed the status from {from} to {to}', {
        from: inWords(details.from ?? ''),
        to: inWords(details.to ?? ''),
      })
    case 'due_tomorrow':
      return t('Due {due_at}', { due_at: dateTime(details.due_at ?? 0) })
    case 'second_factor_reset':
      return t('reset your second factor. Set up another one in your settings.')
    case 'overdue':
      return t('Overdue since {due_at}', { due_at: dateTime(details.due_at ?? 0) })
    default:
      return inWords(kind)
  }
}

function mentionText(team: string | undefined, nameOf: (id: string) => string): string {
  const name = team === undefined ? team : nameOf(team)
  return name === undefined || name === team ? t('mentioned you') : t('mentioned your team {name}', { name })
}

function approvalText(status: Notification['details']['status']): string {
  switch (status) {
    case 'approved':
      return t('An approval that you were asked for: approved')
    case 'rejected':
      return t('An approval that you were asked for: rejected')
    case 'timed_out':
      return t('An approval that you were asked for: timed out')
    case 'canceled':
      return t('An approval that you were asked for: the run no longer waits')
    default:
      return t('An automation asks you to approve or reject')
  }
}

/** Whether the sentence begins with who did it. */
export function hasActor({ kind, actor }: Notification): boolean {
  return actor !== null && kind !== 'automation_failed' && kind !== 'automation_authority' && kind !== 'approval'
}

/** The page of a subject that no panel shows. */
export function pageOf({
  subject,
  details,
  workspace,
}: Pick<Notification, 'subject' | 'details' | 'workspace'>): string {
  if (subject.object === 'board') {
    const { thread } = details
    return `/boards/${subject.id}${thread === undefined ? '' : `/draw?panel=comments&thread=${thread}`}`
  }
  if (subject.object === 'user') return '/settings/security'
  if (subject.object === 'automation_flow') return `/automations/${subject.id}`
  return subject.object === 'automation_run'
    ? `/automations/runs/${subject.id}?workspace=${workspace}`
    : `/work/tasks/${subject.id}`
}

/** An event in words: the action, the object's name and its page. */
import type { AtriumEvent } from '@atrium/sdk'
import { lookUp, t } from '../language/index.ts'

export interface EventText {
  /** completed, moved, commented on */
  readonly verb: string
  /** The object's name; empty if it has none. */
  readonly object: string
  /** The ID of the flow or user that names an object without a name, such as a run. */
  readonly reference: string | null
  /** The task that a comment or a time entry belongs to, which names it. */
  readonly task: string | null
  /** The kind of object: an invoice draft. */
  readonly kind: string
  /** The object's page; `null` if it was deleted or has no page. */
  readonly to: string | null
}

/** `workflow.time_entry.started` → time entry, started */
function partsOf(type: string): { noun: string; verb: string } {
  const [, noun = '', verb = ''] = type.split('.')
  return { noun: noun.replaceAll('_', ' ').replace(/^api\b/, 'API'), verb }
}

const verbs: Readonly<Record<string, string>> = {
  'task.created': t('created@@event'),
  'task.updated': t('updated@@event'),
  'board.deleted': t('archived@@event'),
  'board.snapshot_published': t('published@@event'),
  'time_entry.started': t('started the timer on'),
  'time_entry.stopped': t('stopped the timer on'),
  'time_entry.created': t('logged time on'),
  'comment.created': t('commented on'),
  'comment.updated': t('edited a comment on'),
  'comment.deleted': t('deleted a comment on'),
  'board_comment.created': t('commented on'),
  'board_comment.updated': t('edited a comment on'),
  'board_comment.resolved': t('resolved a thread on'),
  'board_comment.reopened': t('opened a thread again on'),
  'board_comment.deleted': t('deleted a comment on'),
  'board_link.created': t('created the link for guests'),
  'board_link.deleted': t('revoked the link for guests'),
  'run.queued': t('queued a run of'),
  'run.started': t('started a run of'),
  'run.succeeded': t('completed a run of'),
  'run.failed': t('failed in a run of'),
  'run.skipped': t('skipped a run of'),
  'run.canceled': t('canceled a run of'),
  'approval.requested': t('asked for an approval in'),
  'approval.approved': t('approved a step of'),
  'approval.rejected': t('rejected a step of'),
  'approval.timed_out': t('let an approval time out in'),
  'approval.canceled': t('canceled an approval of'),
  'dependency.created': t('added a dependency in'),
  'dependency.deleted': t('removed a dependency in'),
  'webhook_endpoint.secret_rotated': t('rotated the secret of'),
}

export function eventText(event: AtriumEvent): EventText {
  const { noun, verb } = partsOf(event.type)
  // The object of an event of any type: its fields are looked for by name.
  const object: Readonly<Record<string, unknown>> = { ...event.data.object }
  const isDeleted = verb === 'deleted'
  const known = verbs[event.type.split('.').slice(1).join('.')]
  const name = nameOf(noun, object)
  const { automation_flow, user, task } = object as References
  const reference = automation_flow ?? user ?? null
  const action = verb.replaceAll('_', ' ')
  return {
    verb: known ?? actionText(action, name === '' && reference === null ? null : noun),
    object: name,
    reference,
    task: noun === 'comment' || noun === 'time entry' ? (task ?? null) : null,
    kind: aText(noun),
    to: isDeleted && !/[._]comment\.deleted$/.test(event.type) ? null : pageOf(object),
  }
}

function actionText(action: string, noun: string | null): string {
  const done = lookUp(action)
  return noun === null ? t('{done}@@event', { done }) : t('{done} the {noun}', { done, noun: lookUp(noun) })
}

function aText(noun: string): string {
  const kind = lookUp(noun)
  return /^[aeiou]/i.test(noun) ? t('an {kind}', { kind }) : t('a {kind}', { kind })
}

interface References {
  readonly automation_flow?: string | null
  readonly user?: string | null
  readonly task?: string | null
}

function nameOf(noun: string, object: Readonly<Record<string, unknown>>): string {
  const { key, title, name, url, email } = object
  if (noun === 'task' && typeof key === 'string' && typeof title === 'string') return `${key} ${title}`
  for (const text of [title, name, url, email]) if (typeof text === 'string' && text !== '') return text
  if (noun === 'comment' || noun === 'time entry') return t('a task')
  if (noun === 'dependency') return t('a project')
  if (noun === 'board comment') return t('a board')
  return ''
}

const pages: Readonly<Record<string, string>> = {
  task: '/work/tasks',
  project: '/work/projects',
  workspace: '/work/workspaces',
  board: '/boards',
  automation_flow: '/automations',
  automation_run: '/automations/runs',
  expense: '/money/expenses',
  invoice_draft: '/money/invoices',
  export_job: '/money/exports',
  webhook_endpoint: '/developers/webhooks',
}

/** The page of an object; for a part of a task, project or board, the page of that one. */
function pageOf(object: Readonly<Record<string, unknown>>): string | null {
  const { object: kind, id, task, project, board, user } = object
  if (kind === 'automation_approval') return `/automations/runs/${object.automation_run}?workspace=${object.workspace}`
  const page = pages[String(kind)]
  if (page !== undefined) return `${page}/${id}`
  if (typeof task === 'string') return `/work/tasks/${task}`
  if (typeof project === 'string') return `/work/projects/${project}`
  if (typeof board === 'string') return `/boards/${board}`
  return kind === 'member' ? `/settings/people/${user}` : null
}

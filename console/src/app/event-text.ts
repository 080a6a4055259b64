/** An event in words: the action, the object's name and its page. */
import type { AtriumEvent } from '@atrium/sdk'

export interface EventText {
  /** completed, moved, commented on */
  readonly verb: string
  /** The object's name; empty if it has none. */
  readonly object: string
  /** The ID of the flow or user that names an object without a name, such as a run. */
  readonly reference: string | null
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
  'task.created': 'created',
  'task.updated': 'updated',
  'board.deleted': 'archived',
  'board.snapshot_published': 'published',
  'time_entry.started': 'started the timer on',
  'time_entry.stopped': 'stopped the timer on',
  'time_entry.created': 'logged time on',
  'comment.created': 'commented on',
  'comment.updated': 'edited a comment on',
  'comment.deleted': 'deleted a comment on',
  'run.queued': 'queued a run of',
  'run.started': 'started a run of',
  'run.succeeded': 'completed a run of',
  'run.failed': 'failed in a run of',
  'run.skipped': 'skipped a run of',
  'run.canceled': 'canceled a run of',
  'dependency.created': 'added a dependency in',
  'dependency.deleted': 'removed a dependency in',
  'webhook_endpoint.secret_rotated': 'rotated the secret of',
}

export function eventText(event: AtriumEvent): EventText {
  const { noun, verb } = partsOf(event.type)
  // The object of an event of any type: its fields are looked for by name.
  const object = event.data.object as unknown as Readonly<Record<string, unknown>>
  const isDeleted = verb === 'deleted'
  const known = verbs[event.type.split('.').slice(1).join('.')]
  const name = nameOf(noun, object)
  const { automation_flow, user } = object as References
  const reference = automation_flow ?? user ?? null
  const action = verb.replaceAll('_', ' ')
  return {
    verb: known ?? (name === '' && reference === null ? action : `${action} the ${noun}`),
    object: name,
    reference,
    kind: `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`,
    to: isDeleted && !known?.endsWith(' on') ? null : pageOf(object),
  }
}

interface References {
  readonly automation_flow?: string | null
  readonly user?: string | null
}

function nameOf(noun: string, object: Readonly<Record<string, unknown>>): string {
  const { key, title, name, url, email } = object
  if (noun === 'task' && typeof key === 'string' && typeof title === 'string') return `${key} ${title}`
  for (const text of [title, name, url, email]) if (typeof text === 'string' && text !== '') return text
  if (noun === 'comment' || noun === 'time entry') return 'a task'
  if (noun === 'dependency') return 'a project'
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
  const page = pages[String(kind)]
  if (page !== undefined) return `${page}/${id}`
  if (typeof task === 'string') return `/work/tasks/${task}`
  if (typeof project === 'string') return `/work/projects/${project}`
  if (typeof board === 'string') return `/boards/${board}`
  return kind === 'member' ? `/settings/people/${user}` : null
}

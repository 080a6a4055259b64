/** An event in words: who did what to which thing. */
import type { AtriumEvent } from '@atrium/sdk'

export interface EventText {
  /** completed, moved, drew items of */
  readonly verb: string
  /** What it is called; empty where the event does not say. */
  readonly thing: string
  /** Where it is shown; `null` where it is gone or has no place. */
  readonly to: string | null
}

/** `workflow.time_entry.started` → time entry, started */
function partsOf(type: string): { noun: string; verb: string } {
  const [, noun = '', verb = ''] = type.split('.')
  return { noun: noun.replaceAll('_', ' ').replace(/^api\b/, 'API'), verb }
}

const verbs: Readonly<Record<string, string>> = {
  'task.created': 'created',
  'task.updated': 'changed',
  'board.deleted': 'archived',
  'board.snapshot_published': 'published',
  'time_entry.started': 'started the timer on',
  'time_entry.stopped': 'stopped the timer on',
  'time_entry.created': 'entered time on',
  'comment.created': 'commented on',
  'comment.updated': 'changed a comment on',
  'comment.deleted': 'deleted a comment on',
  'dependency.created': 'linked a task of',
  'dependency.deleted': 'unlinked a task of',
  'webhook_endpoint.secret_rotated': 'rotated the secret of',
}

export function eventText(event: AtriumEvent): EventText {
  const { noun, verb } = partsOf(event.type)
  const object = event.data.object as unknown as Readonly<Record<string, unknown>>
  const isGone = verb === 'deleted'
  const known = verbs[event.type.split('.').slice(1).join('.')]
  return {
    verb: known ?? `${verb.replaceAll('_', ' ')} the ${noun}`,
    thing: thingOf(noun, object) || (known === undefined ? '' : `the ${noun}`),
    to: isGone && !known?.endsWith(' on') ? null : placeOf(object),
  }
}

function thingOf(noun: string, object: Readonly<Record<string, unknown>>): string {
  const { key, title, name, url, email } = object
  if (noun === 'task' && typeof key === 'string' && typeof title === 'string') return `${key} ${title}`
  for (const text of [title, name, url, email]) if (typeof text === 'string' && text !== '') return text
  if (noun === 'comment' || noun === 'time entry') return 'a task'
  if (noun === 'dependency') return 'a project'
  return ''
}

const areas: Readonly<Record<string, string>> = {
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

/** The page of an object; of what belongs to a task or project, that one's. */
function placeOf(object: Readonly<Record<string, unknown>>): string | null {
  const { object: kind, id, task, project, board, user } = object
  const area = areas[String(kind)]
  if (area !== undefined) return `${area}/${id}`
  if (typeof task === 'string') return `/work/tasks/${task}`
  if (typeof project === 'string') return `/work/projects/${project}`
  if (typeof board === 'string') return `/boards/${board}`
  return kind === 'member' ? `/settings/people/${user}` : null
}

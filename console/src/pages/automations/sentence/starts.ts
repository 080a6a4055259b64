/** What a sentence can begin with: the usual events, due dates, schedules, and any other event. */

import { timeZone } from '../../../design/time-format.ts'
import { t } from '../../../language/index.ts'
import type { NodeDraft } from '../editor/graph.ts'
import { kindOf } from '../editor/kinds.ts'

export interface Start {
  readonly id: string
  /** After "When": "a task is completed". */
  readonly label: string
  readonly group: string
  readonly type: string
  readonly config: Readonly<Record<string, unknown>>
}

const changed = (id: string, label: string): Start => ({
  id,
  label,
  group: t('Tasks'),
  type: 'trigger.event',
  config: { event_types: ['workflow.task.updated', 'workflow.task.moved'], changed_fields: [id] },
})

const happens = (id: string, label: string, event: string): Start => ({
  id,
  label,
  group: t('Tasks'),
  type: 'trigger.event',
  config: { event_types: [event] },
})

export const starts: readonly Start[] = [
  happens('created', t('a task is created'), 'workflow.task.created'),
  happens('completed', t('a task is completed'), 'workflow.task.completed'),
  happens('reopened', t('a task is reopened'), 'workflow.task.reopened'),
  changed('status', t('the status of a task changes')),
  changed('priority', t('the priority of a task changes')),
  changed('assignee', t('the assignee of a task changes')),
  changed('labels', t('the labels of a task change')),
  changed('due_at', t('the due date of a task changes')),
  changed('project', t('a task moves to another project')),
  happens('commented', t('a task is commented on'), 'workflow.comment.created'),
  { id: 'due', label: t('a task is due'), group: t('Time'), type: 'trigger.due', config: kindOf('trigger.due').config },
  {
    id: 'schedule',
    label: t('on a schedule'),
    group: t('Time'),
    type: 'trigger.schedule',
    config: kindOf('trigger.schedule').config,
  },
  { id: 'manual', label: t('by hand'), group: t('More'), type: 'trigger.manual', config: {} },
  {
    id: 'form',
    label: t('a form is sent'),
    group: t('More'),
    type: 'trigger.form',
    config: kindOf('trigger.form').config,
  },
  { id: 'mail', label: t('mail is received'), group: t('More'), type: 'trigger.mail', config: {} },
  {
    id: 'call',
    label: t('another flow calls it'),
    group: t('More'),
    type: 'trigger.call',
    config: kindOf('trigger.call').config,
  },
  { id: 'webhook', label: t('a webhook is received'), group: t('More'), type: 'trigger.webhook', config: {} },
  {
    id: 'event',
    label: t('something else happens'),
    group: t('More'),
    type: 'trigger.event',
    config: { event_types: ['workflow.task.created', 'workflow.task.updated'] },
  },
]

const event: Start = starts.at(-1) as Start

/** The start that a trigger is; any combination of events that has no name is "something else". */
export function startOf({ type, config }: NodeDraft): Start {
  if (type !== 'trigger.event') return starts.find((start) => start.type === type) ?? event
  const form = formOf(config)
  return starts.find((start) => start.id !== event.id && start.type === type && formOf(start.config) === form) ?? event
}

function formOf({ event_types, changed_fields }: Readonly<Record<string, unknown>>): string {
  const events = Array.isArray(event_types) ? event_types.map(String).toSorted() : []
  return JSON.stringify([events, Array.isArray(changed_fields) && changed_fields.length > 0 ? changed_fields : null])
}

/** The trigger with another start. What it asks besides stays where the new one can ask it too; a schedule is in the person's time zone. */
export function withStart(node: NodeDraft, { type, config }: Start): NodeDraft {
  const { when } = node.config
  const keeps = when !== undefined && type === 'trigger.event' && node.type === type
  const zone = type === 'trigger.schedule' && { timezone: timeZone() }
  return { ...node, type, config: { ...config, ...zone, ...(keeps && { when }) } }
}

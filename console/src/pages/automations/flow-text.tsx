/** Flows and runs in words: triggers, kinds of steps, reasons, permissions. */
import type { AutomationFlow } from '@atrium/sdk'
import { Badge, inWords, StatusBadge } from '../../design/index.ts'

export function FlowStatus({ flow }: { readonly flow: AutomationFlow }) {
  return (
    <span className="row">
      <StatusBadge status={flow.status} />
      {flow.mode === 'shadow' && <Badge tone="violet">Shadow</Badge>}
    </span>
  )
}

/** Statuses of runs that have not ended. */
export const open_statuses: ReadonlySet<string> = new Set(['queued', 'running', 'sleeping', 'retrying'])

const list = new Intl.ListFormat('en', { type: 'conjunction' })
const alternatives = new Intl.ListFormat('en', { type: 'disjunction' })

/** What starts a flow: "when a task is completed", "every Monday at 08:00 (Europe/Berlin)". */
export function triggerText({ graph }: AutomationFlow): string {
  const triggers = graph.nodes.filter(({ type }) => type.startsWith('trigger.'))
  return alternatives.format(triggers.map(describeTrigger))
}

function describeTrigger(node: AutomationFlow['graph']['nodes'][number]): string {
  const config = node.config as {
    readonly event_types?: readonly string[]
    readonly cron?: string
    readonly timezone?: string
  }
  if (node.type === 'trigger.event') return `when ${alternatives.format((config.event_types ?? []).map(describeEvent))}`
  if (node.type === 'trigger.schedule') return `${scheduleText(config.cron ?? '')} (${config.timezone ?? 'UTC'})`
  return node.type === 'trigger.due' ? 'around due dates' : 'by hand'
}

/** `workflow.time_entry.started` reads "a time entry is started". */
function describeEvent(type: string): string {
  const [, noun = '', verb = ''] = type.split('.').map((part) => part.replaceAll('_', ' '))
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun} is ${verb}`
}

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

/** Daily and weekly schedules in words, any other as its cron expression. */
function scheduleText(cron: string): string {
  const daily = /^(\d{1,2}) (\d{1,2}) \* \* (\*|[0-7]|1-5)$/.exec(cron.trim())
  if (daily === null) return `on the schedule ${cron}`
  const [, minute = '', hour = '', days = ''] = daily
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
  if (days === '*') return `every day at ${time}`
  return days === '1-5' ? `on weekdays at ${time}` : `every ${weekdays[Number(days)]} at ${time}`
}

const kinds: Readonly<Record<string, string>> = {
  'trigger.event': 'Event trigger',
  'trigger.due': 'Due date trigger',
  'trigger.schedule': 'Schedule trigger',
  'trigger.manual': 'Manual trigger',
  for_each: 'Loop',
  'task.update': 'Update task',
  'task.move': 'Move task',
  'task.complete': 'Complete task',
  'task.assign': 'Assign task',
  'task.label': 'Label task',
  'task.comment': 'Comment on task',
  'task.create': 'Create task',
  'task.create_from_template': 'Create task from template',
  'task.add_dependency': 'Add dependency',
  'timer.start': 'Start timer',
  'timer.stop': 'Stop timer',
}

/** The kind of a step: `task.comment` reads "Comment on task". */
export function kindText(type: string): string {
  return kinds[type] ?? inWords(type)
}

/** `tasks:read`, `comments:write` read "read tasks and write comments". */
export function permissionsText(scopes: readonly string[]): string {
  const permissions = scopes.map((scope) => {
    const [noun = '', verb = ''] = scope.split(':')
    return `${verb} ${noun === 'api' ? 'the organization' : noun.replaceAll('_', ' ')}`
  })
  return list.format(permissions)
}

const reasons: Readonly<Record<string, string>> = {
  hourly_limit: 'The flow reached its limit of runs per hour.',
  queue_full: 'Too many runs of this flow were waiting.',
  concurrency: 'Another run of this flow was in progress.',
  superseded: 'A newer run replaced it.',
  reentry: 'The flow was triggered by its own changes.',
  depth_exceeded: 'The flow was triggered by a chain of too many flows.',
  trigger_failed: 'The condition of the trigger could not be evaluated.',
  flow_paused: 'The flow was paused or activated again before this run started.',
  canceled: 'The run was canceled.',
  shadow: 'Not carried out: the flow runs in shadow mode.',
}

/** Why a run or a step ended as it did. Reasons that are sentences already stay as they are. */
export function reasonText(reason: string): string {
  return reasons[reason] ?? (/^[a-z_]+$/.test(reason) ? inWords(reason) : reason)
}

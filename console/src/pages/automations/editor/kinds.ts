/**
 * The kinds of nodes as the editor offers them: title, group, ports, settings with their fields, and the settings of a new
 * node. The rules are the server's (`contract/16#nodes`); a kind that is missing here is still shown, with its settings as JSON.
 */
import {
  Bot,
  Calendar,
  CalendarClock,
  CircleCheck,
  CirclePlay,
  CircleStop,
  Clock,
  CopyPlus,
  Flag,
  GitBranch,
  Globe,
  Hourglass,
  Link2,
  type LucideIcon,
  MessageSquare,
  MoveRight,
  Pencil,
  Plus,
  Repeat,
  Send,
  Split,
  Tag,
  Timer,
  TimerOff,
  UserRound,
  Zap,
} from 'lucide-react'
import { inWords } from '../../../design/words.ts'
import type { NodeDraft } from './graph.ts'

export type FieldKind =
  | 'text'
  | 'long_text'
  | 'formula'
  | 'status'
  | 'priority'
  | 'person'
  | 'project'
  | 'column'
  | 'task'
  | 'template'
  | 'chat'
  | 'labels'
  | 'date'
  | 'duration'
  | 'number'
  | 'checkbox'
  | 'choice'
  | 'events'
  | 'words'
  | 'cases'
  | 'json'

export interface NodeField {
  /** Where the value is in the node's settings: `set.status`. */
  readonly path: string
  readonly label: string
  readonly kind: FieldKind
  readonly hint?: string
  readonly required?: boolean
  /** Whether a formula may give the value. */
  readonly computed?: boolean
  readonly choices?: readonly string[]
}

export type KindGroup = 'Triggers' | 'Tasks' | 'Decisions' | 'Waiting' | 'Other systems'

export interface NodeKind {
  readonly title: string
  readonly icon: LucideIcon
  readonly group: KindGroup
  readonly fields: readonly NodeField[]
  /** The settings of a new node. */
  readonly config: Readonly<Record<string, unknown>>
}

const subject: NodeField = {
  path: 'task',
  label: 'Task',
  kind: 'task',
  computed: true,
  hint: 'The task of the run, unless you select another one.',
}

const taskFields = (prefix: string): readonly NodeField[] => [
  { path: `${prefix}.title`, label: 'Title', kind: 'text', computed: true },
  { path: `${prefix}.description`, label: 'Description', kind: 'long_text', computed: true },
  { path: `${prefix}.status`, label: 'Status', kind: 'status', computed: true },
  { path: `${prefix}.priority`, label: 'Priority', kind: 'priority', computed: true },
  { path: `${prefix}.assignee`, label: 'Assignee', kind: 'person', computed: true },
  { path: `${prefix}.due_at`, label: 'Due date', kind: 'date', computed: true },
  {
    path: `${prefix}.labels`,
    label: 'Labels',
    kind: 'labels',
    computed: true,
    hint: 'They replace the present labels.',
  },
  { path: `${prefix}.custom_fields`, label: 'Custom fields', kind: 'json', hint: 'As JSON: {"points": 3}' },
]

const place: readonly NodeField[] = [
  { path: 'project', label: 'Project', kind: 'project', computed: true },
  { path: 'column', label: 'Column', kind: 'column', computed: true },
]

const when: NodeField = {
  path: 'when',
  label: 'Only if',
  kind: 'formula',
  hint: "For example: event.data.object.status == 'done'",
}

export const kinds: Readonly<Record<string, NodeKind>> = {
  'trigger.event': {
    title: 'Something happens',
    icon: Zap,
    group: 'Triggers',
    config: { event_types: ['workflow.task.created'] },
    fields: [
      { path: 'event_types', label: 'Events', kind: 'events', required: true },
      { path: 'changed_fields', label: 'Only if one of these changed', kind: 'words', hint: 'Names of fields: status' },
      when,
    ],
  },
  'trigger.due': {
    title: 'Around a due date',
    icon: CalendarClock,
    group: 'Triggers',
    config: { offset_seconds: -86_400 },
    fields: [
      {
        path: 'offset_seconds',
        label: 'When',
        kind: 'duration',
        required: true,
        hint: 'Before or after the due date.',
      },
      { path: 'only_open', label: 'Leave out tasks that are done or canceled', kind: 'checkbox' },
      when,
    ],
  },
  'trigger.schedule': {
    title: 'On a schedule',
    icon: Calendar,
    group: 'Triggers',
    config: { cron: '0 9 * * 1', timezone: Intl.DateTimeFormat().resolvedOptions().timeZone },
    fields: [
      {
        path: 'cron',
        label: 'Schedule',
        kind: 'text',
        required: true,
        hint: 'Minute, hour, day, month, weekday: 0 9 * * 1 is Monday at 9.',
      },
      { path: 'timezone', label: 'Time zone', kind: 'text', required: true },
      {
        path: 'task_query',
        label: 'Once for each task that matches',
        kind: 'text',
        hint: 'A filter: status = in_progress AND updated < now-14d',
      },
      { path: 'max_tasks', label: 'Maximum number of tasks', kind: 'number' },
      { path: 'misfire', label: 'Missed times', kind: 'choice', choices: ['run_once', 'skip'] },
    ],
  },
  'trigger.manual': {
    title: 'By hand',
    icon: CirclePlay,
    group: 'Triggers',
    config: {},
    fields: [{ path: 'label', label: 'Text of the button', kind: 'text' }],
  },
  'task.update': {
    title: 'Update task',
    icon: Pencil,
    group: 'Tasks',
    config: { set: { priority: 'high' } },
    fields: [subject, ...taskFields('set')],
  },
  'task.assign': {
    title: 'Assign task',
    icon: UserRound,
    group: 'Tasks',
    config: { assignee: { $expr: 'task.creator.id' } },
    fields: [subject, { path: 'assignee', label: 'Assignee', kind: 'person', computed: true, required: true }],
  },
  'task.label': {
    title: 'Label task',
    icon: Tag,
    group: 'Tasks',
    config: { add: [] },
    fields: [
      subject,
      { path: 'add', label: 'Add labels', kind: 'labels' },
      { path: 'remove', label: 'Remove labels', kind: 'labels' },
    ],
  },
  'task.comment': {
    title: 'Comment on task',
    icon: MessageSquare,
    group: 'Tasks',
    config: { body: '' },
    fields: [subject, { path: 'body', label: 'Comment', kind: 'long_text', computed: true, required: true }],
  },
  'task.move': { title: 'Move task', icon: MoveRight, group: 'Tasks', config: {}, fields: [subject, ...place] },
  'task.complete': {
    title: 'Complete task',
    icon: CircleCheck,
    group: 'Tasks',
    config: {},
    fields: [subject, { path: 'only_if_open', label: 'Leave a canceled task unchanged', kind: 'checkbox' }],
  },
  'task.create': {
    title: 'Create task',
    icon: Plus,
    group: 'Tasks',
    config: { set: { title: '' } },
    fields: [...place, ...taskFields('set')],
  },
  'task.create_from_template': {
    title: 'Create task from template',
    icon: CopyPlus,
    group: 'Tasks',
    config: { template: '' },
    fields: [{ path: 'template', label: 'Template', kind: 'template', required: true }, ...taskFields('overrides')],
  },
  'task.add_dependency': {
    title: 'Add dependency',
    icon: Link2,
    group: 'Tasks',
    config: { to: '' },
    fields: [
      subject,
      { path: 'kind', label: 'Kind', kind: 'choice', choices: ['blocks', 'precedes', 'relates_to', 'duplicates'] },
      { path: 'to', label: 'Other task', kind: 'task', computed: true, required: true },
    ],
  },
  'timer.start': {
    title: 'Start timer',
    icon: Timer,
    group: 'Tasks',
    config: {},
    fields: [
      subject,
      { path: 'user', label: 'Person', kind: 'person', computed: true },
      { path: 'note', label: 'Note', kind: 'text', computed: true },
      { path: 'billable', label: 'Billable', kind: 'checkbox' },
    ],
  },
  'timer.stop': {
    title: 'Stop timer',
    icon: TimerOff,
    group: 'Tasks',
    config: {},
    fields: [subject, { path: 'user', label: 'Person', kind: 'person', computed: true }],
  },
  condition: {
    title: 'Condition',
    icon: GitBranch,
    group: 'Decisions',
    config: { expr: "task.priority == 'urgent'" },
    fields: [{ path: 'expr', label: 'If', kind: 'formula', required: true }],
  },
  switch: {
    title: 'Switch',
    icon: Split,
    group: 'Decisions',
    config: { cases: [{ port: 'first', expr: "task.priority == 'urgent'" }] },
    fields: [{ path: 'cases', label: 'Cases', kind: 'cases', required: true, hint: 'The first true case decides.' }],
  },
  for_each: {
    title: 'Loop',
    icon: Repeat,
    group: 'Decisions',
    config: { items: { $expr: 'task.labels' }, max_items: 20 },
    fields: [
      { path: 'items.$expr', label: 'For each item of', kind: 'formula', required: true },
      { path: 'max_items', label: 'Maximum number of items', kind: 'number', required: true },
      { path: 'on_overflow', label: 'A longer list', kind: 'choice', choices: ['fail', 'truncate'] },
      { path: 'on_item_error', label: 'A failed item', kind: 'choice', choices: ['stop', 'continue'] },
    ],
  },
  stop: {
    title: 'Stop',
    icon: CircleStop,
    group: 'Decisions',
    config: { outcome: 'succeeded' },
    fields: [
      { path: 'outcome', label: 'The run', kind: 'choice', choices: ['succeeded', 'failed'], required: true },
      { path: 'message', label: 'Message', kind: 'text', computed: true },
    ],
  },
  delay: {
    title: 'Wait',
    icon: Hourglass,
    group: 'Waiting',
    config: { seconds: 3600 },
    fields: [{ path: 'seconds', label: 'Wait for', kind: 'duration', computed: true, required: true }],
  },
  wait_until: {
    title: 'Wait until',
    icon: Clock,
    group: 'Waiting',
    config: { at: { $expr: 'task.due_at' } },
    fields: [
      { path: 'at', label: 'Time', kind: 'date', computed: true, required: true },
      { path: 'if_past', label: 'A time in the past', kind: 'choice', choices: ['continue', 'fail'] },
    ],
  },
  'http.request': {
    title: 'Call a URL',
    icon: Globe,
    group: 'Other systems',
    config: { method: 'POST', url: 'https://' },
    fields: [
      {
        path: 'method',
        label: 'Method',
        kind: 'choice',
        choices: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
        required: true,
      },
      { path: 'url', label: 'URL', kind: 'text', computed: true, required: true },
      { path: 'body', label: 'Body', kind: 'json', hint: 'As JSON. {"$expr": "task.key"} inserts a value.' },
      { path: 'headers', label: 'Headers', kind: 'json' },
      { path: 'secret', label: 'Secret', kind: 'text', hint: 'The name of a secret for the Authorization header.' },
      { path: 'output', label: 'Keep from the answer', kind: 'choice', choices: ['none', 'status', 'json', 'text'] },
      { path: 'delivery', label: 'Delivery', kind: 'choice', choices: ['at_least_once', 'at_most_once'] },
      { path: 'timeout_seconds', label: 'Seconds to wait', kind: 'number' },
    ],
  },
  'chat.post': {
    title: 'Post to a chat',
    icon: Send,
    group: 'Other systems',
    config: { secret: '', text: '' },
    fields: [
      { path: 'secret', label: 'Chat', kind: 'chat', required: true },
      { path: 'text', label: 'Text', kind: 'long_text', computed: true, required: true },
      { path: 'delivery', label: 'Delivery', kind: 'choice', choices: ['at_least_once', 'at_most_once'] },
    ],
  },
  'ai.step': {
    title: 'Ask a model',
    icon: Bot,
    group: 'Other systems',
    config: { operation: 'generate', instructions: '', max_output_tokens: 500 },
    fields: [
      {
        path: 'operation',
        label: 'Result',
        kind: 'choice',
        choices: ['generate', 'classify', 'extract'],
        required: true,
      },
      { path: 'instructions', label: 'Instructions', kind: 'long_text', computed: true, required: true },
      { path: 'input', label: 'Input', kind: 'json', hint: 'Named values: {"title": {"$expr": "task.title"}}' },
      { path: 'labels', label: 'Labels to choose from', kind: 'words' },
      { path: 'output_schema', label: 'JSON Schema of the fields', kind: 'json' },
      { path: 'max_output_tokens', label: 'Maximum number of tokens', kind: 'number', required: true },
    ],
  },
}

export const groups: readonly KindGroup[] = ['Triggers', 'Tasks', 'Decisions', 'Waiting', 'Other systems']

export function kindOf(type: string): NodeKind {
  return kinds[type] ?? { title: inWords(type), icon: Flag, group: 'Tasks', config: {}, fields: [] }
}

/** Whether a step may fail, and so has settings for it. */
export function mayFail({ type }: { readonly type: string }): boolean {
  return type === 'chat.post' || /^(task|timer|http|ai)\./.test(type)
}

export interface Port {
  readonly name: string
  readonly label: string
}

/** The ports that edges leave a node by. */
export function portsOf(node: NodeDraft): readonly Port[] {
  const error = node.on_error === 'branch' ? [{ name: 'error', label: 'Error' }] : []
  if (node.type === 'stop') return []
  if (node.type === 'condition') {
    return [
      { name: 'true', label: 'Yes' },
      { name: 'false', label: 'No' },
    ]
  }
  if (node.type === 'switch') {
    const cases = Array.isArray(node.config.cases) ? (node.config.cases as readonly { port?: unknown }[]) : []
    const names = cases.map(({ port }) => String(port ?? '')).filter(Boolean)
    return [...new Set([...names, 'default'])].map((name) => ({
      name,
      label: name === 'default' ? 'Otherwise' : inWords(name),
    }))
  }
  return [{ name: 'out', label: '' }, ...error]
}

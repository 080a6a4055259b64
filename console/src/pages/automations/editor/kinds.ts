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
  ClipboardPen,
  Clock,
  CopyPlus,
  CornerLeftUp,
  Flag,
  GitBranch,
  Globe,
  Hourglass,
  Link2,
  ListChecks,
  ListPlus,
  type LucideIcon,
  Mail,
  MailPlus,
  MessageSquare,
  MoveRight,
  Pencil,
  PhoneIncoming,
  Plus,
  Repeat,
  Send,
  Split,
  Stamp,
  Tag,
  Timer,
  TimerOff,
  UserRound,
  Webhook,
  Workflow,
  Zap,
} from 'lucide-react'
import { timeZone } from '../../../design/time-format.ts'
import { inWords } from '../../../design/words.ts'
import { t } from '../../../language/index.ts'
import type { NodeDraft } from './graph.ts'

export type FieldKind =
  | 'text'
  | 'long_text'
  | 'formula'
  | 'status'
  | 'priority'
  | 'person'
  | 'people'
  | 'project'
  | 'column'
  | 'task'
  | 'parent'
  | 'template'
  | 'chat'
  | 'labels'
  | 'date'
  | 'duration'
  | 'number'
  | 'checkbox'
  | 'choice'
  | 'events'
  | 'watched_fields'
  | 'words'
  | 'cases'
  | 'form_fields'
  | 'flow'
  | 'call_inputs'
  | 'task_source'
  | 'task_list'
  | 'yes_no'
  | 'filter'
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

export const groupNames = {
  triggers: t('Triggers'),
  tasks: t('Tasks'),
  decisions: t('Decisions'),
  waiting: t('Waiting'),
  systems: t('Other systems'),
}

export type KindGroup = keyof typeof groupNames

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
  label: t('Task'),
  kind: 'task',
  computed: true,
  hint: t('The task of the run, unless you select another one.'),
}

const taskFields = (prefix: string): readonly NodeField[] => [
  { path: `${prefix}.title`, label: t('Title'), kind: 'text', computed: true },
  { path: `${prefix}.description`, label: t('Description'), kind: 'long_text', computed: true },
  { path: `${prefix}.status`, label: t('Status'), kind: 'status', computed: true },
  { path: `${prefix}.priority`, label: t('Priority'), kind: 'priority', computed: true },
  { path: `${prefix}.assignee`, label: t('Assignee'), kind: 'person', computed: true },
  { path: `${prefix}.due_at`, label: t('Due date'), kind: 'date', computed: true },
  {
    path: `${prefix}.labels`,
    label: t('Labels'),
    kind: 'labels',
    computed: true,
    hint: t('They replace the present labels.'),
  },
  { path: `${prefix}.custom_fields`, label: t('Custom fields'), kind: 'json', hint: t('As JSON: {"points": 3}') },
]

const place: readonly NodeField[] = [
  { path: 'project', label: t('Project'), kind: 'project', computed: true },
  { path: 'column', label: t('Column'), kind: 'column', computed: true },
]

const when: NodeField = {
  path: 'when',
  label: t('Only if'),
  kind: 'formula',
  hint: t("For example: event.data.object.status == 'done'"),
}

export const kinds: Readonly<Record<string, NodeKind>> = {
  'trigger.event': {
    title: t('Something happens'),
    icon: Zap,
    group: 'triggers',
    config: { event_types: ['workflow.task.created'] },
    fields: [
      { path: 'event_types', label: t('Events'), kind: 'events', required: true },
      {
        path: 'changed_fields',
        label: t('Only if one of these changed'),
        kind: 'watched_fields',
        hint: t('Any field, unless you select some.'),
      },
      when,
    ],
  },
  'trigger.due': {
    title: t('Around a due date'),
    icon: CalendarClock,
    group: 'triggers',
    config: { offset_seconds: -86_400 },
    fields: [
      {
        path: 'offset_seconds',
        label: t('When'),
        kind: 'duration',
        required: true,
        hint: t('Before or after the due date.'),
      },
      { path: 'only_open', label: t('Leave out tasks that are done or canceled'), kind: 'checkbox' },
      when,
    ],
  },
  'trigger.schedule': {
    title: t('On a schedule'),
    icon: Calendar,
    group: 'triggers',
    get config() {
      return { cron: '0 9 * * 1', timezone: timeZone() }
    },
    fields: [
      {
        path: 'cron',
        label: t('Schedule'),
        kind: 'text',
        required: true,
        hint: t('Minute, hour, day, month, weekday: 0 9 * * 1 is Monday at 9.'),
      },
      { path: 'timezone', label: t('Time zone'), kind: 'text', required: true },
      {
        path: 'task_query',
        label: t('Once for each task that matches'),
        kind: 'filter',
        hint: t('Without a filter, the steps have no task.'),
      },
      { path: 'max_tasks', label: t('Maximum number of tasks'), kind: 'number' },
      { path: 'misfire', label: t('Missed times'), kind: 'choice', choices: ['run_once', 'skip'] },
    ],
  },
  'trigger.manual': {
    title: t('By hand'),
    icon: CirclePlay,
    group: 'triggers',
    config: {},
    fields: [{ path: 'label', label: t('Text of the button'), kind: 'text' }],
  },
  'trigger.webhook': {
    title: t('Incoming webhook'),
    icon: Webhook,
    group: 'triggers',
    config: {},
    fields: [
      {
        path: 'secret',
        label: t('Secret'),
        kind: 'text',
        hint: t('The name of the secret that requests must be signed with. Empty: requests need no signature.'),
      },
      { path: 'signature', label: t('Signature'), kind: 'choice', choices: ['standard', 'github'] },
      { path: 'headers', label: t('Headers'), kind: 'words', hint: t('Those that formulas can use: x-github-event') },
      { ...when, hint: t("For example: request.body.kind == 'bug'") },
    ],
  },
  'trigger.form': {
    title: t('Form'),
    icon: ClipboardPen,
    group: 'triggers',
    config: {
      title: t('Send us a request'),
      fields: [{ key: 'title', label: t('What is it about?'), kind: 'short_text', required: true }],
    },
    fields: [
      { path: 'title', label: t('Title'), kind: 'text', required: true },
      { path: 'introduction', label: t('Introduction'), kind: 'long_text', hint: t('Plain text above the fields.') },
      { path: 'fields', label: t('Fields'), kind: 'form_fields', required: true },
      { path: 'thanks', label: t('Thanks'), kind: 'long_text', hint: t('What people read after they have sent it.') },
      { ...when, hint: t("For example: form.title.contains('urgent')") },
    ],
  },
  'trigger.mail': {
    title: t('Mail received'),
    icon: MailPlus,
    group: 'triggers',
    config: {},
    fields: [
      {
        ...when,
        hint: t("For example: mail.from.endsWith('@example.com'). Empty: every mail starts a run."),
      },
    ],
  },
  'trigger.call': {
    title: t('Called by another flow'),
    icon: PhoneIncoming,
    group: 'triggers',
    config: {},
    fields: [
      {
        path: 'inputs',
        label: t('Inputs'),
        kind: 'call_inputs',
        hint: t('What the calling flow gives. Formulas use an input by its name: call.amount'),
      },
      { path: 'takes_task', label: t('Runs are about a task of the calling flow'), kind: 'checkbox' },
    ],
  },
  'task.update': {
    title: t('Update task'),
    icon: Pencil,
    group: 'tasks',
    config: { set: { priority: 'high' } },
    fields: [subject, ...taskFields('set')],
  },
  'task.assign': {
    title: t('Assign task'),
    icon: UserRound,
    group: 'tasks',
    config: { assignee: { $expr: 'task.creator.id' } },
    fields: [subject, { path: 'assignee', label: t('Assignee'), kind: 'person', computed: true, required: true }],
  },
  'task.label': {
    title: t('Label task'),
    icon: Tag,
    group: 'tasks',
    config: { add: [] },
    fields: [
      subject,
      { path: 'add', label: t('Add labels'), kind: 'labels' },
      { path: 'remove', label: t('Remove labels'), kind: 'labels' },
    ],
  },
  'task.comment': {
    title: t('Comment on task'),
    icon: MessageSquare,
    group: 'tasks',
    config: { body: '' },
    fields: [subject, { path: 'body', label: t('Comment'), kind: 'long_text', computed: true, required: true }],
  },
  'task.move': { title: t('Move task'), icon: MoveRight, group: 'tasks', config: {}, fields: [subject, ...place] },
  'task.complete': {
    title: t('Complete task'),
    icon: CircleCheck,
    group: 'tasks',
    config: {},
    fields: [subject, { path: 'only_if_open', label: t('Leave a canceled task unchanged'), kind: 'checkbox' }],
  },
  'task.create': {
    title: t('Create task'),
    icon: Plus,
    group: 'tasks',
    config: { set: { title: '' } },
    fields: [...place, ...taskFields('set')],
  },
  'task.create_from_template': {
    title: t('Create task from template'),
    icon: CopyPlus,
    group: 'tasks',
    config: { template: '' },
    fields: [{ path: 'template', label: t('Template'), kind: 'template', required: true }, ...taskFields('overrides')],
  },
  'task.create_many': {
    title: t('Create several tasks'),
    icon: ListPlus,
    group: 'tasks',
    config: { tasks: [{ title: '' }] },
    fields: [
      {
        path: 'parent',
        label: t('Subtasks of'),
        kind: 'parent',
        computed: true,
        hint: t('They are created in its project, unless you select another one.'),
      },
      ...place,
      { path: 'items', label: t('Which tasks'), kind: 'task_source' },
      { path: 'tasks', label: t('Tasks'), kind: 'task_list', required: true },
      {
        path: 'items.$expr',
        label: t('A task for each item of'),
        kind: 'formula',
        required: true,
        hint: t('Formulas below use an item as item, and its number from 0 as index.'),
      },
      { path: 'max_items', label: t('Maximum number of items'), kind: 'number', required: true },
      { path: 'on_overflow', label: t('A longer list'), kind: 'choice', choices: ['fail', 'truncate'] },
      ...taskFields('set'),
    ],
  },
  'task.update_many': {
    title: t('Update several tasks'),
    icon: ListChecks,
    group: 'tasks',
    config: { query: 'status = todo', max_tasks: 50, set: { priority: 'high' } },
    fields: [
      {
        path: 'query',
        label: t('All tasks that match'),
        kind: 'filter',
      },
      { path: 'parent', label: t('Only subtasks of'), kind: 'parent', computed: true },
      { path: 'max_tasks', label: t('Maximum number of tasks'), kind: 'number', required: true },
      {
        path: 'on_overflow',
        label: t('If more match'),
        kind: 'choice',
        choices: ['fail', 'truncate'],
        hint: t('Fail changes none of them; truncate changes the oldest.'),
      },
      ...taskFields('set'),
    ],
  },
  'task.update_parent': {
    title: t('Update parent task'),
    icon: CornerLeftUp,
    group: 'tasks',
    config: { set: { status: 'in_progress' } },
    fields: [subject, ...taskFields('set')],
  },
  'task.add_dependency': {
    title: t('Add dependency'),
    icon: Link2,
    group: 'tasks',
    config: { to: '' },
    fields: [
      subject,
      { path: 'kind', label: t('Kind'), kind: 'choice', choices: ['blocks', 'precedes', 'relates_to', 'duplicates'] },
      { path: 'to', label: t('Other task'), kind: 'task', computed: true, required: true },
    ],
  },
  'timer.start': {
    title: t('Start timer'),
    icon: Timer,
    group: 'tasks',
    config: {},
    fields: [
      subject,
      { path: 'user', label: t('Person'), kind: 'person', computed: true },
      { path: 'note', label: t('Note'), kind: 'text', computed: true },
      { path: 'billable', label: t('Billable'), kind: 'checkbox' },
    ],
  },
  'timer.stop': {
    title: t('Stop timer'),
    icon: TimerOff,
    group: 'tasks',
    config: {},
    fields: [subject, { path: 'user', label: t('Person'), kind: 'person', computed: true }],
  },
  condition: {
    title: t('Condition'),
    icon: GitBranch,
    group: 'decisions',
    config: { expr: "task.priority == 'urgent'" },
    fields: [{ path: 'expr', label: t('If'), kind: 'formula', required: true }],
  },
  switch: {
    title: t('Switch'),
    icon: Split,
    group: 'decisions',
    config: { cases: [{ port: 'first', expr: "task.priority == 'urgent'" }] },
    fields: [
      { path: 'cases', label: t('Cases'), kind: 'cases', required: true, hint: t('The first true case decides.') },
    ],
  },
  for_each: {
    title: t('Loop'),
    icon: Repeat,
    group: 'decisions',
    config: { items: { $expr: 'task.labels' }, max_items: 20 },
    fields: [
      { path: 'items.$expr', label: t('For each item of'), kind: 'formula', required: true },
      { path: 'max_items', label: t('Maximum number of items'), kind: 'number', required: true },
      { path: 'on_overflow', label: t('A longer list'), kind: 'choice', choices: ['fail', 'truncate'] },
      { path: 'on_item_error', label: t('A failed item'), kind: 'choice', choices: ['stop', 'continue'] },
    ],
  },
  stop: {
    title: t('Stop'),
    icon: CircleStop,
    group: 'decisions',
    config: { outcome: 'succeeded' },
    fields: [
      { path: 'outcome', label: t('The run'), kind: 'choice', choices: ['succeeded', 'failed'], required: true },
      { path: 'message', label: t('Message'), kind: 'text', computed: true },
      {
        path: 'output',
        label: t('Returns'),
        kind: 'json',
        hint: t('JSON for a flow that called this one: {"key": {"$expr": "task.key"}}'),
      },
    ],
  },
  delay: {
    title: t('Wait'),
    icon: Hourglass,
    group: 'waiting',
    config: { seconds: 3600 },
    fields: [{ path: 'seconds', label: t('Wait for'), kind: 'duration', computed: true, required: true }],
  },
  wait_until: {
    title: t('Wait until'),
    icon: Clock,
    group: 'waiting',
    config: { at: { $expr: 'task.due_at' } },
    fields: [
      { path: 'at', label: t('Time'), kind: 'date', computed: true, required: true },
      { path: 'if_past', label: t('A time in the past'), kind: 'choice', choices: ['continue', 'fail'] },
    ],
  },
  'approval.wait': {
    title: t('Ask for approval'),
    icon: Stamp,
    group: 'waiting',
    config: { people: [], text: '' },
    fields: [
      { path: 'people', label: t('Ask'), kind: 'people', required: true, hint: t('The first decision counts.') },
      { path: 'text', label: t('What to approve'), kind: 'long_text', computed: true, required: true },
      {
        path: 'timeout_seconds',
        label: t('Time out after'),
        kind: 'duration',
        hint: t('It then leaves by the port for that. Without it, the run waits until its own limit.'),
      },
    ],
  },
  'http.request': {
    title: t('Call a URL'),
    icon: Globe,
    group: 'systems',
    config: { method: 'POST', url: 'https://' },
    fields: [
      {
        path: 'method',
        label: t('Method'),
        kind: 'choice',
        choices: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
        required: true,
      },
      { path: 'url', label: t('URL'), kind: 'text', computed: true, required: true },
      { path: 'body', label: t('Body'), kind: 'json', hint: t('As JSON. {"$expr": "task.key"} inserts a value.') },
      { path: 'headers', label: t('Headers'), kind: 'json' },
      {
        path: 'secret',
        label: t('Secret'),
        kind: 'text',
        hint: t('The name of a secret for the Authorization header.'),
      },
      { path: 'output', label: t('Keep from the answer'), kind: 'choice', choices: ['none', 'status', 'json', 'text'] },
      { path: 'delivery', label: t('Delivery'), kind: 'choice', choices: ['at_least_once', 'at_most_once'] },
      { path: 'timeout_seconds', label: t('Seconds to wait'), kind: 'number' },
    ],
  },
  'chat.post': {
    title: t('Post to a chat'),
    icon: Send,
    group: 'systems',
    config: { secret: '', text: '' },
    fields: [
      { path: 'secret', label: t('Chat'), kind: 'chat', required: true },
      { path: 'text', label: t('Text'), kind: 'long_text', computed: true, required: true },
      { path: 'delivery', label: t('Delivery'), kind: 'choice', choices: ['at_least_once', 'at_most_once'] },
    ],
  },
  'mail.send': {
    title: t('Send mail'),
    icon: Mail,
    group: 'systems',
    config: { to: [], subject: '', text: '' },
    fields: [
      {
        path: 'to',
        label: t('To'),
        kind: 'people',
        required: true,
        hint: t('People who sign in here. Each gets a mail of their own.'),
      },
      { path: 'subject', label: t('Subject'), kind: 'text', computed: true, required: true },
      { path: 'text', label: t('Text'), kind: 'long_text', computed: true, required: true },
    ],
  },
  'flow.call': {
    title: t('Call another flow'),
    icon: Workflow,
    group: 'systems',
    config: { flow: '' },
    fields: [
      {
        path: 'flow',
        label: t('Flow'),
        kind: 'flow',
        required: true,
        hint: t('An active flow of this workspace that starts when another flow calls it.'),
      },
      {
        path: 'inputs',
        label: t('Inputs'),
        kind: 'json',
        hint: t('Values by name: {"amount": {"$expr": "task.number"}}'),
      },
      subject,
      { path: 'wait', label: t('Wait until it ends'), kind: 'yes_no', hint: t('Yes, unless you say otherwise.') },
      {
        path: 'timeout_seconds',
        label: t('Time out after'),
        kind: 'duration',
        hint: t('It then leaves by the port for that. Without it, the run waits until its own limit.'),
      },
    ],
  },
  'ai.step': {
    title: t('Ask a model'),
    icon: Bot,
    group: 'systems',
    config: { operation: 'generate', instructions: '', max_output_tokens: 500 },
    fields: [
      {
        path: 'operation',
        label: t('Result'),
        kind: 'choice',
        choices: ['generate', 'classify', 'extract'],
        required: true,
      },
      { path: 'instructions', label: t('Instructions'), kind: 'long_text', computed: true, required: true },
      { path: 'input', label: t('Input'), kind: 'json', hint: t('Named values: {"title": {"$expr": "task.title"}}') },
      { path: 'labels', label: t('Labels to choose from'), kind: 'words' },
      { path: 'output_schema', label: t('JSON Schema of the fields'), kind: 'json' },
      { path: 'max_output_tokens', label: t('Maximum number of tokens'), kind: 'number', required: true },
    ],
  },
}

export const groups: readonly KindGroup[] = ['triggers', 'tasks', 'decisions', 'waiting', 'systems']

export function kindOf(type: string): NodeKind {
  return kinds[type] ?? { title: inWords(type), icon: Flag, group: 'tasks', config: {}, fields: [] }
}

/** Whether a step may fail, and so has settings for it. */
export function mayFail({ type }: { readonly type: string }): boolean {
  return ['chat.post', 'mail.send', 'flow.call'].includes(type) || /^(task|timer|http|ai)\./.test(type)
}

export interface Port {
  readonly name: string
  readonly label: string
}

/** The ports that edges leave a node by. */
export function portsOf(node: NodeDraft): readonly Port[] {
  const error = node.on_error === 'branch' ? [{ name: 'error', label: t('Error') }] : []
  if (node.type === 'stop') return []
  if (node.type === 'condition') {
    return [
      { name: 'true', label: t('Yes') },
      { name: 'false', label: t('No') },
    ]
  }
  if (node.type === 'approval.wait') {
    return [
      { name: 'approved', label: t('Approved') },
      { name: 'rejected', label: t('Rejected') },
      ...(node.config.timeout_seconds === undefined ? [] : [{ name: 'timed_out', label: t('Timed out') }]),
    ]
  }
  if (node.type === 'switch') {
    const cases = Array.isArray(node.config.cases) ? (node.config.cases as readonly { port?: unknown }[]) : []
    const names = cases.map(({ port }) => String(port ?? '')).filter(Boolean)
    return [...new Set([...names, 'default'])].map((name) => ({
      name,
      label: name === 'default' ? t('Otherwise') : inWords(name),
    }))
  }
  if (node.type === 'flow.call' && node.config.timeout_seconds !== undefined) {
    return [{ name: 'out', label: '' }, { name: 'timed_out', label: t('Timed out') }, ...error]
  }
  return [{ name: 'out', label: '' }, ...error]
}

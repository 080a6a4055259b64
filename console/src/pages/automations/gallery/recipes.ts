/** The recipes of the gallery, in the order in which it shows them. */
import {
  AlarmClock,
  ArrowUp,
  BellRing,
  Bug,
  CalendarCheck,
  CircleCheck,
  CircleSlash,
  ClipboardList,
  ClipboardPen,
  CornerLeftUp,
  Eye,
  Flame,
  Handshake,
  Inbox,
  ListChecks,
  Mail,
  MailPlus,
  Megaphone,
  MessageSquare,
  Repeat,
  Rocket,
  Send,
  ShieldAlert,
  Snowflake,
  Stamp,
  Tag,
  Unlock,
  UserRound,
  Webhook,
} from 'lucide-react'
import { timeZone } from '../../../design/time-format.ts'
import { t } from '../../../language/index.ts'
import { type GraphDraft, versioned } from '../editor/graph.ts'
import { chain, cronOf, node, type Question, quoted, type Recipe } from './recipe.ts'

const project: Question = {
  id: 'project',
  label: t('Project'),
  kind: 'project',
  initial: '',
  hint: t('Empty: every project of the workspace.'),
}
const chat: Question = { id: 'chat', label: t('Chat'), kind: 'chat', initial: '' }
const time: Question = { id: 'time', label: t('At'), kind: 'time', initial: '09:00' }
const weekday: Question = { id: 'weekday', label: t('On'), kind: 'weekday', initial: '1' }

const comment = (id: string, text: string) => node(id, 'task.comment', { body: { $template: text } })
const completed = node('completed', 'trigger.event', { event_types: ['workflow.task.completed'] })
const created = node('created', 'trigger.event', { event_types: ['workflow.task.created'] })

const entersStatus = (status: string) =>
  node('status_changes', 'trigger.event', {
    event_types: ['workflow.task.updated', 'workflow.task.moved'],
    changed_fields: ['status'],
    when: `event.data.object.status == ${quoted(status)}`,
  })

const onSchedule = (at: string, days: string, more: Readonly<Record<string, unknown>> = {}) =>
  node('on_time', 'trigger.schedule', { cron: cronOf(at, days), timezone: timeZone(), misfire: 'run_once', ...more })

const triage: readonly Recipe[] = [
  {
    id: 'triage_by_label',
    title: t('Set the priority by label'),
    text: t('A task with one label becomes urgent, with another one high.'),
    icon: Tag,
    group: t('Triage'),
    questions: [
      { id: 'urgent', label: t('Urgent with the label'), kind: 'label', initial: 'security' },
      { id: 'high', label: t('High with the label'), kind: 'label', initial: 'bug' },
    ],
    graph: ({ urgent = '', high = '' }): GraphDraft => ({
      schema_version: 1,
      nodes: [
        node('labels_change', 'trigger.event', {
          event_types: ['workflow.task.created', 'workflow.task.updated'],
          changed_fields: ['labels'],
          when: 'size(task.labels) > 0',
        }),
        node('label', 'switch', {
          cases: [
            { port: 'urgent', expr: `${quoted(urgent)} in task.labels` },
            { port: 'high', expr: `${quoted(high)} in task.labels && task.priority == 'none'` },
          ],
        }),
        node('make_urgent', 'task.update', { set: { priority: 'urgent' } }),
        node('make_high', 'task.update', { set: { priority: 'high' } }),
      ],
      edges: [
        { source: 'labels_change', target: 'label' },
        { source: 'label', port: 'urgent', target: 'make_urgent' },
        { source: 'label', port: 'high', target: 'make_high' },
      ],
    }),
  },
  {
    id: 'default_assignee',
    title: t('Assign new tasks'),
    text: t('A new task without an assignee gets one.'),
    icon: UserRound,
    group: t('Triage'),
    questions: [{ id: 'person', label: t('Assign to'), kind: 'person', initial: '' }, project],
    graph: ({ person = '' }) =>
      chain(
        created,
        node('has_none', 'condition', { expr: 'task.assignee == null' }),
        node('assign', 'task.assign', { assignee: person }),
      ),
  },
  {
    id: 'bug_intake',
    title: t('Ask for what a bug report needs'),
    text: t('A new bug with a short description gets a comment that asks for steps, expectation and version.'),
    icon: Bug,
    group: t('Triage'),
    questions: [{ id: 'label', label: t('Bugs have the label'), kind: 'label', initial: 'bug' }, project],
    graph: ({ label = '' }) =>
      chain(
        created,
        node('is_short', 'condition', {
          expr: `${quoted(label)} in task.labels && (task.description == null || size(string(task.description)) < 80)`,
        }),
        comment('ask', 'Please add: the steps to see it, what you expected, what happened, and the version.'),
      ),
  },
  {
    id: 'security_care',
    title: t('Handle security reports with care'),
    text: t('A task with the label becomes urgent and reminds people to keep details private.'),
    icon: ShieldAlert,
    group: t('Triage'),
    questions: [{ id: 'label', label: t('Label'), kind: 'label', initial: 'security' }],
    graph: ({ label = '' }) =>
      chain(
        node('labels_change', 'trigger.event', {
          event_types: ['workflow.task.created', 'workflow.task.updated'],
          changed_fields: ['labels'],
          when: `${quoted(label)} in task.labels`,
        }),
        node('make_urgent', 'task.update', { set: { priority: 'urgent' } }),
        comment('warn', 'Marked as security: please keep details out of public places.'),
      ),
  },
  {
    id: 'intake_inbox',
    title: t('Put unplanned tasks on a backlog'),
    text: t('A new task without a project becomes backlog, so that it is not taken for planned work.'),
    icon: Inbox,
    group: t('Triage'),
    questions: [],
    graph: () =>
      chain(
        created,
        node('is_unplanned', 'condition', { expr: "task.project == null && task.status == 'todo'" }),
        node('to_backlog', 'task.update', { set: { status: 'backlog' } }),
      ),
  },
]

const reminders: readonly Recipe[] = [
  {
    id: 'remind_before_due',
    title: t('Remind before the due date'),
    text: t('Some hours before an open task is due, its assignee is reminded in a comment.'),
    icon: AlarmClock,
    group: t('Reminders'),
    questions: [{ id: 'hours', label: t('Hours before'), kind: 'hours', initial: '24' }, project],
    graph: ({ hours = '24' }) =>
      chain(
        node('soon', 'trigger.due', {
          offset_seconds: -3600 * Number(hours),
          only_open: true,
          when: 'task.assignee != null',
        }),
        comment('remind', `{{ task.key }} is due in ${hours} hours and is {{ task.status }}.`),
      ),
  },
  {
    id: 'escalate_overdue',
    title: t('Escalate overdue tasks'),
    text: t('Some days after the due date, an open task gets a higher priority, a label and a comment.'),
    icon: Flame,
    group: t('Reminders'),
    questions: [
      { id: 'days', label: t('Days after'), kind: 'days', initial: '1' },
      { id: 'label', label: t('Label'), kind: 'label', initial: 'overdue' },
      project,
    ],
    graph: ({ days = '1', label = '' }) =>
      chain(
        node('too_late', 'trigger.due', { offset_seconds: 86_400 * Number(days), only_open: true }),
        node('raise', 'task.update', {
          set: { priority: { $expr: "task.priority == 'high' || task.priority == 'urgent' ? 'urgent' : 'high'" } },
        }),
        node('mark', 'task.label', { add: [label] }),
        comment('say_so', 'This was due and is still {{ task.status }}. Its priority is now {{ task.priority }}.'),
      ),
  },
  {
    id: 'mark_stale',
    title: t('Find stale work'),
    text: t('Every morning, tasks in progress that have not changed for some days get a label and a question.'),
    icon: Snowflake,
    group: t('Reminders'),
    questions: [
      { id: 'days', label: t('Days without a change'), kind: 'days', initial: '14' },
      { id: 'label', label: t('Label'), kind: 'label', initial: 'stale' },
      time,
    ],
    graph: ({ days = '14', label = '', time: at = '09:00' }) =>
      chain(
        onSchedule(at, '*', {
          task_query: `status = in_progress AND NOT labels:${JSON.stringify(label)}`,
          max_tasks: 100,
        }),
        node('is_old', 'condition', { expr: `now - task.updated > ${Number(days)} * 86400` }),
        node('mark', 'task.label', { add: [label] }),
        comment('ask', `Nothing happened here for ${days} days. Is {{ task.key }} still in progress?`),
      ),
  },
  {
    id: 'blocked_daily',
    title: t('Ask about blocked tasks'),
    text: t('On weekdays, each task that has been blocked for some days gets a question.'),
    icon: BellRing,
    group: t('Reminders'),
    questions: [{ id: 'days', label: t('Days blocked'), kind: 'days', initial: '3' }, time],
    graph: ({ days = '3', time: at = '09:00' }) =>
      chain(
        onSchedule(at, '1-5', { task_query: 'status = blocked', max_tasks: 100 }),
        node('is_long', 'condition', { expr: `now - task.updated > ${Number(days)} * 86400` }),
        comment('ask', 'Still blocked? Say what is missing, or who can help.'),
      ),
  },
  {
    id: 'review_waits',
    title: t('Speed up reviews'),
    text: t('A task that has been in review for some hours gets a comment.'),
    icon: Eye,
    group: t('Reminders'),
    questions: [{ id: 'hours', label: t('Hours in review'), kind: 'hours', initial: '24' }, project],
    graph: ({ hours = '24' }) =>
      chain(
        entersStatus('in_review'),
        node('wait', 'delay', { seconds: 3600 * Number(hours) }),
        node('still_waits', 'condition', { expr: "task.status == 'in_review'" }),
        comment('ask', `In review for ${hours} hours. Who can look at it today?`),
      ),
  },
]

const handOver: readonly Recipe[] = [
  {
    id: 'tell_reporter',
    title: t('Tell the reporter when a bug is done'),
    text: t('When a task with the label is completed, a comment tells the person who created it.'),
    icon: CircleCheck,
    group: t('Hand-over'),
    questions: [{ id: 'label', label: t('Label'), kind: 'label', initial: 'bug' }, project],
    graph: ({ label = '' }) =>
      chain(
        completed,
        node('is_bug', 'condition', { expr: `${quoted(label)} in task.labels` }),
        comment(
          'tell',
          // A mention, so that it is in the person's inbox.
          'Done: {{ task.title }}. [@creator](atrium:{{ task.creator.id }}), please check that it works for you.',
        ),
      ),
  },
  {
    id: 'hand_over_review',
    title: t('Hand over for review'),
    text: t('A task that goes into review is assigned to the reviewer.'),
    icon: Handshake,
    group: t('Hand-over'),
    questions: [{ id: 'person', label: t('Reviewer'), kind: 'person', initial: '' }, project],
    graph: ({ person = '' }) =>
      chain(
        entersStatus('in_review'),
        node('hand_over', 'task.assign', { assignee: person }),
        comment('tell', 'Handed over for review.'),
      ),
  },
  {
    id: 'approve_hand_over',
    title: t('Ask before it is handed over'),
    text: t(
      'A task that goes into review waits for a decision: approved it is done, rejected it goes back with the reason.',
    ),
    icon: Stamp,
    group: t('Hand-over'),
    questions: [
      { id: 'person', label: t('Who decides'), kind: 'person', initial: '' },
      { id: 'days', label: t('Days to decide'), kind: 'days', initial: '3' },
      project,
    ],
    graph: ({ person = '', days = '3' }): GraphDraft =>
      versioned({
        schema_version: 1,
        nodes: [
          entersStatus('in_review'),
          node('ask', 'approval.wait', {
            people: [person],
            text: { $template: 'Is {{ task.key }} ready? {{ task.title }}' },
            // A step waits 90 days at most.
            timeout_seconds: Math.min(Number(days), 90) * 86_400,
          }),
          node('done', 'task.complete', { only_if_open: true }),
          node('back', 'task.update', { set: { status: 'in_progress' } }),
          comment(
            'say_why',
            "Not approved yet. {{ steps.ask.output.comment == null ? '' : steps.ask.output.comment }}",
          ),
          comment('remind', 'No decision came in time. Please look at it again.'),
        ],
        edges: [
          { source: 'status_changes', target: 'ask' },
          { source: 'ask', port: 'approved', target: 'done' },
          { source: 'ask', port: 'rejected', target: 'back' },
          { source: 'back', target: 'say_why' },
          { source: 'ask', port: 'timed_out', target: 'remind' },
        ],
      }),
  },
  {
    id: 'tell_unblocked',
    title: t('Tell people they can go on'),
    text: t('When a task is done, each task that it blocked and that nothing else blocks gets a comment.'),
    icon: Unlock,
    group: t('Hand-over'),
    questions: [project],
    graph: (): GraphDraft => ({
      schema_version: 1,
      nodes: [
        completed,
        node('each', 'for_each', {
          items: {
            $expr: "task.blocks.filter(t, t.open_blockers == 0 && t.status != 'done' && t.status != 'canceled')",
          },
          max_items: 50,
          on_overflow: 'truncate',
          on_item_error: 'continue',
        }),
        node(
          'tell',
          'task.comment',
          {
            task: { $expr: 'item.id' },
            body: { $template: '{{ task.key }} ({{ task.title }}) is done: {{ item.key }} is no longer blocked.' },
          },
          { parent: 'each' },
        ),
      ],
      edges: [{ source: 'completed', target: 'each' }],
    }),
  },
  {
    id: 'start_assigns',
    title: t('Who starts a task takes it'),
    text: t('A task without an assignee that goes into progress is assigned to its creator.'),
    icon: ArrowUp,
    group: t('Hand-over'),
    questions: [project],
    graph: () =>
      chain(
        entersStatus('in_progress'),
        node('has_none', 'condition', { expr: "task.assignee == null && task.creator.type == 'user'" }),
        node('assign', 'task.assign', { assignee: { $expr: 'task.creator.id' } }),
      ),
  },
]

const planning: readonly Recipe[] = [
  {
    id: 'plan_the_week',
    title: t('Recurring task'),
    text: t('Every week a task is created for the same person.'),
    icon: Repeat,
    group: t('Planning'),
    questions: [
      { id: 'title', label: t('Title'), kind: 'text', initial: t('Plan the week') },
      { id: 'person', label: t('Assign to'), kind: 'person', initial: '' },
      weekday,
      time,
    ],
    graph: ({ title = '', person = '', weekday: day = '1', time: at = '09:00' }) =>
      chain(
        onSchedule(at, day),
        node('create', 'task.create', { set: { title, assignee: person, due_at: { $expr: 'now + 86400' } } }),
      ),
  },
  {
    id: 'release_checklist',
    title: t('Release checklist'),
    text: t('Started by hand on a task: creates one task for each step of a release.'),
    icon: Rocket,
    group: t('Planning'),
    questions: [
      {
        id: 'steps',
        label: t('Steps'),
        kind: 'text',
        initial: t('Freeze, Test, Write notes, Publish, Announce'),
        hint: t('Separated by commas.'),
      },
    ],
    graph: ({ steps = '' }): GraphDraft => ({
      schema_version: 1,
      nodes: [
        node('by_hand', 'trigger.manual', { label: t('Create release checklist') }),
        node('each', 'for_each', { items: { $expr: listOf(steps) }, max_items: 50 }),
        node(
          'create',
          'task.create',
          { set: { title: { $template: '{{ item }}: {{ task.title }}' } } },
          { parent: 'each' },
        ),
      ],
      edges: [{ source: 'by_hand', target: 'each' }],
    }),
  },
  {
    id: 'subtask_checklist',
    title: t('Checklist as subtasks'),
    text: t('A task that gets a label gets the steps of a checklist as its subtasks.'),
    icon: ListChecks,
    group: t('Planning'),
    questions: [
      { id: 'label', label: t('Label'), kind: 'label', initial: 'release' },
      {
        id: 'steps',
        label: t('Subtasks'),
        kind: 'text',
        initial: t('Test, Write notes, Publish'),
        hint: t('Separated by commas.'),
      },
      project,
    ],
    graph: ({ label = '', steps = '' }) =>
      chain(
        node('labeled', 'trigger.event', {
          event_types: ['workflow.task.created', 'workflow.task.updated'],
          changed_fields: ['labels'],
          when: `${quoted(label)} in event.data.object.labels && event.data.object.subtask_count == 0`,
        }),
        node('checklist', 'task.create_many', {
          parent: '$subject',
          tasks: wordsOf(steps).map((title) => ({ title })),
        }),
      ),
  },
  {
    id: 'start_parent',
    title: t('Start the parent'),
    text: t('When work on a subtask begins, its parent is in progress, too.'),
    icon: CornerLeftUp,
    group: t('Planning'),
    questions: [project],
    graph: () =>
      chain(
        entersStatus('in_progress'),
        node('is_subtask', 'condition', { expr: 'task.parent != null' }),
        node('parent', 'task.update_parent', { set: { status: 'in_progress' } }),
      ),
  },
  {
    id: 'cancel_subtasks',
    title: t('Cancel subtasks'),
    text: t('When a task is canceled, its open subtasks are canceled, too.'),
    icon: CircleSlash,
    group: t('Planning'),
    questions: [project],
    graph: () =>
      chain(
        entersStatus('canceled'),
        node('cancel', 'task.update_many', {
          ...{ parent: '$subject', query: 'status != done AND status != canceled', max_tasks: 100 },
          set: { status: 'canceled' },
        }),
      ),
  },
  {
    id: 'daily_standup',
    title: t('Daily stand-up'),
    text: t('On weekdays a task for the notes of the stand-up is created.'),
    icon: ClipboardList,
    group: t('Planning'),
    questions: [{ id: 'title', label: t('Title'), kind: 'text', initial: t('Stand-up notes') }, time],
    graph: ({ title = '', time: at = '09:00' }) =>
      chain(onSchedule(at, '1-5'), node('create', 'task.create', { set: { title, due_at: { $expr: 'now + 3600' } } })),
  },
  {
    id: 'due_by_priority',
    title: t('Due date by priority'),
    text: t('An urgent task without a due date gets one.'),
    icon: CalendarCheck,
    group: t('Planning'),
    questions: [{ id: 'days', label: t('Days from then'), kind: 'days', initial: '2' }, project],
    graph: ({ days = '2' }) =>
      chain(
        node('becomes_urgent', 'trigger.event', {
          event_types: ['workflow.task.created', 'workflow.task.updated'],
          changed_fields: ['priority'],
          when: "event.data.object.priority == 'urgent'",
        }),
        node('has_none', 'condition', { expr: 'task.due_at == null' }),
        node('set_due', 'task.update', { set: { due_at: { $expr: `now + ${Number(days)} * 86400` } } }),
      ),
  },
]

const other: readonly Recipe[] = [
  {
    id: 'intake_by_form',
    title: t('Intake by form'),
    text: t('People without an account fill in a form, and a task is created from their answers.'),
    icon: ClipboardPen,
    group: t('Other systems'),
    questions: [
      { id: 'title', label: t('Title of the form'), kind: 'text', initial: t('Send us a request') },
      { id: 'person', label: t('Assign to'), kind: 'person', initial: '' },
      { id: 'label', label: t('Label'), kind: 'label', initial: 'intake' },
    ],
    graph: ({ title = '', person = '', label = '' }) =>
      chain(
        node('sent', 'trigger.form', {
          title,
          introduction: t('Tell us what you need. We look at every request.'),
          fields: [
            { key: 'title', label: t('What is it about?'), kind: 'short_text', required: true },
            { key: 'details', label: t('Details'), kind: 'long_text' },
            { key: 'needed', label: t('Needed by'), kind: 'date' },
            {
              key: 'email',
              label: t('Your e-mail address'),
              kind: 'email',
              required: true,
              hint: t('For questions about your request.'),
            },
          ],
          thanks: t('Thank you. We have your request.'),
        }),
        node('create', 'task.create', {
          set: {
            title: { $expr: 'form.title' },
            description: { $template: "{{ form.details == null ? '' : form.details }}\n\n{{ form.email }}" },
            due_at: { $expr: 'form.needed_at' },
            assignee: person,
            labels: [label],
          },
        }),
      ),
  },
  {
    id: 'intake_by_mail',
    title: t('Intake by mail'),
    text: t('People write to an address, and a task is created from each mail.'),
    icon: MailPlus,
    group: t('Other systems'),
    questions: [
      { id: 'person', label: t('Assign to'), kind: 'person', initial: '' },
      { id: 'label', label: t('Label'), kind: 'label', initial: 'intake' },
    ],
    graph: ({ person = '', label = '' }) =>
      chain(
        node('received', 'trigger.mail', {}),
        node('create', 'task.create', {
          set: {
            title: { $template: '{{ mail.subject }}' },
            description: { $template: '{{ mail.text }}\n\n{{ mail.from }}' },
            assignee: person,
            labels: [label],
          },
        }),
      ),
  },
  {
    id: 'intake_by_webhook',
    title: t('Intake by webhook'),
    text: t('Another system sends a request with a title, and a task is created from it.'),
    icon: Webhook,
    group: t('Other systems'),
    questions: [
      { id: 'person', label: t('Assign to'), kind: 'person', initial: '' },
      { id: 'label', label: t('Label'), kind: 'label', initial: 'intake' },
    ],
    graph: ({ person = '', label = '' }) =>
      chain(
        node('received', 'trigger.webhook', { when: 'has(request.body.title)' }),
        node('create', 'task.create', {
          set: {
            title: { $template: '{{ request.body.title }}' },
            description: { $template: "{{ has(request.body.description) ? request.body.description : '' }}" },
            assignee: person,
            labels: [label],
          },
        }),
      ),
  },
  {
    id: 'weekly_mail',
    title: t('Mail about the week'),
    text: t('Once a week a person gets a mail with links to the reports and to what is overdue.'),
    icon: Mail,
    group: t('Other systems'),
    questions: [{ id: 'person', label: t('Send to'), kind: 'person', initial: '' }, weekday, time],
    graph: ({ person = '', weekday: day = '1', time: at = '09:00' }) =>
      chain(
        onSchedule(at, day),
        node('mail', 'mail.send', {
          to: [person],
          subject: t('The week in Atrium'),
          text: t('Reports: {reports}\nOverdue: {overdue}', {
            reports: `${here()}/work/reports`,
            overdue: `${here()}/work/tasks?${new URLSearchParams({ filter: 'due_at < now AND NOT status IN (done, canceled)' })}`,
          }),
        }),
      ),
  },
  {
    id: 'post_to_chat',
    title: t('Post to a chat'),
    text: t('New, completed and reopened tasks are posted to a channel of Slack, Mattermost, Rocket.Chat or Zulip.'),
    icon: Send,
    group: t('Other systems'),
    questions: [chat, project],
    graph: ({ chat: secret = '' }) =>
      chain(
        node('something_happens', 'trigger.event', {
          event_types: ['workflow.task.created', 'workflow.task.completed', 'workflow.task.reopened'],
        }),
        node('post', 'chat.post', {
          secret,
          text: {
            $template:
              "{{ task.key }} {{ event.type == 'workflow.task.completed' ? 'is done' : event.type == 'workflow.task.reopened' ? 'was reopened' : 'is new' }}: {{ task.title }}",
          },
        }),
      ),
  },
  {
    id: 'urgent_to_chat',
    title: t('Alert a chat to urgent tasks'),
    text: t('A task that becomes urgent is posted to a channel.'),
    icon: MessageSquare,
    group: t('Other systems'),
    questions: [chat, project],
    graph: ({ chat: secret = '' }) =>
      chain(
        node('becomes_urgent', 'trigger.event', {
          event_types: ['workflow.task.created', 'workflow.task.updated'],
          changed_fields: ['priority'],
          when: "event.data.object.priority == 'urgent'",
        }),
        node('post', 'chat.post', { secret, text: { $template: 'Urgent: {{ task.key }} {{ task.title }}' } }),
      ),
  },
  {
    id: 'overdue_to_chat',
    title: t('Report overdue tasks to a chat'),
    text: t('Once a week a chat gets one line for each open task that is overdue.'),
    icon: Megaphone,
    group: t('Other systems'),
    questions: [chat, weekday, time, project],
    graph: ({ chat: secret = '', weekday: day = '1', time: at = '09:00' }) =>
      chain(
        onSchedule(at, day, { task_query: 'due_at < now', max_tasks: 100 }),
        node('is_open', 'condition', { expr: "!(task.status in ['done', 'canceled'])" }),
        node('post', 'chat.post', { secret, text: { $template: 'Overdue: {{ task.key }} {{ task.title }}' } }),
      ),
  },
]

export const recipes: readonly Recipe[] = [...triage, ...reminders, ...handOver, ...planning, ...other]

/** Where this console is served; empty outside of a browser. */
function here(): string {
  return globalThis.location?.origin ?? ''
}

/** Names separated by commas. */
function wordsOf(names: string): readonly string[] {
  return names
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
}

/** Names separated by commas as a list of an expression. */
function listOf(names: string): string {
  return `[${wordsOf(names).map(quoted).join(', ')}]`
}

/** The node types of an automation graph and their settings (contract/16#nodes). */
import Type, { type TProperties } from 'typebox'
import { described, document_name, OneOf } from '../api/declare/shapes.ts'
import { limits } from '../api/limits.ts'
import { call_input_kinds } from './calls.ts'
import { form_field_kinds } from './forms.ts'
import { automation_limits } from './limits.ts'
import {
  any_json,
  closed,
  Expression,
  Formula,
  LabelValues,
  NodeId,
  OptionalRefValue,
  optional,
  Ref,
  RefValue,
  Retry,
  ScalarValue,
  TaskTitle,
  TaskValue,
  TextValue,
  taskFields,
  Ui,
  Value,
  word_form,
} from './schema-values.ts'

const shared = {
  name: optional(Type.String({ maxLength: 120 }), 'Name of the node for people; runs ignore it.'),
  parent: optional(
    Type.Union([NodeId, Type.Null()]),
    'The `for_each` whose body contains the node; null outside loops.',
  ),
  ui: optional(Ui, 'Where editors draw the node; runs ignore it.'),
}

/** The fields that every node has. */
function common<const T extends string>(type: T) {
  return {
    id: described(NodeId, 'Id of the node; edges and expressions use it.'),
    type: described(Type.Literal(type), `Type of the node: \`${type}\`.`),
    ...shared,
  }
}

/** Names the schema in documents: `task.create_from_template` becomes `TaskCreateFromTemplateNode`. */
function named(type: string) {
  const words = type.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return { ...closed, [document_name]: `${words.join('')}Node` }
}

/** A trigger, or a node that decides how the run continues. */
function logic<const T extends string, C extends TProperties>(type: T, config: C) {
  return Type.Object(
    { ...common(type), config: described(Type.Object(config, closed), 'Settings of the node.') },
    named(type),
  )
}

/** A node with an effect, which may fail. */
function action<const T extends string, C extends TProperties>(type: T, config: C) {
  return Type.Object(
    {
      ...common(type),
      config: described(Type.Object(config, closed), 'Settings of the step.'),
      retry: optional(Retry, 'When and how often a failed step is retried.'),
      on_error: optional(
        OneOf('fail', 'continue', 'branch'),
        'What follows the last failed attempt: the run fails, continues, or takes the port `error`. `fail` by default.',
      ),
    },
    named(type),
  )
}

const quarter_seconds = 90 * 86_400

const ManyTasks = Type.Integer({ minimum: 1, maximum: automation_limits.automation_many_tasks_max })

const FormField = Type.Object(
  {
    key: described(NodeId, 'Name of the answer in expressions: `form.<key>`.'),
    label: described(
      Type.String({ minLength: 1, maxLength: automation_limits.automation_form_label_chars_max }),
      'What people read beside the field.',
    ),
    kind: described(OneOf(...form_field_kinds), 'What the field takes.'),
    required: optional(Type.Boolean(), 'Whether an answer is needed; false by default.'),
    hint: optional(
      Type.String({ maxLength: automation_limits.automation_form_hint_chars_max }),
      'Plain text below the label.',
    ),
    options: optional(
      Type.Array(Type.String({ minLength: 1, maxLength: automation_limits.automation_form_option_chars_max }), {
        minItems: 1,
        maxItems: automation_limits.automation_form_options_max,
        uniqueItems: true,
      }),
      'What can be selected; required for `select`.',
    ),
  },
  closed,
)

const CallInput = Type.Object(
  {
    key: described(NodeId, 'Name of the input in expressions: `call.<key>`.'),
    kind: described(
      OneOf(...call_input_kinds),
      'What the input takes: a text, a whole number, any number, true or false, a list, or an object.',
    ),
    required: optional(
      Type.Boolean(),
      'Whether each call gives it; false by default. An input that is left out is null.',
    ),
    label: optional(
      Type.String({ maxLength: automation_limits.automation_call_label_chars_max }),
      'What people read beside the input.',
    ),
  },
  closed,
)

const triggers = {
  'trigger.event': logic('trigger.event', {
    event_types: described(
      Type.Array(Type.String({ pattern: '^workflow\\.[a-z_]+(\\.[a-z_]+)+$' }), {
        minItems: 1,
        maxItems: 20,
        uniqueItems: true,
      }),
      'Event types that start a run.',
    ),
    changed_fields: optional(
      Type.Array(Type.String({ maxLength: 80 }), { maxItems: 20 }),
      'Starts only if one of these fields changed.',
    ),
    when: optional(Formula('bool'), 'CEL condition; starts only if it is true.'),
  }),
  'trigger.schedule': logic('trigger.schedule', {
    cron: described(
      Type.String({ minLength: 9, maxLength: 120 }),
      'Five cron fields: minute, hour, day, month, weekday.',
    ),
    timezone: described(Type.String({ minLength: 1, maxLength: 64 }), 'IANA time zone, such as `Europe/Berlin`.'),
    misfire: optional(
      OneOf('run_once', 'skip'),
      'What happens to missed times after downtime: `run_once` (default) fires once, `skip` does not.',
    ),
    task_query: optional(
      Type.String({ maxLength: automation_limits.automation_task_query_chars_max }),
      'Filter expression: one run for each task that matches.',
    ),
    max_tasks: optional(Type.Integer({ minimum: 1, maximum: 100 }), 'Most tasks per firing.'),
  }),
  'trigger.due': logic('trigger.due', {
    field: optional(OneOf('due_at'), 'Time that is watched: always `due_at`.'),
    offset_seconds: described(
      Type.Integer({ minimum: -quarter_seconds, maximum: quarter_seconds }),
      'Seconds after the due date; negative means before.',
    ),
    only_open: optional(Type.Boolean(), 'Whether to leave out tasks that are done or canceled; true by default.'),
    when: optional(Formula('bool'), 'CEL condition; starts only if it is true.'),
  }),
  'trigger.manual': logic('trigger.manual', {
    label: optional(Type.String({ maxLength: 80 }), 'Text of the button that starts the flow.'),
  }),
  'trigger.webhook': logic('trigger.webhook', {
    secret: optional(Ref('secret'), 'Name of the secret that requests must be signed with; unsigned by default.'),
    signature: optional(
      OneOf('standard', 'github'),
      'How requests are signed: by Standard Webhooks (default) or as GitHub does, `X-Hub-Signature-256`.',
    ),
    headers: optional(
      Type.Array(Type.String({ pattern: '^[a-z0-9-]{1,64}$' }), {
        maxItems: automation_limits.automation_hook_headers_max,
        uniqueItems: true,
      }),
      'Headers that expressions can use, in lower case.',
    ),
    when: optional(Formula('bool'), 'CEL condition; starts only if it is true.'),
  }),
  'trigger.form': logic('trigger.form', {
    title: described(
      Type.String({ minLength: 1, maxLength: automation_limits.automation_form_label_chars_max }),
      'Heading of the page.',
    ),
    introduction: optional(
      Type.String({ maxLength: automation_limits.automation_form_introduction_chars_max }),
      'Plain text above the fields; an empty line begins a paragraph.',
    ),
    fields: described(
      Type.Array(FormField, { minItems: 1, maxItems: automation_limits.automation_form_fields_max }),
      'What the form asks, in this order.',
    ),
    thanks: optional(
      Type.String({ maxLength: automation_limits.automation_form_thanks_chars_max }),
      'Plain text that is shown after sending.',
    ),
    when: optional(Formula('bool'), 'CEL condition; starts only if it is true.'),
  }),
  'trigger.mail': logic('trigger.mail', {
    when: optional(Formula('bool'), 'CEL condition; starts only if it is true.'),
  }),
  'trigger.call': logic('trigger.call', {
    inputs: optional(
      Type.Array(CallInput, { maxItems: automation_limits.automation_call_inputs_max }),
      'What a `flow.call` gives to the run.',
    ),
    takes_task: optional(Type.Boolean(), 'Whether each run is about a task, which the call names; false by default.'),
  }),
}

const decisions = {
  condition: logic('condition', {
    expr: described(Formula('bool'), 'CEL condition; chooses the port `true` or `false`.'),
  }),
  switch: logic('switch', {
    cases: Type.Array(
      Type.Object(
        {
          port: described(Type.String({ pattern: word_form }), 'Port that the case leads to.'),
          expr: described(Formula('bool'), 'CEL condition of the case.'),
        },
        closed,
      ),
      {
        minItems: 1,
        maxItems: 10,
        description: 'The first case whose condition is true decides; none leads to `default`.',
      },
    ),
  }),
  for_each: logic('for_each', {
    items: described(Type.Union([Expression], { computes: ['list'] as const }), 'List to iterate over.'),
    max_items: described(Type.Integer({ minimum: 1, maximum: 100 }), 'Most items of the list.'),
    on_overflow: optional(OneOf('fail', 'truncate'), 'What happens to a longer list; `fail` by default.'),
    on_item_error: optional(OneOf('stop', 'continue'), 'What follows a failed item; `stop` by default.'),
  }),
  delay: logic('delay', {
    seconds: described(
      Value(Type.Integer({ minimum: 1, maximum: quarter_seconds }), ['int']),
      'Seconds to wait, at most 90 days.',
    ),
  }),
  wait_until: logic('wait_until', {
    at: described(Value(Type.Integer({ minimum: 0 }), ['int']), 'When to continue, in Unix seconds.'),
    if_past: optional(OneOf('continue', 'fail'), 'What follows a time in the past; `continue` by default.'),
  }),
  'approval.wait': logic('approval.wait', {
    people: described(
      Type.Array(OptionalRefValue('user'), {
        minItems: 1,
        maxItems: automation_limits.automation_approvers_max,
      }),
      'User ids of the people who are asked; the first decision counts. A null, such as of a task without assignee, is left out.',
    ),
    text: described(
      TextValue(automation_limits.automation_approval_chars_max, { minLength: 1 }),
      'What the people decide on.',
    ),
    timeout_seconds: optional(
      Type.Integer({
        minimum: automation_limits.automation_approval_seconds_min,
        maximum: automation_limits.automation_approval_seconds_max,
      }),
      'Seconds after which the run continues by the port `timed_out`; without it the run waits until its own timeout.',
    ),
  }),
  stop: logic('stop', {
    outcome: described(OneOf('succeeded', 'failed'), 'How the run ends.'),
    message: optional(TextValue(500), 'Message that the run shows.'),
    output: optional(
      Type.Unknown({ computes: any_json }),
      'JSON that a flow which called this one receives; expressions inside are evaluated. Requires schema_version 7.',
    ),
  }),
}

const tasks = {
  'task.update': action('task.update', {
    task: optional(TaskValue, 'Task to act on; the task of the run by default.'),
    set: described(
      Type.Object(
        { title: optional(TaskTitle, 'New title of the task.'), ...taskFields },
        { ...closed, minProperties: 1 },
      ),
      'Fields to change.',
    ),
  }),
  'task.move': action('task.move', {
    task: optional(TaskValue, 'Task to act on; the task of the run by default.'),
    project: optional(OptionalRefValue('project'), 'Project of the task; null for none.'),
    column: optional(OptionalRefValue('column'), 'Column of the task; null for none.'),
  }),
  'task.complete': action('task.complete', {
    task: optional(TaskValue, 'Task to act on; the task of the run by default.'),
    only_if_open: optional(Type.Boolean(), 'Whether to leave a canceled task unchanged; false by default.'),
  }),
  'task.assign': action('task.assign', {
    task: optional(TaskValue, 'Task to act on; the task of the run by default.'),
    assignee: described(OptionalRefValue('user'), 'User id of the new assignee; null if unassigned.'),
  }),
  'task.label': action('task.label', {
    task: optional(TaskValue, 'Task to act on; the task of the run by default.'),
    add: optional(LabelValues, 'Labels to add.'),
    remove: optional(LabelValues, 'Labels to remove.'),
  }),
  'task.comment': action('task.comment', {
    task: optional(TaskValue, 'Task to act on; the task of the run by default.'),
    body: described(TextValue(limits.text_chars_max), 'Text of the comment.'),
  }),
  'task.create': action('task.create', {
    workspace: optional(Ref('workspace'), 'Workspace of the new task; that of the flow by default.'),
    project: optional(OptionalRefValue('project'), 'Project of the task; null for none.'),
    column: optional(OptionalRefValue('column'), 'Column of the task; null for none.'),
    set: described(
      Type.Object({ title: described(TaskTitle, 'Title of the task.'), ...taskFields }, closed),
      'Fields of the new task.',
    ),
  }),
  'task.create_from_template': action('task.create_from_template', {
    template: described(Ref('task_template'), 'Template that the task is created from.'),
    overrides: optional(
      Type.Object({ title: optional(TaskTitle, 'Title of the task.'), ...taskFields }, closed),
      'Fields that replace those of the template.',
    ),
  }),
  'task.create_many': action('task.create_many', {
    parent: optional(
      Value(Type.Union([Type.Literal('$subject'), Ref('task'), Type.Null()]), ['string', 'null']),
      'Task whose subtasks they become, `$subject` for the task of the run; null (default) for none.',
    ),
    project: optional(OptionalRefValue('project'), 'Project of the tasks; that of the parent by default.'),
    column: optional(OptionalRefValue('column'), 'Column of the tasks; null for none.'),
    tasks: optional(
      Type.Array(Type.Object({ title: described(TaskTitle, 'Title of the task.'), ...taskFields }, closed), {
        minItems: 1,
        maxItems: automation_limits.automation_many_tasks_max,
      }),
      'The tasks to create, in this order; either these or `items`.',
    ),
    items: optional(
      Type.Union([Expression], { computes: ['list'] as const }),
      'List with an item for each task to create.',
    ),
    max_items: optional(ManyTasks, 'Most items of the list; required with `items`.'),
    on_overflow: optional(OneOf('fail', 'truncate'), 'What happens to a longer list; `fail` by default.'),
    set: optional(
      Type.Object({ title: described(TaskTitle, 'Title of the task.'), ...taskFields }, closed),
      'Fields of each task; required with `items`. Expressions in it see the item as `item` and its number from 0 as `index`.',
    ),
  }),
  'task.update_many': action('task.update_many', {
    query: optional(
      Type.String({ minLength: 1, maxLength: automation_limits.automation_task_query_chars_max }),
      'Filter expression: tasks of the workspace, and of the project if the flow has one, that match it.',
    ),
    parent: optional(
      TaskValue,
      'Only direct subtasks of this task, `$subject` for the task of the run. A query or a parent is required.',
    ),
    max_tasks: described(ManyTasks, 'Most tasks to change.'),
    on_overflow: optional(
      OneOf('fail', 'truncate'),
      'What happens if more match: `fail` (default) changes none, `truncate` changes the oldest.',
    ),
    set: described(
      Type.Object(
        { title: optional(TaskTitle, 'New title of the task.'), ...taskFields },
        { ...closed, minProperties: 1 },
      ),
      'Fields to change. Expressions in it see the task as `item` and its number from 0 as `index`.',
    ),
  }),
  'task.update_parent': action('task.update_parent', {
    task: optional(TaskValue, 'Task whose parent is changed; the task of the run by default.'),
    set: described(
      Type.Object(
        { title: optional(TaskTitle, 'New title of the parent.'), ...taskFields },
        { ...closed, minProperties: 1 },
      ),
      'Fields of the parent to change.',
    ),
  }),
  'task.add_dependency': action('task.add_dependency', {
    task: optional(TaskValue, 'Task to act on; the task of the run by default.'),
    to: described(RefValue('task'), 'Task that the dependency leads to.'),
    kind: optional(
      OneOf('blocks', 'precedes', 'relates_to', 'duplicates'),
      'Meaning of the dependency; `blocks` by default.',
    ),
  }),
  'timer.start': action('timer.start', {
    task: optional(TaskValue, 'Task to act on; the task of the run by default.'),
    user: optional(RefValue('user'), 'User id of the person whose timer it is.'),
    note: optional(TextValue(500), 'What the time is spent on.'),
    billable: optional(Type.Boolean(), 'Whether the time is billed; false by default.'),
  }),
  'timer.stop': action('timer.stop', {
    task: optional(TaskValue, 'Task to act on; the task of the run by default.'),
    user: optional(RefValue('user'), 'User id of the person whose timer it is.'),
  }),
}

const outside = {
  'http.request': action('http.request', {
    method: described(OneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE'), 'HTTP method of the request.'),
    url: described(TextValue(2048), 'Public HTTPS URL to call.'),
    headers: optional(
      Type.Record(Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$' }), TextValue(2048), { ...closed, maxProperties: 20 }),
      'Headers to send.',
    ),
    secret: optional(
      Ref('secret'),
      'Name of the secret for the Authorization header: a Bearer token, or the whole header if it contains a space.',
    ),
    body: optional(Type.Unknown({ computes: any_json }), 'JSON body; expressions inside are evaluated.'),
    timeout_seconds: optional(Type.Integer({ minimum: 1, maximum: 30 }), 'Seconds to wait for the answer.'),
    delivery: optional(
      OneOf('at_least_once', 'at_most_once'),
      'Whether an unanswered request is sent again; `at_least_once` by default.',
    ),
    success_statuses: optional(
      Type.Array(Type.Integer({ minimum: 100, maximum: 599 }), { maxItems: 10 }),
      'Statuses that count as success; any 2xx by default.',
    ),
    output: optional(OneOf('none', 'status', 'json', 'text'), 'What later steps see of the answer.'),
  }),
  'chat.post': action('chat.post', {
    secret: described(Ref('secret'), 'Name of the secret that holds the URL of a Slack-compatible incoming webhook.'),
    text: described(
      TextValue(automation_limits.automation_chat_chars_max, { minLength: 1 }),
      'Text to post; what it contains is never read as markup or as a mention by Slack.',
    ),
    delivery: optional(
      OneOf('at_least_once', 'at_most_once'),
      'Whether an unanswered request is sent again; `at_least_once` by default.',
    ),
  }),
  'mail.send': action('mail.send', {
    to: described(
      Type.Array(OptionalRefValue('user'), { minItems: 1, maxItems: automation_limits.automation_mail_recipients_max }),
      'User ids of the people who get it. A null, such as of a task without assignee, is left out.',
    ),
    subject: described(
      TextValue(automation_limits.automation_mail_subject_chars_max, { minLength: 1 }),
      'Subject; sent in one line of at most 200 characters.',
    ),
    text: described(
      TextValue(automation_limits.automation_mail_chars_max, { minLength: 1 }),
      'Text, sent as plain text.',
    ),
  }),
  'flow.call': action('flow.call', {
    flow: described(Ref('automation_flow'), 'Flow to call: active, of this workspace, with a `trigger.call`.'),
    task: optional(
      TaskValue,
      'Task that the called run is about, if its trigger takes one; the task of this run by default.',
    ),
    inputs: optional(
      Type.Record(Type.String({ pattern: word_form }), Type.Unknown({ computes: any_json }), {
        ...closed,
        maxProperties: automation_limits.automation_call_inputs_max,
      }),
      'Values by the names that the called `trigger.call` declares; expressions inside are evaluated.',
    ),
    wait: optional(Type.Boolean(), 'Whether this run waits until the called one ends; true by default.'),
    timeout_seconds: optional(
      Type.Integer({
        minimum: automation_limits.automation_call_seconds_min,
        maximum: automation_limits.automation_call_seconds_max,
      }),
      'Seconds after which the run continues by the port `timed_out`; without it the run waits until its own timeout.',
    ),
  }),
  'ai.step': action('ai.step', {
    provider: optional(Type.String({ maxLength: 64 }), 'Provider of the operator, which is the default.'),
    operation: described(
      OneOf('generate', 'classify', 'extract'),
      'Whether the model writes a text, chooses a label, or fills in fields.',
    ),
    instructions: described(TextValue(8000), 'Instructions to the model.'),
    input: optional(
      Type.Record(Type.String(), ScalarValue, { maxProperties: 20 }),
      'Named values that the model receives as data.',
    ),
    labels: optional(
      Type.Array(Type.String({ maxLength: 80 }), { minItems: 2, maxItems: 50 }),
      'Labels to choose from; required for `classify`.',
    ),
    output_schema: optional(
      Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
      'JSON Schema of the fields; required for `extract`.',
    ),
    max_output_tokens: described(
      Type.Integer({ minimum: 1, maximum: 4096 }),
      'Most tokens that the model may generate.',
    ),
  }),
}

/** The schema of every node type. */
export const nodeSchemas = { ...triggers, ...decisions, ...tasks, ...outside }

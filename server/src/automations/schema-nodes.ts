/** The node types of an automation graph, with what each is told (decisions §16). */
import Type, { type TProperties } from 'typebox'
import { document_name, OneOf } from '../api/shapes.ts'
import { limits } from '../lib/limits.ts'
import {
  any_json,
  closed,
  Expression,
  Formula,
  LabelValues,
  NodeId,
  OptionalRefValue,
  Ref,
  RefValue,
  ScalarValue,
  TaskTitle,
  TaskValue,
  TextValue,
  taskFields,
  Value,
  word_form,
} from './schema-values.ts'

const Ui = Type.Object(
  {
    x: Type.Optional(Type.Number()),
    y: Type.Optional(Type.Number()),
    note: Type.Optional(Type.String({ maxLength: 500 })),
  },
  closed,
)

const Retry = Type.Object(
  {
    max_attempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
    initial_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 3600 })),
    backoff: Type.Optional(Type.Number({ minimum: 1, maximum: 10 })),
    max_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 86_400 })),
    jitter: Type.Optional(OneOf('full', 'none')),
  },
  closed,
)

const shared = {
  name: Type.Optional(Type.String({ maxLength: 120 })),
  parent: Type.Optional(Type.Union([NodeId, Type.Null()])),
  ui: Type.Optional(Ui),
}

/** `task.create_from_template` is `TaskCreateFromTemplateNode` in documents. */
function named(type: string) {
  const words = type.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return { ...closed, [document_name]: `${words.join('')}Node` }
}

/** A node that starts runs or decides where they go. */
function logic<const T extends string, C extends TProperties>(type: T, config: C) {
  const told = { id: NodeId, type: Type.Literal(type), ...shared, config: Type.Object(config, closed) }
  return Type.Object(told, named(type))
}

/** A node that does something and may fail. */
function action<const T extends string, C extends TProperties>(type: T, config: C) {
  return Type.Object(
    {
      id: NodeId,
      type: Type.Literal(type),
      ...shared,
      config: Type.Object(config, closed),
      retry: Type.Optional(Retry),
      on_error: Type.Optional(OneOf('fail', 'continue', 'branch')),
    },
    named(type),
  )
}

const quarter_seconds = 90 * 86_400

const triggers = {
  'trigger.event': logic('trigger.event', {
    event_types: Type.Array(Type.String({ pattern: '^workflow\\.[a-z_]+(\\.[a-z_]+)+$' }), {
      minItems: 1,
      maxItems: 20,
      uniqueItems: true,
    }),
    changed_fields: Type.Optional(Type.Array(Type.String({ maxLength: 80 }), { maxItems: 20 })),
    when: Type.Optional(Formula('bool')),
  }),
  'trigger.schedule': logic('trigger.schedule', {
    cron: Type.String({ minLength: 9, maxLength: 120 }),
    timezone: Type.String({ minLength: 1, maxLength: 64 }),
    misfire: Type.Optional(OneOf('run_once', 'skip')),
    task_query: Type.Optional(Type.String({ maxLength: 1024 })),
    max_tasks: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  }),
  'trigger.due': logic('trigger.due', {
    field: Type.Optional(OneOf('due_at')),
    offset_seconds: Type.Integer({ minimum: -quarter_seconds, maximum: quarter_seconds }),
    only_open: Type.Optional(Type.Boolean()),
    when: Type.Optional(Formula('bool')),
  }),
  'trigger.manual': logic('trigger.manual', { label: Type.Optional(Type.String({ maxLength: 80 })) }),
}

const decisions = {
  condition: logic('condition', { expr: Formula('bool') }),
  switch: logic('switch', {
    cases: Type.Array(Type.Object({ port: Type.String({ pattern: word_form }), expr: Formula('bool') }, closed), {
      minItems: 1,
      maxItems: 10,
    }),
  }),
  for_each: logic('for_each', {
    items: Type.Union([Expression], { computes: ['list'] as const }),
    max_items: Type.Integer({ minimum: 1, maximum: 100 }),
    on_overflow: Type.Optional(OneOf('fail', 'truncate')),
    on_item_error: Type.Optional(OneOf('stop', 'continue')),
  }),
  delay: logic('delay', { seconds: Value(Type.Integer({ minimum: 1, maximum: quarter_seconds }), ['int']) }),
  wait_until: logic('wait_until', {
    at: Value(Type.Integer({ minimum: 0 }), ['int']),
    if_past: Type.Optional(OneOf('continue', 'fail')),
  }),
  stop: logic('stop', { outcome: OneOf('succeeded', 'failed'), message: Type.Optional(TextValue(500)) }),
}

const tasks = {
  'task.update': action('task.update', {
    task: Type.Optional(TaskValue),
    set: Type.Object({ title: Type.Optional(TaskTitle), ...taskFields }, { ...closed, minProperties: 1 }),
  }),
  'task.move': action('task.move', {
    task: Type.Optional(TaskValue),
    project: Type.Optional(OptionalRefValue('project')),
    column: Type.Optional(OptionalRefValue('column')),
  }),
  'task.complete': action('task.complete', {
    task: Type.Optional(TaskValue),
    only_if_open: Type.Optional(Type.Boolean()),
  }),
  'task.assign': action('task.assign', { task: Type.Optional(TaskValue), assignee: OptionalRefValue('user') }),
  'task.label': action('task.label', {
    task: Type.Optional(TaskValue),
    add: Type.Optional(LabelValues),
    remove: Type.Optional(LabelValues),
  }),
  'task.comment': action('task.comment', { task: Type.Optional(TaskValue), body: TextValue(limits.text_chars_max) }),
  'task.create': action('task.create', {
    workspace: Type.Optional(Ref('workspace')),
    project: Type.Optional(OptionalRefValue('project')),
    column: Type.Optional(OptionalRefValue('column')),
    set: Type.Object({ title: TaskTitle, ...taskFields }, closed),
  }),
  'task.create_from_template': action('task.create_from_template', {
    template: Ref('task_template'),
    overrides: Type.Optional(Type.Object({ title: Type.Optional(TaskTitle), ...taskFields }, closed)),
  }),
  'task.add_dependency': action('task.add_dependency', {
    task: Type.Optional(TaskValue),
    to: RefValue('task'),
    kind: Type.Optional(OneOf('blocks', 'precedes', 'relates_to', 'duplicates')),
  }),
  'timer.start': action('timer.start', {
    task: Type.Optional(TaskValue),
    user: Type.Optional(RefValue('user')),
    note: Type.Optional(TextValue(500)),
    billable: Type.Optional(Type.Boolean()),
  }),
  'timer.stop': action('timer.stop', { task: Type.Optional(TaskValue), user: Type.Optional(RefValue('user')) }),
}

const outside = {
  'http.request': action('http.request', {
    method: OneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
    url: TextValue(2048),
    headers: Type.Optional(
      Type.Record(Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$' }), TextValue(2048), { ...closed, maxProperties: 20 }),
    ),
    secret: Type.Optional(Ref('secret')),
    body: Type.Optional(Type.Unknown({ computes: any_json })),
    timeout_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 30 })),
    delivery: Type.Optional(OneOf('at_least_once', 'at_most_once')),
    success_statuses: Type.Optional(Type.Array(Type.Integer({ minimum: 100, maximum: 599 }), { maxItems: 10 })),
    output: Type.Optional(OneOf('none', 'status', 'json', 'text')),
  }),
  'ai.step': action('ai.step', {
    provider: Type.Optional(Type.String({ maxLength: 64 })),
    operation: OneOf('generate', 'classify', 'extract'),
    instructions: TextValue(8000),
    input: Type.Optional(Type.Record(Type.String(), ScalarValue, { maxProperties: 20 })),
    labels: Type.Optional(Type.Array(Type.String({ maxLength: 80 }), { minItems: 2, maxItems: 50 })),
    output_schema: Type.Optional(Type.Unsafe<Record<string, unknown>>({ type: 'object' })),
    max_output_tokens: Type.Integer({ minimum: 1, maximum: 4096 }),
  }),
}

/** Every node type by its name. */
export const nodeSchemas = { ...triggers, ...decisions, ...tasks, ...outside }

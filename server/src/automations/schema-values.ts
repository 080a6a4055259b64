/**
 * The building blocks of node schemas: ids, and values that are literal or computed. Two annotations extend JSON
 * Schema: `computes` lists the JSON types that an expression may give here, and `refers` names the kind of object whose
 * id stands here, for the caller to look up. shape.ts collects both.
 */
import Type, { type TSchema } from 'typebox'
import { described, OneOf } from '../api/declare/shapes.ts'
import { limits } from '../api/limits.ts'
import { automation_limits } from './limits.ts'

/** The kind of a JSON value; expressions distinguish integers (`int`) from other numbers (`double`). */
export type JsonKind = 'string' | 'int' | 'double' | 'bool' | 'null' | 'list' | 'map'

/** The kinds of objects that a graph refers to by id; a secret is referred to by name. */
export type ReferenceKind =
  | 'workspace'
  | 'project'
  | 'column'
  | 'task'
  | 'task_template'
  | 'user'
  | 'secret'
  | 'automation_flow'

const scalars = ['string', 'int', 'double', 'bool', 'null'] as const satisfies readonly JsonKind[]
export const any_json = [...scalars, 'list', 'map'] as const satisfies readonly JsonKind[]

/** For objects of a graph: no other fields are accepted. */
export const closed = { additionalProperties: false } as const

const source = { minLength: 1, maxLength: automation_limits.automation_expression_chars_max }

/** A value computed by an expression. */
export const Expression = Type.Object(
  { $expr: Type.String({ ...source, description: 'CEL expression that gives the value.' }) },
  closed,
)

function Template(maxLength: number) {
  return Type.Object(
    { $template: Type.String({ maxLength, description: 'Text with `{{ expression }}` placeholders.' }) },
    closed,
  )
}

/** An expression without the `$expr` wrapper. */
export function Formula(...computes: readonly JsonKind[]) {
  return Type.String({ ...source, computes })
}

/** A literal, or an expression that gives the value. */
export function Value<T extends TSchema>(literal: T, computes: readonly JsonKind[]) {
  return Type.Union([literal, Expression], { computes })
}

/** A literal text, a template, or an expression that gives the text. */
export function TextValue(maxLength: number, options: { readonly minLength?: number } = {}) {
  const literal = Type.String({ maxLength, ...options })
  return Type.Union([literal, Template(maxLength), Expression], { computes: ['string'] as const })
}

/** The id of an object of the given kind. */
export function Ref(refers: ReferenceKind) {
  return Type.String({ minLength: 1, maxLength: limits.id_chars_max, pattern: '^[A-Za-z0-9][A-Za-z0-9:_-]*$', refers })
}

export function RefValue(refers: ReferenceKind) {
  return Value(Ref(refers), ['string'])
}

/** The id of an object, or null for none. */
export function OptionalRefValue(refers: ReferenceKind) {
  return Value(Type.Union([Ref(refers), Type.Null()]), ['string', 'null'])
}

/** The task that a node acts on; the run's own task if it is left out. */
export const TaskValue = Value(Type.Union([Type.Literal('$subject'), Ref('task')]), ['string'])

/** The form of words in open vocabularies (task status and priority); `Known` lists the accepted words. */
export const word_form = '^[a-z][a-z0-9_]{0,39}$'
const Word = Type.String({ pattern: word_form })

const CustomValue = Type.Union(
  [
    Type.String(),
    Type.Number(),
    Type.Boolean(),
    Type.Null(),
    Expression,
    Type.Array(Type.String({ maxLength: limits.custom_field_chars_max }), { maxItems: limits.custom_field_items_max }),
  ],
  { computes: [...scalars, 'list'] as const },
)

const Label = Type.String({ minLength: 1, maxLength: limits.label_chars_max })

/** An optional field of a node, with its description. */
export function optional<T extends TSchema>(schema: T, description: string) {
  return described(Type.Optional(schema), description)
}

/** The task fields that nodes can set. */
export const taskFields = {
  description: optional(TextValue(limits.text_chars_max), 'Details of the task.'),
  status: optional(Value(Word, ['string']), 'State of the task, such as `in_review`.'),
  priority: optional(Value(Word, ['string']), 'Urgency of the task, such as `high`.'),
  assignee: optional(OptionalRefValue('user'), 'User id of the person responsible; null if unassigned.'),
  due_at: optional(
    Value(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]), ['int', 'null']),
    'When the task is due, in Unix seconds; null for no due date.',
  ),
  labels: optional(
    Value(Type.Array(Label, { maxItems: limits.labels_max }), ['list']),
    'All labels of the task; they replace the present ones.',
  ),
  custom_fields: optional(
    Type.Record(Type.String(), CustomValue, { maxProperties: limits.custom_fields_max }),
    'Custom fields to set; a null removes the key.',
  ),
}

export const TaskTitle = TextValue(limits.title_chars_max, { minLength: 1 })

/** Labels to add or to remove. */
export const LabelValues = Type.Array(TextValue(limits.label_chars_max), { maxItems: 20 })

/** A scalar literal, or an expression that gives a scalar. */
export const ScalarValue = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null(), Expression], {
  computes: scalars,
})

/** The id of a node or the name of a port. */
export const NodeId = Type.String({ pattern: word_form })

/** Where editors draw a node. */
export const Ui = Type.Object(
  {
    x: optional(Type.Number(), 'Horizontal position in pixels.'),
    y: optional(Type.Number(), 'Vertical position in pixels.'),
    note: optional(Type.String({ maxLength: 500 }), 'Note for the readers of the graph.'),
  },
  closed,
)

/** How a failed action is retried (contract/16#settings). */
export const Retry = Type.Object(
  {
    max_attempts: optional(
      Type.Integer({ minimum: 1, maximum: 10 }),
      'Most attempts, the first included; 5 by default.',
    ),
    initial_seconds: optional(
      Type.Integer({ minimum: 1, maximum: 3600 }),
      'Seconds before the second attempt; 5 by default.',
    ),
    backoff: optional(Type.Number({ minimum: 1, maximum: 10 }), 'Factor by which each wait grows; 2 by default.'),
    max_seconds: optional(Type.Integer({ minimum: 1, maximum: 86_400 }), 'Longest wait in seconds; 900 by default.'),
    jitter: optional(OneOf('full', 'none'), '`full` waits a random part of the time; the default.'),
  },
  closed,
)

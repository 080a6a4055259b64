/**
 * The parts that an automation graph's nodes are made of: ids, and values that are written out or computed.
 *
 * Two annotations say what JSON Schema cannot. `computes` names the JSON types that an expression may give in this
 * place; `refers` names the kind of object whose id stands here, for the caller to look up (shape.ts collects both).
 */
import Type, { type TSchema } from 'typebox'
import { limits } from '../lib/limits.ts'

/** What a value of JSON can be; expressions tell whole numbers (`int`) from others (`double`). */
export type JsonKind = 'string' | 'int' | 'double' | 'bool' | 'null' | 'list' | 'map'

/** The kinds of objects that a graph names by id; `secret` is a name. */
export type ReferenceKind = 'workspace' | 'project' | 'column' | 'task' | 'task_template' | 'user' | 'secret'

export interface Annotations {
  readonly computes?: readonly JsonKind[]
  readonly refers?: ReferenceKind
}

export const scalars = ['string', 'int', 'double', 'bool', 'null'] as const satisfies readonly JsonKind[]
export const any_json = [...scalars, 'list', 'map'] as const satisfies readonly JsonKind[]

/** Objects of a graph take no other fields. */
export const closed = { additionalProperties: false } as const

const source = { minLength: 1, maxLength: limits.automation_expression_chars_max }

/** A value that an expression gives. */
export const Expression = Type.Object({ $expr: Type.String(source) }, closed)

function Template(maxLength: number) {
  return Type.Object({ $template: Type.String({ maxLength }) }, closed)
}

/** An expression that stands alone. */
export function Formula(...computes: readonly JsonKind[]) {
  return Type.String({ ...source, computes })
}

/** A value written out, or the expression that gives it. */
export function Value<T extends TSchema>(literal: T, computes: readonly JsonKind[]) {
  return Type.Union([literal, Expression], { computes })
}

/** A text written out, or the template or expression that gives it. */
export function TextValue(maxLength: number, options: { readonly minLength?: number } = {}) {
  const literal = Type.String({ maxLength, ...options })
  return Type.Union([literal, Template(maxLength), Expression], { computes: ['string'] as const })
}

/** The id of an object of some kind. */
export function Ref(refers: ReferenceKind) {
  return Type.String({ minLength: 1, maxLength: limits.id_chars_max, pattern: '^[A-Za-z0-9][A-Za-z0-9:_-]*$', refers })
}

export function RefValue(refers: ReferenceKind) {
  return Value(Ref(refers), ['string'])
}

/** The id of an object, or `null` for none. */
export function OptionalRefValue(refers: ReferenceKind) {
  return Value(Type.Union([Ref(refers), Type.Null()]), ['string', 'null'])
}

/** The task that a node acts on: the run's own when it is left out. */
export const TaskValue = Value(Type.Union([Type.Literal('$subject'), Ref('task')]), ['string'])

/** The words of open vocabularies (task status and priority); which there are is known above. */
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

/** What nodes set of a task. */
export const taskFields = {
  description: Type.Optional(TextValue(limits.text_chars_max)),
  status: Type.Optional(Value(Word, ['string'])),
  priority: Type.Optional(Value(Word, ['string'])),
  assignee: Type.Optional(OptionalRefValue('user')),
  due_at: Type.Optional(Value(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]), ['int', 'null'])),
  labels: Type.Optional(Value(Type.Array(Label, { maxItems: limits.labels_max }), ['list'])),
  custom_fields: Type.Optional(Type.Record(Type.String(), CustomValue, { maxProperties: limits.custom_fields_max })),
}

export const TaskTitle = TextValue(limits.title_chars_max, { minLength: 1 })

/** A label to add or remove. */
export const LabelValues = Type.Array(TextValue(limits.label_chars_max), { maxItems: 20 })

/** A plain value, or the expression that gives it. */
export const ScalarValue = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null(), Expression], {
  computes: scalars,
})

/** Names of nodes and ports. */
export const NodeId = Type.String({ pattern: word_form })

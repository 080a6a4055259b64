/** The shapes that many resources share. Bounds: decisions §1. */
import Type, { type TSchema } from 'typebox'
import { limits } from '../lib/limits.ts'

export const Id = Type.String({ minLength: 1, maxLength: 160, pattern: '^[A-Za-z0-9][A-Za-z0-9:_-]*$' })
export const Seconds = Type.Integer({ minimum: 0, maximum: limits.safe_integer_max, description: 'Unix seconds' })
/** A time that a client sets, in Unix seconds: as far as its milliseconds can be kept. */
export const Moment = Type.Integer({ minimum: 0, maximum: limits.moment_seconds_max, description: 'Unix seconds' })
export const Revision = Type.Integer({ minimum: 1, maximum: limits.safe_integer_max })
export const Title = Type.String({ minLength: 1, maxLength: limits.title_chars_max })
export const Text = Type.String({ maxLength: limits.text_chars_max })
export const Note = Type.String({ maxLength: limits.note_chars_max })
export const Flag = Type.Boolean()
/** A whole number from 0: amounts in minor units, durations in milliseconds, rates. */
export const Amount = Type.Integer({ minimum: 0, maximum: limits.safe_integer_max })
export const Position = Type.Number({ minimum: -limits.position_max, maximum: limits.position_max })
export const Color = Type.String({ pattern: '^#[0-9a-fA-F]{6}$' })
export const Label = Type.String({ minLength: 1, maxLength: limits.label_chars_max })
export const Labels = Type.Array(Label, { maxItems: limits.labels_max, uniqueItems: true })

/** Names a schema that is no object of the API by itself: documents hold it once, under this name. */
export const document_name = Symbol('document name')

/** What documents show in the place of a schema that is looked into elsewhere, and so takes anything. */
export const shown_as = Symbol('shown as')

/** The value or `null`: selected but empty (contract §1.3). */
export function Nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()])
}

/** One of a fixed list of words. */
export function OneOf<const T extends string>(...words: readonly T[]) {
  return Type.Enum([...words] as T[])
}

const CustomValue = Type.Union([
  Type.String({ maxLength: limits.custom_field_chars_max }),
  Type.Number(),
  Type.Boolean(),
  Type.Null(),
  Type.Array(Type.String({ maxLength: limits.custom_field_chars_max }), { maxItems: limits.custom_field_items_max }),
])

/** `custom_fields` and `extra_fields`: own names, plain values. */
export const CustomFields = Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_]{0,39}$' }), CustomValue, {
  additionalProperties: false,
  maxProperties: limits.custom_fields_max,
})

export const Actor = Type.Object({ type: Type.String(), id: Type.String() })

/** What every object begins with. */
export function head<const T extends string>(object: T) {
  return { id: Id, object: Type.Literal(object), created: Seconds, updated: Seconds }
}

/** DELETE answers with this (decisions §1). */
export function Deleted<const T extends string>(object: T) {
  return Type.Object({ id: Id, object: Type.Literal(object), deleted: Type.Literal(true) })
}

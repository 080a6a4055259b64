/** The shapes that several resources share (contract/01#field-bounds). */
import Type, { type TObject, type TProperties, type TSchema } from 'typebox'
import { text_limits } from '../../text/limits.ts'
import { limits } from '../limits.ts'

/** The schema that `described` was given. */
export const undescribed = Symbol('undescribed')

/**
 * The same schema with a description for the reference, the SDK and the MCP tools: what the field is, its unit, and
 * what null means. A noun describes its fields; a request field of the same name inherits the description.
 */
export function described<T extends TSchema>(schema: T, description: string): T {
  // TypeBox keeps kind and optionality in properties that are not enumerable. The link to the original is not enumerable
  // either, so a copy with other contents loses it.
  return Object.defineProperties({} as T, {
    ...Object.getOwnPropertyDescriptors(schema),
    description: { value: description, enumerable: true },
    [undescribed]: { value: schema },
  })
}

const visible = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/u
const direction_override = /[\u202d\u202e]/

/**
 * Why a text cannot be a title or a name, as the end of a sentence; null if it can (contract/01#titles-and-names).
 * Embeddings and isolates are allowed: titles in Arabic or Hebrew need them. Overrides only disguise text.
 */
export function titleFault(text: string): string | null {
  if (direction_override.test(text)) return 'must not contain U+202D or U+202E, which override the direction of text'
  return visible.test(text) ? null : 'must have at least one visible character'
}

/** The same text, refused with `titleFault`. */
export function named<T extends TSchema>(schema: T): T {
  const fault = (value: unknown) => (typeof value === 'string' && value !== '' ? titleFault(value) : null)
  return Type.Refine(
    schema,
    (value) => fault(value) === null,
    (value) => fault(value) ?? '',
    // A refinement leaves the schema's type as it is.
  ) as unknown as T
}

export const Id = Type.String({ minLength: 1, maxLength: 160, pattern: '^[A-Za-z0-9][A-Za-z0-9:_-]*$' })
/** A time in Unix seconds. */
export const Seconds = Type.Integer({ minimum: 0, maximum: limits.safe_integer_max })
/** A time that a client sets, in Unix seconds, bounded by the milliseconds that can be stored. */
export const Moment = Type.Integer({ minimum: 0, maximum: limits.moment_seconds_max })
export const Revision = Type.Integer({
  minimum: 1,
  maximum: limits.safe_integer_max,
  description: 'Counts the changes of the object, from 1. Send it as `If-Match` to overwrite only this revision.',
})
export const Title = named(Type.String({ minLength: 1, maxLength: limits.title_chars_max }))
export const Text = Type.String({ maxLength: limits.text_chars_max })
export const Note = Type.String({ maxLength: limits.note_chars_max })
export const Flag = Type.Boolean()
/** A whole number from 0: amounts in minor units, durations in milliseconds, rates. */
export const Amount = Type.Integer({ minimum: 0, maximum: limits.safe_integer_max })
export const Position = Type.Number({ minimum: -limits.position_max, maximum: limits.position_max })
export const Color = Type.String({ pattern: '^#[0-9a-fA-F]{6}$' })
const Label = Type.String({ minLength: 1, maxLength: limits.label_chars_max })
export const Labels = Type.Array(Label, { maxItems: limits.labels_max, uniqueItems: true })
/** The ids of users and teams that a text mentions, each once. */
export const Mentions = Type.Array(Id, { maxItems: text_limits.mentions_max, uniqueItems: true })

/** The name of a schema that is not an object of the API by itself: documents define it once, under this name. */
export const document_name = Symbol('document name')

/** The schema that documents show in place of one that accepts anything because its content is checked elsewhere. */
export const shown_as = Symbol('shown as')

/** The fields of a body; one without a description inherits that of the same field of the returned object. */
export function inheritDescriptions(fields: TProperties, returns: TSchema): TProperties {
  const { properties } = returns as { properties?: Readonly<Record<string, { description?: string }>> }
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const inherited = properties?.[name]?.description
      const own = (field as { description?: string }).description
      return [name, own === undefined && inherited !== undefined ? described(field, inherited) : field]
    }),
  )
}

/** The value or `null`: selected but empty (contract/01#null-and-absent-fields). */
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

export const Actor = Type.Object({
  type: Type.String({
    description:
      'Kind of actor, such as `user`, `organization`, `application`, `service_user`, `api_key`, `access_token`, `automation`, `board_link`, `board_guest` or `system`.',
  }),
  id: Type.String({
    description: 'Id of the user, credential, organization, application, flow, link for guests or guest of a link.',
  }),
})

/** For whom a credential acts. */
export const Owner = Type.Object({
  type: described(OneOf('organization', 'user', 'application'), 'Kind of owner.'),
  id: described(Type.String({ minLength: 1 }), 'Id of the organization, user or application.'),
})

/** The fields that every object begins with. */
export function head<const T extends string>(object: T) {
  const words = object.replaceAll('_', ' ')
  return {
    id: described(Id, `Id of the ${words}.`),
    object: described(Type.Literal(object), `Kind of object: always \`${object}\`.`),
    created: described(Seconds, `When the ${words} was created, in Unix seconds.`),
    updated: described(Seconds, `When the ${words} last changed, in Unix seconds.`),
  }
}

/** The answer to a DELETE. */
export function Deleted<const T extends string>(object: T) {
  return Type.Object({
    id: described(Id, `Id of the deleted ${object.replaceAll('_', ' ')}.`),
    object: described(Type.Literal(object), `Kind of object: always \`${object}\`.`),
    deleted: described(Type.Literal(true), 'Always true for a deleted object.'),
  })
}

/** The list envelope (contract/06#list-envelope). */
export function listOf(item: TSchema, fields: boolean, more: TProperties = {}): TObject {
  return Type.Object({
    object: described(Type.Literal('list'), 'Kind of object: always `list`.'),
    url: described(Type.String({ pattern: '^/v1/' }), 'Path of the list.'),
    has_more: described(Type.Boolean(), 'Whether more objects follow in this direction.'),
    next_cursor: described(
      Type.Union([Type.String({ maxLength: 1024 }), Type.Null()]),
      'Cursor of the next page; null on the last one.',
    ),
    data: described(
      Type.Array(fields ? Type.Partial(item as TObject) : item, { maxItems: 100 }),
      'Objects of this page.',
    ),
    ...(fields
      ? { fields_selected: described(Type.Optional(Type.Literal(true)), 'Marks items that were cut down by `fields`.') }
      : {}),
    ...more,
  })
}

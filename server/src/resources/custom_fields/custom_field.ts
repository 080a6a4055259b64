/** The custom field: a key of tasks' `custom_fields` to which a workspace gives a name and a type (contract/14#custom-field). */
import Type, { type Static } from 'typebox'
import { noun } from '../../api/declare/noun.ts'
import {
  Color,
  described,
  head,
  Id,
  Nullable,
  named,
  OneOf,
  Position,
  Revision,
  Title,
} from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import type { CustomFieldRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

const field_types = ['text', 'number', 'date', 'checkbox', 'select', 'multi_select', 'person', 'url'] as const

export type FieldType = (typeof field_types)[number]

const FieldKey = Type.String({ pattern: '^[a-z][a-z0-9_]{0,39}$' })

const OptionId = Type.String({ pattern: '^[a-z0-9_]{1,40}$' })
const OptionName = named(Type.String({ minLength: 1, maxLength: limits.field_option_name_chars_max }))

const Option = Type.Object({
  id: described(OptionId, 'Value of tasks with this option; it stays when the option is renamed.'),
  name: described(OptionName, 'Name of the option.'),
  color: described(Nullable(Color), 'Color as `#rrggbb`; null if unset.'),
})

export type FieldOption = Static<typeof Option>

/** The options as a request sends them. */
export const SentOptions = Type.Array(
  Type.Object(
    {
      id: described(
        Type.Optional(OptionId),
        'Id of the option. Without one, an option keeps the id that its name has, or gets a new one.',
      ),
      name: Option.properties.name,
      color: Type.Optional(Option.properties.color),
    },
    { additionalProperties: false },
  ),
  {
    maxItems: limits.field_options_max,
    description: 'Options in their order, only of the types `select` and `multi_select`.',
  },
)

export type SentOptions = Static<typeof SentOptions>

export const CustomField = Type.Object({
  ...head('custom_field'),
  workspace: described(Id, 'Workspace whose tasks have the field.'),
  key: described(FieldKey, 'Key in `custom_fields` of tasks. Never changes.'),
  name: described(Title, 'Name of the field, as people see it.'),
  type: described(OneOf(...field_types), 'Type of the values. Never changes.'),
  options: described(Type.Array(Option), 'Options in their order; `[]` unless the type has options.'),
  position: described(Position, 'Sort key among the fields of the workspace, ascending.'),
  revision: Revision,
})

export type CustomField = Static<typeof CustomField>

export function showCustomField(row: CustomFieldRow): CustomField {
  return {
    id: row.id,
    object: 'custom_field',
    created: seconds(row.created),
    updated: seconds(row.updated),
    workspace: row.workspace,
    key: row.key,
    name: row.name,
    type: row.type as FieldType,
    options: JSON.parse(row.options) as FieldOption[],
    position: row.position,
    revision: row.revision,
  }
}

export const customFieldNoun = noun({
  object: 'custom_field',
  prefix: 'cfd',
  table: 'custom_fields',
  schema: CustomField,
  readScope: 'workspaces:read',
  guests: { column: 'workspace', of: 'workspaces' },
  show: showCustomField,
})

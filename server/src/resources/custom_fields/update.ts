import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { described, Position, Title } from '../../api/declare/shapes.ts'
import { applyChange } from '../../api/write/change.ts'
import type { CustomFieldRow } from '../../db/schema.ts'
import { CustomField, customFieldNoun, SentOptions, showCustomField } from './custom_field.ts'
import { customFieldUpdated } from './events.ts'
import { readOptions } from './options.ts'

const { key, type } = CustomField.properties

/**
 * Changes the name, options or position of a custom field. `options` replaces all options: one that is left out is removed,
 * and tasks keep its value until they get another one. Key and type never change.
 */
export const updateCustomField = writeOperation({
  id: 'custom_fields.update',
  method: 'PATCH',
  path: '/v1/custom_fields/{id}',
  summary: 'Update a custom field',
  scope: 'workspaces:write',
  credits: 10,
  extension: true,
  target: customFieldNoun,
  body: {
    key: described(Type.Optional(key), 'Key of the field; another one is refused.'),
    name: Type.Optional(Title),
    type: described(Type.Optional(type), 'Type of the field; another one is refused.'),
    options: Type.Optional(SentOptions),
    position: Type.Optional(Position),
  },
  returns: CustomField,
  emits: [customFieldUpdated],
  example: { params: { id: '{custom_field}' }, body: { name: 'Story points' } },
  handle({ target, body, tx, now, emit }) {
    requireSame(target, body, 'key')
    requireSame(target, body, 'type')
    const shown = showCustomField(target)
    const { name, position } = body
    const options =
      body.options === undefined
        ? undefined
        : JSON.stringify(readOptions({ ...shown, now }, body.options, shown.options))
    const changed = applyChange(tx, 'custom_fields', target, { name, position, options }, now)
    if (changed !== null) emit(customFieldUpdated, showCustomField(changed), shown)
    return changed === null ? shown : showCustomField(changed)
  },
})

function requireSame(
  target: CustomFieldRow,
  body: { readonly key?: string; readonly type?: string },
  param: 'key' | 'type',
): void {
  const sent = body[param]
  if (sent === undefined || sent === target[param]) return
  const message = `${param} cannot become "${sent}": it is "${target[param]}" and never changes. Define another field.`
  throw refuse('invalid_request_body', { param, message })
}

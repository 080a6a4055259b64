import { writeOperation } from '../../api/declare/operation.ts'
import { Deleted } from '../../api/declare/shapes.ts'
import { markDeleted } from '../../api/write/change.ts'
import { customFieldNoun, showCustomField } from './custom_field.ts'
import { customFieldDeleted } from './events.ts'

/** Deletes a custom field. Tasks keep their values, which are no longer checked; the key can be defined again. */
export const deleteCustomField = writeOperation({
  id: 'custom_fields.delete',
  method: 'DELETE',
  path: '/v1/custom_fields/{id}',
  summary: 'Delete a custom field',
  scope: 'workspaces:write',
  credits: 10,
  extension: true,
  target: customFieldNoun,
  returns: Deleted('custom_field'),
  emits: [customFieldDeleted],
  example: { params: { id: '{custom_field}' } },
  handle({ target, tx, now, emit }) {
    markDeleted(tx, 'custom_fields', target, now)
    emit(customFieldDeleted, showCustomField(target))
    return { id: target.id, object: 'custom_field', deleted: true }
  },
})

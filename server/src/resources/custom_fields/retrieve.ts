import { readOperation } from '../../api/declare/operation.ts'
import { CustomField, customFieldNoun, showCustomField } from './custom_field.ts'

/** Shows a custom field. A deleted one answers 410. */
export const retrieveCustomField = readOperation({
  id: 'custom_fields.retrieve',
  method: 'GET',
  path: '/v1/custom_fields/{id}',
  summary: 'Retrieve a custom field',
  scope: 'workspaces:read',
  credits: 1,
  extension: true,
  target: customFieldNoun,
  returns: CustomField,
  example: { params: { id: '{custom_field}' } },
  handle: ({ target }) => showCustomField(target),
})

import { writeOperation } from '../../api/declare/operation.ts'
import { changeDefinition } from '../workspaces/shared/definitions.ts'
import { filter_changes, filterDefinition } from './definition.ts'
import { savedFilterUpdated } from './events.ts'
import { SavedFilter, savedFilterNoun } from './saved_filter.ts'

/** Changes the fields of a saved filter that are sent. Lists that name the filter use the new expression at once. */
export const updateSavedFilter = writeOperation({
  id: 'saved_filters.update',
  method: 'PATCH',
  path: '/v1/saved_filters/{id}',
  summary: 'Update a saved filter',
  scope: 'tasks:write',
  credits: 10,
  extension: true,
  target: savedFilterNoun,
  body: filter_changes,
  returns: SavedFilter,
  emits: [savedFilterUpdated],
  example: { params: { id: '{saved_filter}' }, body: { name: 'Most urgent', filter: 'priority = urgent' } },
  handle: (context) => changeDefinition(filterDefinition, context, context.target, context.body),
})

import { writeOperation } from '../../api/declare/operation.ts'
import { changeDefinition } from '../workspaces/shared/definitions.ts'
import { announced } from './announce.ts'
import { filter_changes, filterDefinition } from './definition.ts'
import { savedFilterCreated, savedFilterDeleted, savedFilterUpdated } from './events.ts'
import { SavedFilter, savedFilterNoun } from './saved_filter.ts'

/**
 * Changes the fields of a saved filter that are sent. Lists that name the filter use the new expression at once. Only its author
 * can make it private; for the event log it is then deleted, and created when it is shared.
 */
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
  emits: [savedFilterUpdated, savedFilterCreated, savedFilterDeleted],
  example: { params: { id: '{saved_filter}' }, body: { name: 'Most urgent', filter: 'priority = urgent' } },
  handle: (context) => changeDefinition(filterDefinition, announced(context), context.target, context.body),
})

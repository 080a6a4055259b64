import { writeOperation } from '../../api/declare/operation.ts'
import { Deleted } from '../../api/declare/shapes.ts'
import { deleteDefinition } from '../workspaces/shared/definitions.ts'
import { announced } from './announce.ts'
import { filterDefinition } from './definition.ts'
import { savedFilterDeleted } from './events.ts'
import { savedFilterNoun } from './saved_filter.ts'

/** Deletes a saved filter. Its id then answers 410, and 400 as the `filter` of a list. */
export const deleteSavedFilter = writeOperation({
  id: 'saved_filters.delete',
  method: 'DELETE',
  path: '/v1/saved_filters/{id}',
  summary: 'Delete a saved filter',
  scope: 'tasks:write',
  credits: 10,
  extension: true,
  target: savedFilterNoun,
  returns: Deleted('saved_filter'),
  emits: [savedFilterDeleted],
  example: { params: { id: '{saved_filter}' } },
  handle: (context) => deleteDefinition(filterDefinition, announced(context), context.target),
})

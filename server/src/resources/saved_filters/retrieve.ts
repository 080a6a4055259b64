import { readOperation } from '../../api/declare/operation.ts'
import { SavedFilter, savedFilterNoun, showSavedFilter } from './saved_filter.ts'

/** Shows a filter of the team, or a private one of the credential's user. Another person's private one answers 404. */
export const retrieveSavedFilter = readOperation({
  id: 'saved_filters.retrieve',
  method: 'GET',
  path: '/v1/saved_filters/{id}',
  summary: 'Retrieve a saved filter',
  scope: 'tasks:read',
  credits: 1,
  target: savedFilterNoun,
  returns: SavedFilter,
  example: { params: { id: '{saved_filter}' } },
  handle: ({ target }) => showSavedFilter(target),
})

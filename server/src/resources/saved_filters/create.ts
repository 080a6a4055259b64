import { actingUser } from '../../api/declare/caller.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { createDefinition } from '../workspaces/shared/definitions.ts'
import { announced } from './announce.ts'
import { filterDefinition, new_filter } from './definition.ts'
import { savedFilterCreated } from './events.ts'
import { SavedFilter } from './saved_filter.ts'

/** Creates a filter, with the view that shows its tasks, for the team or for the credential's user alone. Its expression and sort order are checked as in `GET /v1/tasks`. */
export const createSavedFilter = writeOperation({
  id: 'saved_filters.create',
  method: 'POST',
  path: '/v1/saved_filters',
  summary: 'Create a saved filter',
  scope: 'tasks:write',
  credits: 10,
  extension: true,
  body: new_filter,
  returns: SavedFilter,
  emits: [savedFilterCreated],
  example: { body: { workspace: '{workspace}', name: 'Urgent', filter: 'priority >= high', sort: '-priority,due_at' } },
  handle(context) {
    const { body, caller } = context
    const own = caller.guest === null ? {} : ({ visibility: 'private' } as const)
    return createDefinition(filterDefinition, announced(context), { ...own, ...body }, actingUser(caller))
  },
})

/** Writes saved filters for the command line and the console. */
import { definitionWrites } from '../workspaces/shared/definitions.ts'
import { filterDefinition } from './definition.ts'

export const {
  add: addSavedFilter,
  set: setSavedFilter,
  remove: deleteSavedFilter,
} = definitionWrites(filterDefinition)

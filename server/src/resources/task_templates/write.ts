/** Writes task templates for the command line and the console. */
import { definitionWrites } from '../workspaces/shared/definitions.ts'
import { templateDefinition } from './definition.ts'

export const {
  add: addTaskTemplate,
  set: setTaskTemplate,
  remove: deleteTaskTemplate,
} = definitionWrites(templateDefinition)

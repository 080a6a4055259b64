import type { Operation } from '../../api/declare/operation.ts'
import { createTaskTemplate } from './create.ts'
import { deleteTaskTemplate } from './delete.ts'
import { instantiateTaskTemplate } from './instantiate.ts'
import { listTaskTemplates } from './list.ts'
import { retrieveTaskTemplate } from './retrieve.ts'
import { updateTaskTemplate } from './update.ts'

export const taskTemplates: readonly Operation[] = [
  listTaskTemplates,
  createTaskTemplate,
  retrieveTaskTemplate,
  updateTaskTemplate,
  deleteTaskTemplate,
  instantiateTaskTemplate,
]

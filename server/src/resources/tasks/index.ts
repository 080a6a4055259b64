import type { Operation } from '../../api/declare/operation.ts'
import { batchTasks } from './batch.ts'
import { bulkTasks } from './bulk.ts'
import { completeTask } from './complete.ts'
import { countTasks } from './count.ts'
import { createTask } from './create.ts'
import { deleteTask } from './delete.ts'
import { importTasksOperation } from './import.ts'
import { listTasks } from './list.ts'
import { moveTask } from './move.ts'
import { retrieveTask } from './retrieve.ts'
import { updateTask } from './update.ts'

export const tasks: readonly Operation[] = [
  listTasks,
  createTask,
  countTasks,
  retrieveTask,
  updateTask,
  deleteTask,
  batchTasks,
  bulkTasks,
  completeTask,
  moveTask,
  importTasksOperation,
]

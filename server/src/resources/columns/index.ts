import type { Operation } from '../../api/declare/operation.ts'
import { createColumn } from './create.ts'
import { deleteColumn } from './delete.ts'
import { listColumns } from './list.ts'
import { reorderColumns } from './reorder.ts'
import { retrieveColumn } from './retrieve.ts'
import { updateColumn } from './update.ts'

export const columns: readonly Operation[] = [
  listColumns,
  createColumn,
  retrieveColumn,
  updateColumn,
  deleteColumn,
  reorderColumns,
]

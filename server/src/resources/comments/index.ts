import type { Operation } from '../../api/declare/operation.ts'
import { createComment } from './create.ts'
import { deleteComment } from './delete.ts'
import { importComment } from './import.ts'
import { listComments } from './list.ts'
import { retrieveComment } from './retrieve.ts'
import { updateComment } from './update.ts'

export const comments: readonly Operation[] = [
  listComments,
  createComment,
  retrieveComment,
  updateComment,
  deleteComment,
  importComment,
]

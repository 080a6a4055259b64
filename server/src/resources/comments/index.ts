import type { Operation } from '../../api/operation.ts'
import { createComment } from './create.ts'
import { deleteComment } from './delete.ts'
import { retrieveComment } from './get.ts'
import { listComments } from './list.ts'
import { updateComment } from './update.ts'

export const comments: readonly Operation[] = [
  listComments,
  createComment,
  retrieveComment,
  updateComment,
  deleteComment,
]

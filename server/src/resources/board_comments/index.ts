import type { Operation } from '../../api/declare/operation.ts'
import { createBoardComment } from './create.ts'
import { deleteBoardComment } from './delete.ts'
import { listBoardComments } from './list.ts'
import { reopenBoardComment } from './reopen.ts'
import { resolveBoardComment } from './resolve.ts'
import { retrieveBoardComment } from './retrieve.ts'
import { updateBoardComment } from './update.ts'

export const boardComments: readonly Operation[] = [
  listBoardComments,
  createBoardComment,
  retrieveBoardComment,
  updateBoardComment,
  deleteBoardComment,
  resolveBoardComment,
  reopenBoardComment,
]

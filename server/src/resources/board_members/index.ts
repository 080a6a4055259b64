import type { Operation } from '../../api/declare/operation.ts'
import { createBoardMember } from './create.ts'
import { deleteBoardMember } from './delete.ts'
import { listBoardMembers } from './list.ts'
import { updateBoardMember } from './update.ts'

export const boardMembers: readonly Operation[] = [
  listBoardMembers,
  createBoardMember,
  updateBoardMember,
  deleteBoardMember,
]

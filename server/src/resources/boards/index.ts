import type { Operation } from '../../api/declare/operation.ts'
import { createBoard } from './create.ts'
import { deleteBoard } from './delete.ts'
import { listBoards } from './list.ts'
import { outlineBoard } from './outline.ts'
import { retrieveBoard } from './retrieve.ts'
import { updateBoard } from './update.ts'

export const boards: readonly Operation[] = [
  listBoards,
  createBoard,
  retrieveBoard,
  updateBoard,
  deleteBoard,
  outlineBoard,
]

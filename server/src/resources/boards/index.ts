import type { Operation } from '../../api/operation.ts'
import { createBoard } from './create.ts'
import { deleteBoard } from './delete.ts'
import { retrieveBoard } from './get.ts'
import { listBoards } from './list.ts'
import { updateBoard } from './update.ts'

export const boards: readonly Operation[] = [listBoards, createBoard, retrieveBoard, updateBoard, deleteBoard]

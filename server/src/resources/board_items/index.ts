import type { Operation } from '../../api/declare/operation.ts'
import { createBoardItems } from './create.ts'
import { deleteBoardItem } from './delete.ts'
import { listBoardItems } from './list.ts'
import { retrieveBoardItem } from './retrieve.ts'

export const boardItems: readonly Operation[] = [listBoardItems, createBoardItems, retrieveBoardItem, deleteBoardItem]

import type { Operation } from '../../api/operation.ts'
import { retrieveBoardItem } from './get.ts'
import { listBoardItems } from './list.ts'

export const boardItems: readonly Operation[] = [listBoardItems, retrieveBoardItem]

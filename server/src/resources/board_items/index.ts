import type { Operation } from '../../api/declare/operation.ts'
import { listBoardItems } from './list.ts'
import { retrieveBoardItem } from './retrieve.ts'

export const boardItems: readonly Operation[] = [listBoardItems, retrieveBoardItem]

import type { Operation } from '../../api/declare/operation.ts'
import { createBoardLink } from './create.ts'
import { deleteBoardLink } from './delete.ts'
import { listBoardLinks } from './list.ts'

export const boardLinks: readonly Operation[] = [listBoardLinks, createBoardLink, deleteBoardLink]

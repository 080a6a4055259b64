import type { Operation } from '../../api/declare/operation.ts'
import { createUndo } from './create.ts'

export const undo: readonly Operation[] = [createUndo]

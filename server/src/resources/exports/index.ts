import type { Operation } from '../../api/operation.ts'
import { createExport } from './create.ts'

export const exports: readonly Operation[] = [createExport]

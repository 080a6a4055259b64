import type { Operation } from '../../api/declare/operation.ts'
import { createExport } from './create.ts'

export const exports: readonly Operation[] = [createExport]

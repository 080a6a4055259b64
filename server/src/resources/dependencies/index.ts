import type { Operation } from '../../api/declare/operation.ts'
import { createDependency } from './create.ts'
import { deleteDependency } from './delete.ts'
import { listDependencies } from './list.ts'

export const dependencies: readonly Operation[] = [listDependencies, createDependency, deleteDependency]

import type { Operation } from '../../api/declare/operation.ts'
import { listSearch } from './list.ts'

export const search: readonly Operation[] = [listSearch]

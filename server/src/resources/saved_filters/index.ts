import type { Operation } from '../../api/operation.ts'
import { retrieveSavedFilter } from './get.ts'
import { listSavedFilters } from './list.ts'

export const savedFilters: readonly Operation[] = [listSavedFilters, retrieveSavedFilter]

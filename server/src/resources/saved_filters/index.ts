import type { Operation } from '../../api/declare/operation.ts'
import { createSavedFilter } from './create.ts'
import { deleteSavedFilter } from './delete.ts'
import { listSavedFilters } from './list.ts'
import { retrieveSavedFilter } from './retrieve.ts'
import { updateSavedFilter } from './update.ts'

export const savedFilters: readonly Operation[] = [
  listSavedFilters,
  createSavedFilter,
  retrieveSavedFilter,
  updateSavedFilter,
  deleteSavedFilter,
]

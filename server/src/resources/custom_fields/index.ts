import type { Operation } from '../../api/declare/operation.ts'
import { createCustomField } from './create.ts'
import { deleteCustomField } from './delete.ts'
import { listCustomFields } from './list.ts'
import { retrieveCustomField } from './retrieve.ts'
import { updateCustomField } from './update.ts'

export const customFields: readonly Operation[] = [
  listCustomFields,
  createCustomField,
  retrieveCustomField,
  updateCustomField,
  deleteCustomField,
]

import type { Operation } from '../../api/operation.ts'
import { createBillingRate } from './create.ts'
import { deleteBillingRate } from './delete.ts'
import { retrieveBillingRate } from './get.ts'
import { listBillingRates } from './list.ts'
import { updateBillingRate } from './update.ts'

export const billingRates: readonly Operation[] = [
  listBillingRates,
  createBillingRate,
  retrieveBillingRate,
  updateBillingRate,
  deleteBillingRate,
]

import type { Operation } from '../../api/declare/operation.ts'
import { createBillingRate } from './create.ts'
import { deleteBillingRate } from './delete.ts'
import { listBillingRates } from './list.ts'
import { retrieveBillingRate } from './retrieve.ts'
import { updateBillingRate } from './update.ts'

export const billingRates: readonly Operation[] = [
  listBillingRates,
  createBillingRate,
  retrieveBillingRate,
  updateBillingRate,
  deleteBillingRate,
]

import type { Operation } from '../../api/operation.ts'
import { createInvoiceDraft } from './create.ts'
import { deleteInvoiceDraft } from './delete.ts'
import { retrieveInvoiceDraft } from './get.ts'
import { listInvoiceDrafts } from './list.ts'
import { updateInvoiceDraft } from './update.ts'

export const invoiceDrafts: readonly Operation[] = [
  listInvoiceDrafts,
  createInvoiceDraft,
  retrieveInvoiceDraft,
  updateInvoiceDraft,
  deleteInvoiceDraft,
]

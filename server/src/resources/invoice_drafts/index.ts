import type { Operation } from '../../api/declare/operation.ts'
import { createInvoiceDraft } from './create.ts'
import { deleteInvoiceDraft } from './delete.ts'
import { listInvoiceDrafts } from './list.ts'
import { retrieveInvoiceDraft } from './retrieve.ts'
import { updateInvoiceDraft } from './update.ts'

export const invoiceDrafts: readonly Operation[] = [
  listInvoiceDrafts,
  createInvoiceDraft,
  retrieveInvoiceDraft,
  updateInvoiceDraft,
  deleteInvoiceDraft,
]

import type { Operation } from '../../api/declare/operation.ts'
import { createExpense } from './create.ts'
import { deleteExpense } from './delete.ts'
import { listExpenses } from './list.ts'
import { retrieveExpense } from './retrieve.ts'
import { updateExpense } from './update.ts'

export const expenses: readonly Operation[] = [
  listExpenses,
  createExpense,
  retrieveExpense,
  updateExpense,
  deleteExpense,
]

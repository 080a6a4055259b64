import type { Operation } from '../../api/operation.ts'
import { createExpense } from './create.ts'
import { deleteExpense } from './delete.ts'
import { retrieveExpense } from './get.ts'
import { listExpenses } from './list.ts'
import { updateExpense } from './update.ts'

export const expenses: readonly Operation[] = [
  listExpenses,
  createExpense,
  retrieveExpense,
  updateExpense,
  deleteExpense,
]

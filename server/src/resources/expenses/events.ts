import { eventType } from '../../api/declare/event.ts'
import { expenseNoun } from './expense.ts'

export const expenseCreated = eventType('workflow.expense.created', expenseNoun)
export const expenseUpdated = eventType('workflow.expense.updated', expenseNoun)
export const expenseDeleted = eventType('workflow.expense.deleted', expenseNoun)

/** Detaches a file that is deleted from its objects, with one event for each object. */
import { refuse } from '../../api/declare/errors.ts'
import { findById } from '../../api/declare/noun.ts'
import { applyChange } from '../../api/write/change.ts'
import type { FileRow } from '../../db/schema.ts'
import { showComment } from '../comments/comment.ts'
import { commentUpdated } from '../comments/events.ts'
import { expenseUpdated } from '../expenses/events.ts'
import { showExpense } from '../expenses/expense.ts'
import { taskUpdated } from '../tasks/events.ts'
import type { TaskWork } from '../tasks/shared/work.ts'
import { showTask } from '../tasks/task.ts'
import { attachedTo, changeAttachments } from './shared/attachments.ts'

/** Every event that `detachFile` may emit. */
export const detachEvents = [taskUpdated, commentUpdated, expenseUpdated] as const

const [taskById, commentById, expenseById] = [findById('tasks'), findById('comments'), findById('expenses')]

/** Refuses a receipt of an expense that is no longer a draft, before it writes. */
export async function detachFile(work: TaskWork, { realm, id: file }: FileRow): Promise<void> {
  const pairs = (await attachedTo(work.tx, realm, [file])).get(file) ?? []
  const steps = await Promise.all(pairs.map(({ object, id }) => detachOne(work, realm, file, object, id)))
  for (const step of steps) step()
}

/** Looks an object up and returns the write, so that every check comes before the first write. */
async function detachOne({ tx, now, emit }: TaskWork, realm: number, file: string, object: string, id: string) {
  const without = (ids: string) => JSON.stringify((JSON.parse(ids) as string[]).filter((each) => each !== file))
  if (object === 'task') {
    const row = await tx.first(taskById, { realm, id })
    return () => {
      const changed = row && applyChange(tx, 'tasks', row, { attachments: without(row.attachments) }, now)
      if (!row || !changed) return
      changeAttachments(tx, realm, { object, id }, row.attachments, changed.attachments)
      emit(taskUpdated, showTask(changed), showTask(row))
    }
  }
  if (object === 'comment') {
    const row = await tx.first(commentById, { realm, id })
    return () => {
      const changed = row && applyChange(tx, 'comments', row, { attachments: without(row.attachments) }, now)
      if (!row || !changed) return
      changeAttachments(tx, realm, { object, id }, row.attachments, changed.attachments)
      emit(commentUpdated, showComment(changed), showComment(row))
    }
  }
  const row = await tx.first(expenseById, { realm, id })
  if (row && row.status !== 'draft') {
    const message = `The file is a receipt of the expense ${id}, which is ${row.status}. Receipts of drafts only can be deleted.`
    throw refuse('resource_conflict', { message })
  }
  return () => {
    const changed = row && applyChange(tx, 'expenses', row, { receipts: without(row.receipts) }, now)
    if (!row || !changed) return
    changeAttachments(tx, realm, { object: 'expense', id }, row.receipts, changed.receipts)
    emit(expenseUpdated, showExpense(changed), showExpense(row))
  }
}

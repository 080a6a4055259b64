/**
 * Tasks for measuring filters: ordinary ones, of which a fixed number, spread evenly, is rare in every filterable way. A rare
 * filter so finds equally many among ten thousand and among a million.
 */
import type { NewTask } from '../server/src/resources/tasks/task.ts'
import { type Frame, ordinaryTask } from './seed-product.ts'

/** More than one page of 20, so that an index lets a page end early. */
export const rare_tasks = 25
export const rare_word = 'zanzibar'
export const rare_label = 'regression'
const year_2100 = 4_102_444_800
/** Earlier than all other due dates. */
export const rare_due = 1_700_000_000

export function isRare(i: number, of: number): boolean {
  return i % Math.max(1, Math.floor(of / rare_tasks)) === 0
}

export function listTask(frame: Frame, i: number, of: number): NewTask {
  const usual = { ...ordinaryTask(frame, i), due_at: year_2100 + i }
  const assignee = usual.assignee === frame.users[0] ? null : (usual.assignee ?? null)
  if (!isRare(i, of)) return { ...usual, assignee, custom_fields: { points: i % 8, ticket: `T-${i}` } }
  return {
    ...usual,
    title: `Task number ${i} about ${rare_word}`,
    status: 'blocked',
    priority: 'urgent',
    assignee: frame.users[0] as string,
    due_at: rare_due + Math.floor(i / Math.max(1, Math.floor(of / rare_tasks))),
    labels: ['backend', rare_label],
    custom_fields: { points: 13, ticket: `T-${i}` },
  }
}

/** The draft of the dialog for a new task, kept over a reload until the task is created or the draft is cleared. */
import type { Priority } from '../../app/tasks/values.ts'

const stored_name = 'atrium.new-task'

export interface TaskDraft {
  readonly title: string
  readonly description: string
  readonly priority: Priority
  readonly assignee: string | null
  readonly due_at: number | null
  readonly labels: readonly string[]
  /** A column of the chosen project; null for its first one. */
  readonly column: string | null
  readonly template: string | null
}

export const empty_draft: TaskDraft = {
  title: '',
  description: '',
  priority: 'none',
  assignee: null,
  due_at: null,
  labels: [],
  column: null,
  template: null,
}

export function isEmpty(draft: TaskDraft): boolean {
  return draft.title.trim() === '' && draft.description.trim() === ''
}

export function storedDraft(): TaskDraft | null {
  try {
    const stored = JSON.parse(localStorage.getItem(stored_name) ?? 'null') as Partial<TaskDraft> | null
    return stored === null ? null : { ...empty_draft, ...stored }
  } catch {
    return null
  }
}

export function storeDraft(draft: TaskDraft | null): void {
  try {
    if (draft === null || isEmpty(draft)) localStorage.removeItem(stored_name)
    else localStorage.setItem(stored_name, JSON.stringify(draft))
  } catch {
    // Without storage, the draft ends with the dialog.
  }
}

import type { Known } from '../../src/automations/known.ts'

/** The facts that validation needs, for tests without a catalogue. */
export const known: Known = {
  event_types: new Map([
    ['workflow.task.created', 'tasks:read'],
    ['workflow.task.updated', 'tasks:read'],
    ['workflow.task.completed', 'tasks:read'],
    ['workflow.task.moved', 'tasks:read'],
    ['workflow.task.deleted', 'tasks:read'],
    ['workflow.comment.created', 'comments:read'],
    ['workflow.time_entry.started', 'time_entries:read'],
    ['workflow.project.updated', 'projects:read'],
  ]),
  task_statuses: ['backlog', 'todo', 'in_progress', 'in_review', 'blocked', 'done', 'canceled'],
  task_priorities: ['none', 'low', 'medium', 'high', 'urgent'],
  now_ms: Date.UTC(2026, 7, 3),
  filterFault: (filter) => (filter.includes('(') ? 'a parenthesis is not closed' : undefined),
}

import type { Known } from '../../src/automations/validate-config.ts'

/** What the validation of graphs is handed in, for tests that have no catalogue at hand. */
export const known: Known = {
  event_types: new Set([
    'workflow.task.created',
    'workflow.task.updated',
    'workflow.task.completed',
    'workflow.task.moved',
    'workflow.task.deleted',
    'workflow.comment.created',
    'workflow.time_entry.started',
    'workflow.project.updated',
  ]),
  task_statuses: ['backlog', 'todo', 'in_progress', 'in_review', 'blocked', 'done', 'canceled'],
  task_priorities: ['none', 'low', 'medium', 'high', 'urgent'],
  now_ms: Date.UTC(2026, 7, 3),
  filterFault: (filter) => (filter.includes('(') ? 'a parenthesis is not closed' : undefined),
}

import { refuse } from '../../../api/declare/errors.ts'

/** Refuses a status that contradicts the completion time (contract/15#task-completion). */
export function refuseContradiction(
  status: string | undefined,
  completedAt: number | null | undefined,
  prefix = '',
): void {
  if (status === undefined || completedAt === undefined || (status === 'done') === (completedAt !== null)) return
  const param = `${prefix}completed_at`
  throw refuse('invalid_request_body', {
    param,
    message: `${param} contradicts the status: a task has a completion time exactly while it is done.`,
  })
}

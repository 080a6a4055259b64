/** The tasks above a subtask, as links before its title, and the offer to complete the parent after its last subtask. */
import type { Task } from '@atrium/sdk'
import { CornerLeftUp } from 'lucide-react'
import { Link } from 'wouter'
import { useTask } from '../../app/tasks/reads.ts'
import { isOpen } from '../../app/tasks/values.ts'
import { Button } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { useTaskHref } from './subtask-reads.ts'
import { useTaskChange } from './writes.ts'

/** Tasks above a subtask, at most. */
const levels_max = 4

export function ParentTrail({ task }: { readonly task: Task }) {
  if (task.parent === null) return null
  return (
    <nav className="parent-trail" aria-label={t('Parent tasks')}>
      <CornerLeftUp aria-hidden="true" />
      <span className="unseen">{t('Subtask of')}</span>
      <Above id={task.parent} levels={levels_max} />
    </nav>
  )
}

/** A task of the trail, with those above it before. */
function Above({ id, levels }: { readonly id: string; readonly levels: number }) {
  const { data, error } = useTask(id)
  const hrefOf = useTaskHref()
  if (data === undefined) return <span className="subtle">{error === null ? '…' : t('Deleted task')}</span>
  return (
    <>
      {data.parent !== null && levels > 1 && (
        <>
          <Above id={data.parent} levels={levels - 1} />
          <span aria-hidden="true" className="subtle">
            ›
          </span>
        </>
      )}
      <Link href={hrefOf(data.key)} className="parent-link" title={data.title}>
        <span className="task-key numbers">{data.key}</span>
        <span className="cut">{data.title}</span>
      </Link>
    </>
  )
}

/** Offers to complete the parent when this was its last open subtask. */
export function ParentOffer({ task }: { readonly task: Task }) {
  const { data } = useTask(task.status === 'done' ? task.parent : null)
  return data === undefined ? null : <CompletionOffer task={data} />
}

/** Offers to complete a task whose subtasks are all done. */
export function CompletionOffer({ task }: { readonly task: Task }) {
  const change = useTaskChange()
  const { id, key, status, is_archived, subtask_count, subtask_done_count } = task
  if (subtask_count === 0 || subtask_done_count < subtask_count || !isOpen(status) || is_archived) return null
  return (
    <div className="completion-offer" role="status">
      <span className="grow">
        {t(
          '{subtask_count, plural, one {The subtask} other {All # subtasks}} of {key} {subtask_count, plural, one {is} other {are}} done.',
          { subtask_count, key },
        )}
      </span>
      <Button size="s" busy={change.busy} onClick={() => void change.run({ id, fields: { status: 'done' } })}>
        {t('Complete {key}', { key })}
      </Button>
    </div>
  )
}

/** Marks of a row or card: what blocks the task, and how many tasks it blocks. Only open tasks count. */
import './dependency-marks.css'
import type { Task } from '@atrium/sdk'
import { CircleSlash, OctagonMinus } from 'lucide-react'
import { isOpen } from '../../app/tasks/values.ts'
import { t } from '../../language/index.ts'
import { type Relation, useRelations } from './task-relations.ts'

const named_max = 5

export function DependencyMarks({ task }: { readonly task: Pick<Task, 'id' | 'parent' | 'status'> }) {
  const { data } = useRelations(task)
  if (data === undefined || !isOpen(task.status)) return null
  const { blockers, blocked } = blockingOf(task.id, data.rows)
  return (
    <>
      {blockers.length > 0 && (
        <span
          className="dependency-mark"
          data-kind="blocked"
          title={t('Blocked by {names}', { names: namesOf(blockers) })}
        >
          <CircleSlash aria-hidden="true" />
          <span className="unseen">{t('Blocked by {names}', { names: namesOf(blockers) })}</span>
          {blockers.length > 1 && (
            <span aria-hidden="true" className="numbers">
              {blockers.length}
            </span>
          )}
        </span>
      )}
      {blocked.length > 0 && (
        <span className="dependency-mark" data-kind="blocking" title={t('Blocks {names}', { names: namesOf(blocked) })}>
          <OctagonMinus aria-hidden="true" />
          <span className="unseen">{t('Blocks {names}', { names: namesOf(blocked) })}</span>
          {blocked.length > 1 && (
            <span aria-hidden="true" className="numbers">
              {blocked.length}
            </span>
          )}
        </span>
      )}
    </>
  )
}

/** The open tasks that block a task, and those that it blocks. */
export function blockingOf(id: string, rows: readonly Relation[]) {
  const open = rows.filter(({ kind, other }) => kind === 'blocks' && isOpen(other.status))
  return {
    blockers: open.filter(({ to }) => to === id),
    blocked: open.filter(({ from }) => from === id),
  }
}

function namesOf(rows: readonly Relation[]): string {
  const names = rows.slice(0, named_max).map(({ other }) => `${other.key} ${other.title}`)
  return rows.length > named_max
    ? t('{names} and {count} more', { names: names.join(', '), count: rows.length - named_max })
    : names.join(', ')
}

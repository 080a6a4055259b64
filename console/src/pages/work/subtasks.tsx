/** The subtasks of a task: counts, rows that can be completed, opened, reordered and detached, and fields to add more. */
import './subtasks.css'
import type { Task } from '@atrium/sdk'
import { type KeyboardEvent, useState } from 'react'
import { ErrorState } from '../../app/error-state.tsx'
import { KeptLines } from '../../app/kept-lines.tsx'
import { toast } from '../../app/toasts.ts'
import { useKeptObjects } from '../../data/index.ts'
import { Button, Section, SkeletonLines } from '../../design/index.ts'
import { t, textLanguage } from '../../language/index.ts'
import { CompletionOffer } from './parent-trail.tsx'
import { SubtaskAdd } from './subtask-add.tsx'
import { type Place, placeBeside, placeOf, stepFrom } from './subtask-order.ts'
import { subtasks_max, useSubtasks } from './subtask-reads.ts'
import { SubtaskRow } from './subtask-row.tsx'
import { useParentChange, useSubtaskOrder } from './subtask-writes.ts'

/** The height of a row, as in subtasks.css, so that nothing moves when the rows are read. */
const row_rem = 2.25
const skeletons_max = 6

export function Subtasks({ task }: { readonly task: Task }) {
  const [isWhole, setWhole] = useState(false)
  const { rows, error, refetch, hasMore, isLoadingMore } = useSubtasks(task, isWhole)
  return (
    <Section title={t('Subtasks')} actions={task.subtask_count > 0 && <SubtaskProgress task={task} rows={rows} />}>
      <div className="stack subtasks">
        {error ? (
          <ErrorState error={error} onRetry={() => void refetch()} plain />
        ) : rows === undefined ? (
          task.subtask_count > 0 && (
            <div style={{ height: `${Math.min(subtasks_max, task.subtask_count) * row_rem}rem` }}>
              <SkeletonLines lines={Math.min(skeletons_max, task.subtask_count)} />
            </div>
          )
        ) : (
          <SubtaskRows task={task} rows={rows} hasMore={hasMore} />
        )}
        {hasMore && (
          <Button size="s" busy={isLoadingMore} onClick={() => setWhole(true)}>
            {t('Show all {subtask_count} subtasks', {
              subtask_count: task.subtask_count.toLocaleString(textLanguage()),
            })}
          </Button>
        )}
        <KeptSubtasks task={task} />
        <CompletionOffer task={task} />
        {!task.is_archived && <SubtaskAdd task={task} rows={rows ?? []} />}
      </div>
    </Section>
  )
}

function KeptSubtasks({ task }: { readonly task: Task }) {
  const kept = useKeptObjects('/v1/tasks').filter(({ parent }) => parent === task.id)
  return <KeptLines label={t('Subtasks not sent yet')} lines={kept.map(({ title }) => String(title))} />
}

/** "2 of 5 done" with a bar. The rows are more current than the counts of the task while a change is written. */
function SubtaskProgress({ task, rows }: { readonly task: Task; readonly rows: readonly Task[] | undefined }) {
  const isWhole = rows !== undefined && rows.length >= task.subtask_count
  const count = isWhole ? rows.length : task.subtask_count
  const done = isWhole ? rows.filter(({ status }) => status === 'done').length : task.subtask_done_count
  return <SubtaskCount done={done} count={count} />
}

function SubtaskCount({ done, count }: { readonly done: number; readonly count: number }) {
  const share = count === 0 ? 0 : Math.round((100 * done) / count)
  return (
    <span className="row subtask-progress">
      <span className="numbers subtle">
        {t('{done} of {count} done', {
          done: done.toLocaleString(textLanguage()),
          count: count.toLocaleString(textLanguage()),
        })}
      </span>
      <span className="bar" aria-hidden="true" data-tone={done === count ? 'good' : undefined}>
        <span className="bar-fill" style={{ width: `${share}%` }} />
      </span>
    </span>
  )
}

interface SubtaskRowsProps {
  readonly task: Task
  readonly rows: readonly Task[]
  readonly hasMore: boolean
}

function SubtaskRows({ task, rows, hasMore }: SubtaskRowsProps) {
  const order = useSubtaskOrder()
  const detach = useParentChange({ toastErrors: true })
  const move = (row: Task, to: Place | null) => {
    if (to !== null) void order.run({ task: row, to, from: placeOf(rows, row) })
  }
  const step = (row: Task, by: -1 | 1) => {
    const to = stepFrom(rows, row, by)
    if (to !== null) return move(row, to)
    toast({
      text:
        by === -1
          ? t('{key} is already the first of its column', { key: row.key })
          : t('{key} is already the last of its column', { key: row.key }),
      detail: t('Subtasks stand in the order of the board, column by column. To move it further, change its column.'),
    })
  }
  const missing = task.subtask_count - rows.length
  return (
    <>
      {rows.length > 0 && (
        <ul className="subtask-rows" aria-label={t('Subtasks of {key}', { key: task.key })} onKeyDown={moveFocus}>
          {rows.map((row) => (
            <SubtaskRow
              key={row.id}
              row={row}
              isFixed={task.is_archived || row.is_archived}
              canStep={(by) => stepFrom(rows, row, by) !== null}
              onStep={(by) => step(row, by)}
              onDrop={(id, side) => {
                const dragged = rows.find((each) => each.id === id)
                if (dragged !== undefined) move(dragged, placeBeside(rows, dragged, row, side))
              }}
              onDetach={() => void detach.run({ task: row, parent: null })}
            />
          ))}
        </ul>
      )}
      {missing > 0 && rows.length > 0 && !hasMore && (
        <p className="subtle">
          {t('{missing} more {missing, plural, one {subtask is} other {subtasks are}} in archived projects.', {
            missing,
          })}
        </p>
      )}
    </>
  )
}

/** Arrow keys move the focus between the titles of the rows. */
function moveFocus(event: KeyboardEvent<HTMLUListElement>): void {
  const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (by === 0 || event.altKey || event.ctrlKey || event.metaKey) return
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('.subtask-link')]
  const at = links.indexOf(document.activeElement as HTMLElement)
  const next = links[at + by]
  if (at < 0 || next === undefined) return
  event.preventDefault()
  next.focus()
}

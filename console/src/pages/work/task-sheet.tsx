/** A task in a panel beside the board or list it was opened from, with the way to the tasks before and after it. */
import type { Task } from '@atrium/sdk'
import { ChevronDown, ChevronUp, Maximize2 } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { useLocation } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { useShortcut } from '../../app/shortcuts.ts'
import { useTask } from '../../app/tasks/reads.ts'
import { hasErrorCode } from '../../data/index.ts'
import { Empty, IconButton, SidePanel, SkeletonLines } from '../../design/index.ts'
import { t, textLanguage } from '../../language/index.ts'
import { TaskDetails } from './task-details.tsx'
import type { TaskPlace } from './task-order.ts'
import { TaskTools } from './task-tools.tsx'

interface TaskSheetProps {
  /** An id or a key. */
  readonly id: string
  /** The task's place on the page; null if the page does not show it. */
  readonly place?: TaskPlace | null
  readonly onClose: () => void
  /** Shows another task of the page, by its key. */
  readonly onOpen?: (key: string) => void
}

/** Parameters of the URL that belong to the panel's content. */
export const panel_params = ['part'] as const

export function TaskSheet({ id, place = null, onClose, onOpen }: TaskSheetProps) {
  const task = useTask(id)
  const [, navigate] = useLocation()
  const { data } = task
  // The card may be beyond the edge of its column, or have been moved by the panel.
  useEffect(() => {
    const card = document.querySelector(`[data-card="${data?.id}"]`)
    card?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [data?.id])
  return (
    <SidePanel
      onClose={onClose}
      title={data ? <TaskName task={data} /> : t('Task')}
      label={data ? `${data.key} ${data.title}` : t('Task')}
      contentKey={data?.id ?? id}
      returnTo={() => linkOf(data)}
      tools={
        <>
          {place !== null && onOpen && <Steps place={place} onOpen={onOpen} />}
          <span className="task-tools">
            {data && (
              <>
                <TaskTools task={data} onDeleted={onClose} />
                <IconButton
                  icon={Maximize2}
                  label={t('Open as page')}
                  size="s"
                  onClick={() => navigate(`/work/tasks/${data.key}`)}
                />
              </>
            )}
          </span>
        </>
      }
    >
      <TaskState error={task.error} onRetry={() => void task.refetch()}>
        {data === undefined ? <SkeletonLines lines={16} /> : <TaskDetails key={data.id} task={data} />}
      </TaskState>
    </SidePanel>
  )
}

/** The card or row of a task on the page. */
function linkOf(task: Task | undefined): HTMLElement | null {
  if (task === undefined) return null
  const card = document.querySelector<HTMLElement>(`[data-card="${task.id}"] a`)
  return card ?? document.querySelector<HTMLElement>('.task-row[data-current] a')
}

interface StepsProps {
  readonly place: TaskPlace
  readonly onOpen: (key: string) => void
}

/** Previous and next task of the page, and the place of this one. */
function Steps({ place: { position, count, previous, next }, onOpen }: StepsProps) {
  const open = (key: string | null) => {
    if (key === null) return
    // The focused field goes away with the old task.
    const { activeElement } = document
    if (activeElement?.closest('.sheet-body')) activeElement.closest<HTMLElement>('[role="dialog"]')?.focus()
    onOpen(key)
  }
  useShortcut('k', t('Previous task'), () => open(previous))
  useShortcut('j', t('Next task'), () => open(next))
  return (
    <>
      <span className="subtle numbers task-place" role="status">
        {t('{position} of {count}', {
          position: position.toLocaleString(textLanguage()),
          count: count.toLocaleString(textLanguage()),
        })}
      </span>
      <IconButton
        icon={ChevronUp}
        label={t('Previous task')}
        keys="k"
        size="s"
        aria-disabled={previous === null || undefined}
        onClick={() => open(previous)}
      />
      <IconButton
        icon={ChevronDown}
        label={t('Next task')}
        keys="j"
        size="s"
        aria-disabled={next === null || undefined}
        onClick={() => open(next)}
      />
    </>
  )
}

/** The title is only for screen readers, because the content shows it in an editable form. */
function TaskName({ task: { key, title } }: { readonly task: Task }) {
  return (
    <>
      <span className="task-key numbers">{key}</span>
      <span className="unseen"> {title}</span>
    </>
  )
}

interface TaskStateProps {
  readonly error: unknown
  readonly onRetry: () => void
  readonly children: ReactNode
}

export function TaskState({ error, onRetry, children }: TaskStateProps) {
  if (hasErrorCode(error, 'resource_deleted')) {
    return (
      <Empty plain title={t('This task was deleted')}>
        {t('Its comments were deleted with it. Its time entries are kept.')}
      </Empty>
    )
  }
  return error ? <ErrorState error={error} onRetry={onRetry} plain /> : children
}

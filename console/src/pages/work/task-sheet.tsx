/** A task in a panel over the board or list it was opened from. */
import type { Task } from '@atrium/sdk'
import { Maximize2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { hasErrorCode } from '../../data/index.ts'
import { Empty, IconButton, Sheet, SkeletonLines } from '../../design/index.ts'
import { useTask } from './reads.ts'
import { TaskDetails } from './task-details.tsx'
import { TaskTools } from './task-tools.tsx'

export function TaskSheet({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const task = useTask(id)
  const [, navigate] = useLocation()
  const { data } = task
  return (
    <Sheet
      open
      onClose={onClose}
      size="l"
      title={data ? <TaskName task={data} /> : 'Task'}
      tools={
        data && (
          <>
            <TaskTools task={data} onDeleted={onClose} />
            <IconButton
              icon={Maximize2}
              label="Open as page"
              size="s"
              onClick={() => navigate(`/work/tasks/${data.key}`)}
            />
          </>
        )
      }
    >
      <TaskState error={task.error} onRetry={() => void task.refetch()}>
        {data === undefined ? <SkeletonLines lines={16} /> : <TaskDetails key={data.id} task={data} />}
      </TaskState>
    </Sheet>
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
      <Empty plain title="This task was deleted">
        Its comments were deleted with it. Its time entries are kept.
      </Empty>
    )
  }
  return error ? <ErrorState error={error} onRetry={onRetry} plain /> : children
}

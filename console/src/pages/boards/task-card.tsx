/** A task on a board with its current status and assignee, updated by live events. */
import type { Task } from '@atrium/sdk'
import { Link } from 'wouter'
import { hasErrorCode, useDirectory, useObject } from '../../data/index.ts'
import { Avatar, StatusBadge } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { centreOf, type Placed } from './scene.ts'

/** A smaller card is not legible. */
const width_min = 190
const height_min = 84

interface TaskCardProps {
  readonly placed: Placed
  readonly task: string
  /** `false` for a link that does not read the task. */
  readonly isLive: boolean
}

export function TaskCard({ placed, task, isLive }: TaskCardProps) {
  const { x, y } = centreOf(placed.box)
  const width = Math.max(width_min, placed.box.width)
  const height = Math.max(height_min, placed.box.height)
  return (
    <foreignObject x={x - width / 2} y={y - height / 2} width={width} height={height} className="drawing-card">
      <Link href={`/work/tasks/${task}`} className="board-task" draggable={false}>
        {isLive ? <LiveTask id={task} drawn={placed.item.text} /> : <DrawnTask text={placed.item.text} />}
      </Link>
    </foreignObject>
  )
}

export function useBoardTask(id: string) {
  return useObject<Task>('task', id, (atrium, given, signal) => atrium.tasks.retrieve(given, {}, { signal }))
}

function LiveTask({ id, drawn }: { readonly id: string; readonly drawn: string | null }) {
  const { nameOf } = useDirectory()
  const { data, error } = useBoardTask(id)
  if (error !== null && data === undefined) {
    const isDeleted = hasErrorCode(error, 'resource_not_found', 'resource_deleted')
    return <DrawnTask text={drawn} label={isDeleted ? t('Task deleted') : t('Task could not be loaded')} />
  }
  if (data === undefined) return <DrawnTask text={drawn} label="…" />
  const { key, title, status, assignee } = data
  return (
    <>
      <span className="board-task-line">
        <span className="board-task-key">{key}</span>
        <StatusBadge status={status} />
      </span>
      <span className="board-task-title">{title}</span>
      <span className="board-task-line">
        {assignee === null ? (
          <span className="board-task-key">{t('Unassigned')}</span>
        ) : (
          <>
            <Avatar name={nameOf(assignee)} id={assignee} size="s" />
            <span className="cut">{nameOf(assignee)}</span>
          </>
        )}
      </span>
    </>
  )
}

/** The task as the drawing shows it. */
function DrawnTask({ text, label = t('Task') }: { readonly text: string | null; readonly label?: string }) {
  return (
    <>
      <span className="board-task-key">{label}</span>
      <span className="board-task-title">{text ?? t('Open task')}</span>
    </>
  )
}

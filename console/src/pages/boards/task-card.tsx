/** A task on a board, as it stands now: it is read here and changes with the live events. */
import type { Task } from '@atrium/sdk'
import { Link } from 'wouter'
import { refused, useDirectory, useObject } from '../../data/index.ts'
import { Avatar, Badge, type Tone } from '../../design/index.ts'
import { centreOf, type Placed } from './scene.ts'

/** Smaller cards could not be read. */
const least_width = 190
const least_height = 84

interface TaskCardProps {
  readonly placed: Placed
  readonly task: string
  /** `false`: only a link. */
  readonly live: boolean
}

export function TaskCard({ placed, task, live }: TaskCardProps) {
  const { x, y } = centreOf(placed.box)
  const width = Math.max(least_width, placed.box.width)
  const height = Math.max(least_height, placed.box.height)
  return (
    <foreignObject x={x - width / 2} y={y - height / 2} width={width} height={height} className="drawing-card">
      <Link href={`/work/tasks/${task}`} className="board-task" draggable={false}>
        {live ? <LiveTask id={task} drawn={placed.item.text} /> : <Drawn text={placed.item.text} />}
      </Link>
    </foreignObject>
  )
}

/** Reads a task of a board; what hangs on it is drawn at once. */
export function useBoardTask(id: string) {
  return useObject<Task>('task', id, (atrium, given, signal) => atrium.tasks.retrieve(given, {}, { signal }))
}

function LiveTask({ id, drawn }: { readonly id: string; readonly drawn: string | null }) {
  const { nameOf } = useDirectory()
  const { data, error } = useBoardTask(id)
  if (error !== null && data === undefined) {
    const isGone = refused(error, 'resource_not_found', 'resource_deleted')
    return <Drawn text={drawn} says={isGone ? 'The task was deleted' : 'The task could not be read'} />
  }
  if (data === undefined) return <Drawn text={drawn} says="…" />
  const { key, title, status, assignee } = data
  return (
    <>
      <span className="board-task-line">
        <span className="board-task-key">{key}</span>
        <Badge tone={taskTone(status)} dot>
          {taskStatus(status)}
        </Badge>
      </span>
      <span className="board-task-title">{title}</span>
      <span className="board-task-line">
        {assignee === null ? (
          <span className="board-task-key">Nobody yet</span>
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

function Drawn({ text, says = 'Task' }: { readonly text: string | null; readonly says?: string }) {
  return (
    <>
      <span className="board-task-key">{says}</span>
      <span className="board-task-title">{text ?? 'Open the task'}</span>
    </>
  )
}

const tones: Readonly<Record<string, Tone>> = {
  in_progress: 'info',
  in_review: 'violet',
  blocked: 'bad',
  done: 'good',
}

export function taskTone(status: string): Tone {
  return tones[status] ?? 'neutral'
}

export function taskStatus(status: string): string {
  return status.replaceAll('_', ' ')
}

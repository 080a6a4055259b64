import type { Task } from '@atrium/sdk'
import { CircleCheck, Copy, Link2, MoreHorizontal, Trash2 } from 'lucide-react'
import { copy } from '../../app/copy.ts'
import { useShortcut } from '../../app/shortcuts.ts'
import { useHasRole, useMode } from '../../data/index.ts'
import { linkTo } from '../../data/link-organization.ts'
import { withMode } from '../../data/mode.ts'
import { IconButton, Menu } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { useTaskDeletion } from './deletions.ts'
import { useOpenTask } from './task-actions/targets.ts'
import { WatchControl } from './watch-control.tsx'
import { useTaskChange } from './writes.ts'

interface TaskToolsProps {
  readonly task: Task
  readonly onDeleted: () => void
}

/** Complete or Reopen, and the menu of a task. */
export function TaskTools({ task, onDeleted }: TaskToolsProps) {
  const change = useTaskChange()
  useOpenTask(task)
  const isDone = task.status === 'done'
  const toggle = () => void change.run({ id: task.id, fields: { status: isDone ? 'todo' : 'done' } })
  useShortcut('mod+enter', isDone ? t('Reopen task') : t('Complete task'), toggle)
  return (
    <>
      <IconButton
        icon={CircleCheck}
        label={isDone ? t('Reopen') : t('Complete')}
        keys="mod+enter"
        pressed={isDone}
        size="s"
        onClick={toggle}
      />
      <WatchControl subject={task} />
      <TaskMenu task={task} onDeleted={onDeleted} />
    </>
  )
}

function TaskMenu({ task, onDeleted }: TaskToolsProps) {
  const mode = useMode()
  const startDeletion = useTaskDeletion()
  const mayDelete = useHasRole('member')
  const link = linkTo(withMode(`/work/tasks/${task.key}`, mode))
  const copyKey = () => void copy(task.key, task.key)
  const remove = () => {
    startDeletion(task)
    onDeleted()
  }
  useShortcut('y', t('Copy task key'), copyKey)
  return (
    <Menu
      label={task.key}
      trigger={<IconButton icon={MoreHorizontal} label={t('Actions for {key}', { key: task.key })} size="s" />}
      items={[
        { label: t('Copy key'), icon: Copy, keys: 'y', onSelect: copyKey },
        { label: t('Copy link'), icon: Link2, onSelect: () => void copy(link, t('Link')) },
        ...(mayDelete ? (['line', { label: t('Delete'), icon: Trash2, danger: true, onSelect: remove }] as const) : []),
      ]}
    />
  )
}

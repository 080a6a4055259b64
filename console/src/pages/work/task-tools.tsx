import type { Task } from '@atrium/sdk'
import { CircleCheck, Copy, Link2, MoreHorizontal, Trash2 } from 'lucide-react'
import { useShortcut } from '../../app/shortcuts.ts'
import { toast } from '../../app/toasts.ts'
import { useMode } from '../../data/index.ts'
import { withMode } from '../../data/mode.ts'
import { IconButton, Menu } from '../../design/index.ts'
import { useTaskDeletion } from './deletions.ts'
import { useTaskChange } from './writes.ts'

/** What can be done with a task as a whole. */
export function TaskTools({ task, onDeleted }: { readonly task: Task; readonly onDeleted: () => void }) {
  const mode = useMode()
  const change = useTaskChange()
  const remove = useTaskDeletion()
  const isDone = task.status === 'done'
  const finish = () => void change.run({ id: task.id, fields: { status: isDone ? 'todo' : 'done' } })
  const copy = async (text: string, what: string) => {
    try {
      await navigator.clipboard.writeText(text)
      toast({ text: `${what} copied` })
    } catch {
      toast({ text: 'The browser does not allow copying', detail: text })
    }
  }
  const copyKey = () => void copy(task.key, task.key)
  useShortcut('mod+enter', isDone ? 'Reopen the task' : 'Complete the task', finish)
  useShortcut('y', 'Copy the key of the task', copyKey)
  return (
    <>
      <IconButton
        icon={CircleCheck}
        label={isDone ? 'Reopen' : 'Complete'}
        keys="mod+enter"
        pressed={isDone}
        size="s"
        onClick={finish}
      />
      <Menu
        label={task.key}
        trigger={<IconButton icon={MoreHorizontal} label={`More about ${task.key}`} size="s" />}
        items={[
          { label: 'Copy key', icon: Copy, keys: 'y', onSelect: copyKey },
          {
            label: 'Copy link',
            icon: Link2,
            onSelect: () => void copy(`${location.origin}${withMode(`/work/tasks/${task.key}`, mode)}`, 'Link'),
          },
          'line',
          {
            label: 'Delete',
            icon: Trash2,
            danger: true,
            onSelect: () => {
              remove(task)
              onDeleted()
            },
          },
        ]}
      />
    </>
  )
}

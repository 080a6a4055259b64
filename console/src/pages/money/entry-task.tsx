/** The task of a time entry by key and title. */
import type { Task } from '@atrium/sdk'
import { useObject } from '../../data/index.ts'
import { Skeleton } from '../../design/index.ts'
import { t } from '../../language/index.ts'

/** `undefined` while the task is being read. */
export function useTaskName(task: string | null): string | undefined {
  const { data, error } = useObject<Task>('task', task, (atrium, id) => atrium.tasks.retrieve(id))
  if (task === null) return t('No task')
  return data === undefined ? (error === null ? undefined : t('Deleted task')) : `${data.key} ${data.title}`
}

export function TaskName({ task }: { readonly task: string | null }) {
  const name = useTaskName(task)
  return <span className="cut money-line">{name ?? <Skeleton width="10rem" />}</span>
}

import type { Task } from '@atrium/sdk'
import { Link } from 'wouter'
import { date, inWords, useNow } from '../../design/index.ts'
import { t } from '../../language/index.ts'

export function MyTasks({ tasks }: { readonly tasks: readonly Task[] }) {
  const now = useNow()
  return (
    <ul aria-label={t('My open tasks')}>
      {tasks.map(({ id, key, title, status, due_at }) => (
        <li key={id}>
          <Link href={`/work/tasks/${key}`} className="my-task">
            <span className="my-task-key numbers">{key}</span>
            <span className="my-task-title">{title}</span>
            <span className="my-task-status">{inWords(status)}</span>
            {due_at !== null && (
              <span className="my-task-due numbers" data-late={due_at < now || undefined}>
                {due_at < now && <span className="unseen">{t('Overdue:')} </span>}
                {date(due_at, now)}
              </span>
            )}
          </Link>
        </li>
      ))}
    </ul>
  )
}

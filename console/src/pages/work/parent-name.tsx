/** The parent of a subtask, named quietly where the subtask stands apart from it: in rows and on cards. */
import './parent-name.css'
import type { Task } from '@atrium/sdk'
import { ChevronLeft } from 'lucide-react'
import { t } from '../../language/index.ts'
import { useRelations } from './task-relations.ts'

export function ParentName({ task }: { readonly task: Pick<Task, 'id' | 'parent'> }) {
  const { data } = useRelations(task)
  if (!data?.parent) return null
  const { key, title } = data.parent
  return (
    <span className="parent-name" title={t('Subtask of {key} {title}', { key, title })}>
      <ChevronLeft aria-hidden="true" />
      <span className="unseen">{t('Subtask of')} </span>
      <span className="cut">{title}</span>
    </span>
  )
}

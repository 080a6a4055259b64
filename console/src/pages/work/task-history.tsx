/** Who has changed what of a task, newest first, from the audit log: it tells the fields, not their values. */
import type { AtriumEvent, AuditEntry, Task } from '@atrium/sdk'
import { useCallback } from 'react'
import { ErrorState } from '../../app/error-state.tsx'
import { useDirectory, useEvents, useList } from '../../data/index.ts'
import { More, RelativeTime, SkeletonLines, Timeline } from '../../design/index.ts'

export function TaskHistory({ task }: { readonly task: Task }) {
  const { nameOf } = useDirectory()
  const list = useList<AuditEntry>('audit_entry', { target: task.id }, (atrium, cursor) =>
    atrium.auditLogs.list({ target: task.id, limit: 20, ...(cursor === undefined ? {} : { cursor }) }),
  )
  const { refetch } = list
  useEvents(
    useCallback(
      (event: AtriumEvent) => {
        if ((event.data.object as { readonly id?: string }).id === task.id) refetch()
      },
      [task.id, refetch],
    ),
  )
  if (list.error) return <ErrorState error={list.error} onRetry={list.refetch} plain />
  if (list.rows === undefined) return <SkeletonLines lines={3} />
  return (
    <>
      <Timeline
        label="History"
        entries={list.rows.map((entry) => ({
          key: entry.id,
          title: `${entry.actor.type === 'system' ? 'The operator' : nameOf(entry.actor.id)} ${wordsOf(entry)}`,
          time: <RelativeTime at={entry.created} />,
        }))}
      />
      <More hasMore={list.hasMore} busy={list.isLoadingMore} onMore={list.more} shown={list.rows.length} />
    </>
  )
}

const words: Readonly<Record<string, string>> = {
  'tasks.create': 'made the task',
  'tasks.batch': 'made the task',
  'tasks.complete': 'completed the task',
  'tasks.move': 'moved the task',
  'task_templates.instantiate': 'made the task from a template',
}

function wordsOf({ action, changed_fields }: AuditEntry): string {
  const known = words[action]
  if (known !== undefined) return known
  const fields = changed_fields.filter((name) => name !== 'updated' && name !== 'revision')
  if (action === 'tasks.update' && fields.length > 0) return `changed ${fields.join(', ').replaceAll('_', ' ')}`
  return `did ${action}`
}

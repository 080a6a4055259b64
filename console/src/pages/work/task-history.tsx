/** The history of a task from the audit log, newest first: who changed which fields. Values are not logged;
 * texts come from the events, and why an automation changed something from the step of its run. */
import type { AtriumEvent, AuditEntry, Task } from '@atrium/sdk'
import { useCallback } from 'react'
import { Link } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { fieldNames } from '../../app/tasks/values.ts'
import { useDirectory, useEvents, useList } from '../../data/index.ts'
import { inWords, More, RelativeTime, SkeletonLines, Timeline } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { hasTextChange, TextChange } from './text-change.tsx'

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
        label={t('History')}
        entries={list.rows.map((entry) => ({
          key: entry.id,
          title: `${entry.actor.type === 'system' ? t('Operator') : nameOf(entry.actor.id)} ${describeEntry(entry)}`,
          time: <RelativeTime at={entry.created} />,
          children: <Details entry={entry} />,
        }))}
      />
      <More hasMore={list.hasMore} busy={list.isLoadingMore} onMore={list.loadMore} shown={list.rows.length} />
    </>
  )
}

/** Null for an entry without more to show. */
function Details({ entry }: { readonly entry: AuditEntry }) {
  const step = stepOf(entry)
  if (step !== null) {
    return <Link href={step.href}>{t('Why: step “{node}” of the automation', { node: inWords(step.node) })}</Link>
  }
  return hasTextChange(entry) ? <TextChange entry={entry} /> : null
}

/** The step of a run that made the change (contract/16#authority); null for a change by anyone else. */
function stepOf({ actor, reason, workspace }: AuditEntry): { readonly node: string; readonly href: string } | null {
  const [, run, node] = (actor.type === 'automation' && /^Run (\w+), node (\w+)\.$/.exec(reason ?? '')) || []
  if (run === undefined || node === undefined || workspace === null) return null
  return { node, href: `/automations/runs/${run}?${new URLSearchParams({ workspace, step: node })}` }
}

const actions: Readonly<Record<string, string>> = {
  'tasks.create': t('created the task'),
  'tasks.batch': t('created the task'),
  'tasks.complete': t('completed the task'),
  'tasks.move': t('moved the task'),
  'task_templates.instantiate': t('created the task from a template'),
}

function describeEntry({ action, changed_fields }: AuditEntry): string {
  const fields = changed_fields.filter((name) => name !== 'updated' && name !== 'revision')
  const changed = fields.length === 0 ? t('the task') : fieldNames(fields)
  return actions[action] ?? t('changed {changed}', { changed })
}

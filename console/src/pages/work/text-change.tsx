/** The old and the new title or description of a change in a task's history, read from the event when it is opened. */
import '../../text/word-diff.css'
import type { AtriumEvent, AuditEntry, Task } from '@atrium/sdk'
import { lazy, Suspense, useState } from 'react'
import { ErrorState } from '../../app/error-state.tsx'
import { useList } from '../../data/index.ts'
import { Button, Skeleton } from '../../design/index.ts'
import { t } from '../../language/index.ts'

const WordDiff = lazy(() => import('../../text/word-diff.tsx').then((module) => ({ default: module.WordDiff })))

const texts = ['title', 'description'] as const

/** Whether the entry changed a text. */
export function hasTextChange({ action, changed_fields, request }: AuditEntry): boolean {
  return action === 'tasks.update' && request !== null && texts.some((name) => changed_fields.includes(name))
}

export function TextChange({ entry }: { readonly entry: AuditEntry }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button kind="quiet" size="s" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? t('Hide changes') : t('Show changes')}
      </Button>
      {isOpen && <Changes entry={entry} />}
    </>
  )
}

/** The events of the second in which the entry was written contain the entry's event. */
function Changes({ entry: { created, request, target } }: { readonly entry: AuditEntry }) {
  const { rows, error, refetch } = useList<AtriumEvent>('event', { text: target.id, created }, (atrium) =>
    atrium.events.list({ object: target.id, created_after: created - 1, created_before: created + 1, limit: 100 }),
  )
  if (error) return <ErrorState error={error} onRetry={refetch} plain />
  if (rows === undefined) return <Reading />
  const event = rows.find((each) => each.request?.id === request && each.data.previous_attributes !== null)
  if (event === undefined) return <p className="subtle">{t('The texts of this change are no longer kept.')}</p>
  const before = event.data.previous_attributes as Readonly<Record<string, unknown>>
  const after = event.data.object as Pick<Task, 'title' | 'description'>
  return (
    <Suspense fallback={<Reading />}>
      {texts
        .filter((name) => name in before)
        .map((name) => (
          <WordDiff key={name} before={String(before[name] ?? '')} after={String(after[name] ?? '')} />
        ))}
    </Suspense>
  )
}

/** As large as a text of one line, so that nothing moves when it comes. */
function Reading() {
  return (
    <div className="word-diff" aria-busy>
      <Skeleton width="60%" height="1lh" />
    </div>
  )
}

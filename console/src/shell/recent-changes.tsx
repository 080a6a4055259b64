/** One's own changes of tasks of the last day, each with Undo. A refusal stands at its change. */
import './recent-changes.css'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { describeError, undoneRequests, undoRequests, useApp, useMode } from '../data/index.ts'
import type { OwnChange } from '../data/shapes.ts'
import { Button, Dialog, Empty, RelativeTime, SkeletonLines } from '../design/index.ts'
import { t } from '../language/index.ts'
import { changeText } from './change-text.ts'

export function RecentChanges({ onClose }: { readonly onClose: () => void }) {
  const mode = useMode()
  const { data, error } = useApp('GET own-changes', { query: { mode } })
  return (
    <Dialog
      open
      onClose={onClose}
      size="l"
      title={t('My recent changes')}
      description={t(
        'Your changes to tasks in the last day. Undo is refused if something else has changed the same values since.',
      )}
    >
      {error ? <p role="alert">{describeError(error).text}</p> : null}
      {data === undefined && !error ? <SkeletonLines lines={6} /> : null}
      {data?.data.length === 0 && (
        <Empty plain title={t('No changes')}>
          {t('Changes you make to tasks are listed here for a day.')}
        </Empty>
      )}
      <ul className="recent-changes">
        {data?.data.map((change) => (
          <ChangeLine key={change.request} change={change} />
        ))}
      </ul>
    </Dialog>
  )
}

function ChangeLine({ change }: { readonly change: OwnChange }) {
  const client = useQueryClient()
  const mode = useMode()
  const [state, setState] = useState<'ready' | 'busy' | 'undone'>(() =>
    undoneRequests().includes(change.request) ? 'undone' : 'ready',
  )
  const [fault, setFault] = useState<string | null>(null)
  const undo = async () => {
    setState('busy')
    setFault(null)
    try {
      await undoRequests({ client, mode }, [change.request])
      setState('undone')
    } catch (error) {
      setFault(describeError(error).text)
      setState('ready')
    }
  }
  const text = changeText(change)
  return (
    <li className="recent-change">
      <span className="grow">
        <span className="recent-change-text">{text}</span>
        {fault !== null && (
          <span className="recent-change-fault" role="alert">
            {fault}
          </span>
        )}
      </span>
      <span className="subtle">
        <RelativeTime at={change.created} />
      </span>
      {change.is_undoable ? (
        <Button size="s" busy={state === 'busy'} disabled={state === 'undone'} onClick={() => void undo()}>
          {state === 'undone' ? t('Undone') : t('Undo')}
          <span className="unseen"> {text}</span>
        </Button>
      ) : (
        <span className="subtle">{t('Final')}</span>
      )}
    </li>
  )
}

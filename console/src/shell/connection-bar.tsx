/** Says that the server cannot be reached, which changes wait for it, and which of them need a decision. */
import './connection-bar.css'
import { CircleAlert, RefreshCw, WifiOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { useLostSince } from '../data/connection.ts'
import { discard, type Entry, sendAnyway, sendKept, useOutbox } from '../data/outbox.ts'
import { Button } from '../design/button.tsx'
import { Dialog } from '../design/dialog.tsx'
import { timeOfDay } from '../design/time.ts'
import { t } from '../language/index.ts'
import { entryText, valueText } from './entry-text.ts'

export function ConnectionBar() {
  const since = useLostSince()
  const entries = useOutbox()
  const [isOpen, setOpen] = useState(false)
  useEffect(sendKept, [])
  useWarning(entries.length > 0)
  const undecided = entries.filter(({ conflict }) => conflict !== null).length
  const waiting = entries.length - undecided
  const text = barText(since, waiting, undecided)
  const Icon = since !== null ? WifiOff : undecided > 0 ? CircleAlert : RefreshCw
  return (
    <>
      {createPortal(
        // Outside the root element, which an open dialog hides from screen readers.
        <div className="connection-bar" role="status" aria-live="polite">
          {text !== null && (
            <div className="connection-text">
              <Icon aria-hidden="true" />
              <span>{text}</span>
              {entries.length > 0 && (
                <Button size="s" onClick={() => setOpen(true)}>
                  {undecided > 0 ? t('Decide') : t('Show')}
                </Button>
              )}
            </div>
          )}
        </div>,
        document.body,
      )}
      {isOpen && entries.length > 0 && <OutboxDialog entries={entries} onClose={() => setOpen(false)} />}
    </>
  )
}

function barText(since: number | null, waiting: number, undecided: number): string | null {
  const parts = [
    since !== null && t('No connection since {time}.', { time: timeOfDay(since / 1000) }),
    waiting > 0 && (since === null ? sendingText(waiting) : keptText(waiting)),
    undecided > 0 && undecidedText(undecided),
  ].filter((part) => part !== false)
  return parts.length === 0 ? null : parts.join(' ')
}

function keptText(count: number): string {
  return t('{count, plural, one {# change is kept and will be sent.} other {# changes are kept and will be sent.}}', {
    count,
  })
}

function sendingText(count: number): string {
  return t('{count, plural, one {# change is being sent…} other {# changes are being sent…}}', { count })
}

function undecidedText(count: number): string {
  return t('{count, plural, one {# change needs your decision.} other {# changes need your decision.}}', { count })
}

/** The browser asks before it closes a page whose changes were not sent; they are also kept for the next one. */
function useWarning(isNeeded: boolean): void {
  useEffect(() => {
    if (!isNeeded) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isNeeded])
}

function OutboxDialog({ entries, onClose }: { readonly entries: readonly Entry[]; readonly onClose: () => void }) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('Changes not sent yet')}
      description={t('They are kept in this browser and sent in this order.')}
      actions={<Button onClick={onClose}>{t('Close')}</Button>}
    >
      <ul className="outbox">
        {entries.map((entry) => (
          <li key={entry.key}>
            <Line entry={entry} />
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

function Line({ entry }: { readonly entry: Entry }) {
  const { conflict } = entry
  return (
    <div className="outbox-line">
      <p className="outbox-what">{entryText(entry)}</p>
      {conflict?.kind === 'refused' && <p className="outbox-why">{conflict.message}</p>}
      {conflict?.kind === 'unknown' && (
        <p className="outbox-why">
          {t('It was sent without an answer long ago, so it may have been made. Look before you repeat it.')}
        </p>
      )}
      {conflict?.kind === 'unanswered' && (
        <p className="outbox-why">
          {t('There was no answer to it, although the server can be reached. Trying again does not make it twice.')}
        </p>
      )}
      {conflict?.kind === 'changed' &&
        Object.entries(conflict.theirs).map(([name, value]) => (
          <p key={name} className="outbox-why">
            {t('Another person changed {value} meanwhile.', { value: valueText(name, value) })}
          </p>
        ))}
      <div className="outbox-actions">
        {conflict !== null && (
          <Button size="s" onClick={() => sendAnyway(entry)}>
            {conflict.kind === 'changed'
              ? t('Apply mine')
              : conflict.kind === 'unknown'
                ? t('Send again')
                : t('Try again')}
          </Button>
        )}
        <Button size="s" kind="quiet" onClick={() => discard(entry)}>
          {conflict?.kind === 'changed' ? t('Keep theirs') : t('Discard')}
        </Button>
      </div>
    </div>
  )
}

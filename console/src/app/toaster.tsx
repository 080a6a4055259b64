/** Where toasts are shown. They wait while the pointer or the focus is on them; errors stay until they are closed. */
import './toaster.css'
import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { dismiss, type Toast, takeBack, useToasts } from '../data/toasts.ts'
import { Button, CopyText, IconButton } from '../design/index.ts'

const shown_ms = 5000
/** Longer where something can be taken back. */
const undo_ms = 9000

export function Toaster() {
  const toasts = useToasts()
  const [held, setHeld] = useState(false)
  // Outside of the page's own element: a dialog hides that from screen readers.
  return createPortal(
    <section
      className="toaster"
      aria-label="Notifications"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <div role="status" aria-live="polite" className="toaster-list">
        {toasts.map((each) => (
          <ToastView key={each.id} toast={each} held={held} />
        ))}
      </div>
    </section>,
    document.body,
  )
}

function ToastView({ toast, held }: { readonly toast: Toast; readonly held: boolean }) {
  const { id, text, detail, tone, request_id, undo, action } = toast
  useEffect(() => {
    if (held || tone === 'bad') return
    const timer = setTimeout(() => dismiss(id), undo === null ? shown_ms : undo_ms)
    return () => clearTimeout(timer)
  }, [held, tone, undo, id])
  return (
    <div className="toast" data-tone={tone}>
      {tone === 'bad' && <CircleAlert aria-hidden="true" className="toast-icon" />}
      {tone === 'good' && <CircleCheck aria-hidden="true" className="toast-icon" />}
      <div className="grow">
        <p className="toast-text">{text}</p>
        {detail && <p className="toast-detail">{detail}</p>}
        {request_id && (
          <CopyText text={request_id} label="Copy the request’s id" className="toast-request">
            {request_id}
          </CopyText>
        )}
      </div>
      {undo && (
        <Button size="s" onClick={() => takeBack(toast)}>
          Undo
        </Button>
      )}
      {action && (
        <Button
          size="s"
          onClick={() => {
            dismiss(id)
            action.run()
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton icon={X} label="Dismiss" size="s" onClick={() => dismiss(id)} />
    </div>
  )
}

/** Shows toasts. They stay while hovered or focused; errors stay until dismissed. */
import './toaster.css'
import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { dismiss, type Toast, undoToast, useToasts } from '../data/toasts.ts'
import { Button, IconButton } from '../design/button.tsx'
import { CopyText } from '../design/copy.tsx'
import { t } from '../language/index.ts'

const shown_ms = 5000
/** Time to use Undo. */
const undo_ms = 9000

export function Toaster() {
  const toasts = useToasts()
  const [isHeld, setHeld] = useState(false)
  // Outside the root element, which an open dialog hides from screen readers.
  return createPortal(
    <section
      className="toaster"
      aria-label={t('Notifications')}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <div role="status" aria-live="polite" className="toaster-list">
        {toasts.map((each) => (
          <ToastView key={each.id} toast={each} isHeld={isHeld} />
        ))}
      </div>
    </section>,
    document.body,
  )
}

function ToastView({ toast, isHeld }: { readonly toast: Toast; readonly isHeld: boolean }) {
  const { id, text, detail, tone, request_id, undo, action } = toast
  useEffect(() => {
    if (isHeld || tone === 'bad') return
    const timer = setTimeout(() => dismiss(id), undo === null ? shown_ms : undo_ms)
    return () => clearTimeout(timer)
  }, [isHeld, tone, undo, id])
  return (
    <div className="toast" data-tone={tone}>
      {tone === 'bad' && <CircleAlert aria-hidden="true" className="toast-icon" />}
      {tone === 'good' && <CircleCheck aria-hidden="true" className="toast-icon" />}
      <div className="grow">
        <p className="toast-text">{text}</p>
        {detail && <p className="toast-detail">{detail}</p>}
        {request_id && (
          <CopyText text={request_id} label={t('Copy request ID')} className="toast-request">
            {t('Copy request ID')}
          </CopyText>
        )}
      </div>
      {undo && (
        <Button size="s" onClick={() => undoToast(toast)}>
          {t('Undo')}
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
      <IconButton icon={X} label={t('Dismiss')} size="s" onClick={() => dismiss(id)} />
    </div>
  )
}

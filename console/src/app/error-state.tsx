/** An error in place of what could not be read, and one above the button of a form. */
import { Ban, CircleAlert, FileX2, RefreshCw, ShieldCheck } from 'lucide-react'
import { refused, told } from '../data/errors.ts'
import { stepUp } from '../data/step-up.ts'
import { Button } from '../design/button.tsx'
import { CopyText } from '../design/code-block.tsx'
import { Empty } from '../design/empty.tsx'
import { Notice } from '../design/notice.tsx'

interface ErrorStateProps {
  readonly error: unknown
  /** Reads again. */
  readonly onRetry?: () => void
  readonly plain?: boolean
}

export function ErrorState({ error, onRetry, plain = false }: ErrorStateProps) {
  if (refused(error, 'step_up_required')) return <ConfirmFirst onConfirmed={onRetry} plain={plain} />
  const { title, text, request_id, again } = told(error)
  const isGone = refused(error, 'resource_not_found', 'resource_deleted')
  const isForbidden = refused(error, 'insufficient_scope', 'role_required', 'plan_required')
  return (
    <Empty
      icon={isGone ? FileX2 : isForbidden ? Ban : CircleAlert}
      title={title}
      plain={plain}
      actions={
        again &&
        onRetry && (
          <Button icon={RefreshCw} onClick={onRetry}>
            Try again
          </Button>
        )
      }
    >
      <p>{text}</p>
      {request_id && (
        <CopyText text={request_id} label="Copy the request’s id">
          {request_id}
        </CopyText>
      )}
    </Empty>
  )
}

/** What is only shown to people who have just confirmed who they are. */
function ConfirmFirst({ onConfirmed, plain }: { onConfirmed: (() => void) | undefined; plain: boolean }) {
  const confirm = () => {
    stepUp().then(onConfirmed, () => {})
  }
  return (
    <Empty
      icon={ShieldCheck}
      title="Confirm that it is you"
      plain={plain}
      actions={
        <Button kind="primary" onClick={confirm}>
          Confirm
        </Button>
      }
    >
      Keys, secrets and endpoints are shown for ten minutes after you gave your password or passkey.
    </Empty>
  )
}

/** Above a form's button. A fault that stands at its field is not repeated: name the fields in `at`. */
export function FormError({ error, at = [] }: { readonly error: unknown; readonly at?: readonly string[] }) {
  if (error === null || error === undefined) return null
  const { title, text, request_id } = told(error)
  const param = (error as { param?: string | null }).param ?? null
  if (param !== null && at.includes(param.split(/[.[]/)[0] ?? '')) return null
  return (
    <Notice tone="bad" title={title}>
      {text}
      {request_id && (
        <div>
          <CopyText text={request_id} label="Copy the request’s id" />
        </div>
      )}
    </Notice>
  )
}

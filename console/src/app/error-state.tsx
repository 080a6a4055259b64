/** The error of a failed read, in place of the content, and the error of a form. */
import { Ban, CircleAlert, FileX2, RefreshCw, ShieldCheck } from 'lucide-react'
import { describeError, hasErrorCode } from '../data/errors.ts'
import { stepUp } from '../data/step-up.ts'
import { Button } from '../design/button.tsx'
import { CopyId } from '../design/copy.tsx'
import { Empty } from '../design/empty.tsx'
import { Notice } from '../design/notice.tsx'
import { t } from '../language/index.ts'
import { OtherOrganization } from './other-organization.tsx'

interface ErrorStateProps {
  readonly error: unknown
  /** Repeats the read. */
  readonly onRetry?: () => void
  readonly plain?: boolean
}

export function ErrorState({ error, onRetry, plain = false }: ErrorStateProps) {
  if (hasErrorCode(error, 'step_up_required')) return <ConfirmFirst onConfirmed={onRetry} plain={plain} />
  const { title, text, request_id, canRetry } = describeError(error)
  const isMissing = hasErrorCode(error, 'resource_not_found', 'resource_deleted')
  const isForbidden = hasErrorCode(error, 'insufficient_scope', 'role_required', 'plan_required')
  return (
    <>
      <Empty
        icon={isMissing ? FileX2 : isForbidden ? Ban : CircleAlert}
        title={title}
        plain={plain}
        actions={
          canRetry &&
          onRetry && (
            <Button icon={RefreshCw} onClick={onRetry}>
              {t('Try again')}
            </Button>
          )
        }
      >
        <p>{text}</p>
        {request_id && <CopyId id={request_id} label={t('Copy request ID')} />}
      </Empty>
      {isMissing && <OtherOrganization />}
    </>
  )
}

/** Shown instead of content that requires a recent step-up. */
function ConfirmFirst({ onConfirmed, plain }: { onConfirmed: (() => void) | undefined; plain: boolean }) {
  const confirm = () => {
    stepUp().then(onConfirmed, () => {})
  }
  return (
    <Empty
      icon={ShieldCheck}
      title={t('Confirm access')}
      plain={plain}
      actions={
        <Button kind="primary" onClick={confirm}>
          {t('Confirm')}
        </Button>
      }
    >
      {t('Keys, secrets and endpoints are shown for 10 minutes after you confirm your password or passkey.')}
    </Empty>
  )
}

/** The error above a form's button. Errors of the parameters in `fields` are shown at their fields instead. */
export function FormError({ error, fields = [] }: { readonly error: unknown; readonly fields?: readonly string[] }) {
  if (error === null || error === undefined) return null
  const { title, text, request_id } = describeError(error)
  const param = (error as { param?: string | null }).param ?? null
  if (param !== null && fields.includes(param.split(/[.[]/)[0] ?? '')) return null
  return (
    <Notice tone="bad" title={title}>
      {text}
      {request_id && (
        <div>
          <CopyId id={request_id} label={t('Copy request ID')} />
        </div>
      )}
    </Notice>
  )
}

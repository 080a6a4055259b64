/** Asks for the password or a passkey when an action requires a step-up; the action continues afterwards. */
import { lazy, Suspense, useEffect, useState } from 'react'
import { UserCanceled } from '../data/errors.ts'
import { useSessionState } from '../data/session-store.ts'
import { setStepUp } from '../data/step-up.ts'
import { t } from '../language/index.ts'

const StepUp = lazy(async () => ({ default: (await import('./step-up-dialog.tsx')).StepUp }))

interface StepUpRequest {
  readonly resolve: () => void
  readonly reject: (reason: UserCanceled) => void
}

export function StepUpHost() {
  const [request, setRequest] = useState<StepUpRequest | null>(null)
  useEffect(() => {
    setStepUp(() => new Promise<void>((resolve, reject) => setRequest({ resolve, reject })))
    return () => setStepUp(null)
  }, [])
  const session = useSessionState()
  if (request === null || !session?.signed_in) return null
  const close = (settle: () => void) => {
    setRequest(null)
    settle()
  }
  return (
    <Suspense>
      <StepUp
        hasPassword={session.has_password}
        hasPasskey={session.has_passkey}
        providers={session.providers}
        email={session.account.email}
        onDone={() => close(request.resolve)}
        onCancel={() => close(() => request.reject(new UserCanceled(t('The confirmation was canceled.'))))}
      />
    </Suspense>
  )
}

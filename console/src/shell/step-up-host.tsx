/** Asks for the password, a passkey or the second factor when an action requires it; the action continues afterwards. */
import { lazy, Suspense, useEffect, useState } from 'react'
import { UserCanceled } from '../data/errors.ts'
import { useSessionState } from '../data/session-store.ts'
import { type Proof, setStepUp } from '../data/step-up.ts'
import { t } from '../language/index.ts'

const StepUp = lazy(async () => ({ default: (await import('./step-up-dialog.tsx')).StepUp }))

const SecondFactor = lazy(async () => ({
  default: (await import('./second-factor-dialog.tsx')).SecondFactorDialog,
}))

interface StepUpRequest {
  readonly proof: Proof
  readonly resolve: () => void
  readonly reject: (reason: UserCanceled) => void
}

export function StepUpHost() {
  const [request, setRequest] = useState<StepUpRequest | null>(null)
  useEffect(() => {
    setStepUp((proof) => new Promise<void>((resolve, reject) => setRequest({ proof, resolve, reject })))
    return () => setStepUp(null)
  }, [])
  const session = useSessionState()
  if (request === null || !session?.signed_in) return null
  const close = (settle: () => void) => {
    setRequest(null)
    settle()
  }
  const cancel = () => close(() => request.reject(new UserCanceled(t('The confirmation was canceled.'))))
  const done = () => close(request.resolve)
  if (request.proof === 'second_factor') {
    return (
      <Suspense>
        <SecondFactor session={session} onDone={done} onCancel={cancel} />
      </Suspense>
    )
  }
  return (
    <Suspense>
      <StepUp
        hasPassword={session.has_password}
        hasPasskey={session.has_passkey}
        providers={session.providers}
        email={session.account.email}
        onDone={done}
        onCancel={cancel}
      />
    </Suspense>
  )
}

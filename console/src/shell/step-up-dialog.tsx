/** Asks for the password or a passkey when an action requires a step-up; the action continues afterwards. */
import { Fingerprint } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { hasPasskeys, stepUpWithPasskey } from '../app/passkeys.ts'
import { UsernameHint } from '../app/username-hint.tsx'
import { app } from '../data/app-api.ts'
import { describeError, UserCanceled } from '../data/errors.ts'
import { useSessionState } from '../data/session-store.ts'
import { setStepUp } from '../data/step-up.ts'
import { Button } from '../design/button.tsx'
import { Dialog } from '../design/dialog.tsx'
import { Field } from '../design/field.tsx'
import { PasswordInput } from '../design/input.tsx'

interface StepUpRequest {
  readonly resolve: () => void
  readonly reject: (reason: UserCanceled) => void
}

export function StepUpDialog() {
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
    <StepUp
      hasPassword={session.has_password}
      hasPasskey={session.has_passkey && hasPasskeys}
      email={session.account.email}
      onDone={() => close(request.resolve)}
      onCancel={() => close(() => request.reject(new UserCanceled('The confirmation was canceled.')))}
    />
  )
}

interface StepUpProps {
  readonly hasPassword: boolean
  readonly hasPasskey: boolean
  readonly email: string
  readonly onDone: () => void
  readonly onCancel: () => void
}

function StepUp({ hasPassword, hasPasskey, email, onDone, onCancel }: StepUpProps) {
  const [password, setPassword] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const { busy, error, attempt } = useAttempt(onDone, () => field.current?.select())
  const withPassword = () => attempt('password', () => app('POST step-up', { body: { password } }, { stepUp: false }))
  return (
    <Dialog
      open
      onClose={onCancel}
      size="s"
      title="Confirm access"
      description="This action needs a confirmation, which is valid for 10 minutes."
      onSubmit={() => hasPassword && password !== '' && busy === null && void withPassword()}
      actions={
        <>
          {hasPasskey && (
            <Button
              icon={Fingerprint}
              kind={hasPassword ? 'plain' : 'primary'}
              busy={busy === 'passkey'}
              onClick={() => void attempt('passkey', stepUpWithPasskey)}
            >
              Use a passkey
            </Button>
          )}
          {hasPassword && (
            <Button kind="primary" type="submit" busy={busy === 'password'} disabled={password === ''}>
              Confirm
            </Button>
          )}
        </>
      }
    >
      <UsernameHint email={email} />
      {hasPassword ? (
        <Field label="Password" error={error}>
          <PasswordInput
            ref={field}
            autoFocus
            autoComplete="current-password"
            value={password}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          />
        </Field>
      ) : (
        <p className="muted">{error ?? 'Your account has no password. Use your passkey.'}</p>
      )}
    </Dialog>
  )
}

type Method = 'password' | 'passkey'

/** Runs one attempt at a time. Closing the passkey dialog is not an error. */
function useAttempt(onDone: () => void, onError: () => void) {
  const [busy, setBusy] = useState<Method | null>(null)
  const [error, setError] = useState<string | null>(null)
  const attempt = async (method: Method, confirm: () => Promise<unknown>) => {
    setBusy(method)
    setError(null)
    try {
      await confirm()
      onDone()
    } catch (reason) {
      setBusy(null)
      if (reason instanceof UserCanceled) return
      setError(describeError(reason).text)
      onError()
    }
  }
  return { busy, error, attempt }
}

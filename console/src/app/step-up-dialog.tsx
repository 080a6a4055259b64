/** Asks the person to confirm with password or passkey, whenever something needs it; what was under way then goes on. */
import { Fingerprint } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { app } from '../data/app-api.ts'
import { Declined, told } from '../data/errors.ts'
import { useSessionState } from '../data/session-store.ts'
import { setStepUp } from '../data/step-up.ts'
import { Button } from '../design/button.tsx'
import { Dialog } from '../design/dialog.tsx'
import { Field } from '../design/field.tsx'
import { PasswordInput } from '../design/input.tsx'
import { hasPasskeys, stepUpWithPasskey } from './passkeys.ts'

interface Asked {
  readonly done: () => void
  readonly declined: (reason: Declined) => void
}

export function StepUpDialog() {
  const [asked, setAsked] = useState<Asked | null>(null)
  useEffect(() => {
    setStepUp(() => new Promise<void>((done, declined) => setAsked({ done, declined })))
    return () => setStepUp(null)
  }, [])
  const session = useSessionState()
  if (asked === null || !session?.signed_in) return null
  const end = (how: () => void) => {
    setAsked(null)
    how()
  }
  return (
    <StepUp
      hasPassword={session.has_password}
      hasPasskey={session.has_passkey && hasPasskeys}
      email={session.account.email}
      onDone={() => end(asked.done)}
      onCancel={() => end(() => asked.declined(new Declined('It was not confirmed.')))}
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
  const [busy, setBusy] = useState<'password' | 'passkey' | null>(null)
  const [error, setError] = useState<string | null>(null)
  const field = useRef<HTMLInputElement>(null)
  const attempt = async (way: 'password' | 'passkey', job: () => Promise<unknown>) => {
    setBusy(way)
    setError(null)
    try {
      await job()
      onDone()
    } catch (reason) {
      setBusy(null)
      if (reason instanceof Declined) return
      setError(told(reason).text)
      field.current?.select()
    }
  }
  const withPassword = () => attempt('password', () => app('POST step-up', { body: { password } }, { ask: false }))
  return (
    <Dialog
      open
      onClose={onCancel}
      size="s"
      title="Confirm that it is you"
      description="This touches keys, secrets, people or sign-in. You will not be asked again for ten minutes."
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
      <input type="text" className="unseen" autoComplete="username" value={email} readOnly tabIndex={-1} aria-hidden />
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
        <p className="muted">{error ?? 'Your account has a passkey and no password.'}</p>
      )}
    </Dialog>
  )
}

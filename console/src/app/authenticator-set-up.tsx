/** Sets up an authenticator app: its QR code, its first code, then the recovery codes. */
import { useEffect, useState } from 'react'
import { app } from '../data/app-api.ts'
import { fieldErrors, UserCanceled } from '../data/errors.ts'
import type { AuthenticatorSetUp } from '../data/shapes.ts'
import { Button, CopyText, Field, Input, SkeletonLines, submitHandler } from '../design/index.ts'
import { t } from '../language/index.ts'
import { useAttempt } from './attempt.ts'
import { FormError } from './error-state.tsx'
import { QrCode } from './qr-code.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'

interface SetUpProps {
  readonly onDone: () => void
  readonly onCancel: () => void
}

export function SetUpAuthenticator({ onDone, onCancel }: SetUpProps) {
  const [offered, setOffered] = useState<AuthenticatorSetUp | null>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const [error, setError] = useState<unknown>(null)
  useEffect(() => {
    let isMounted = true
    app('POST second-factor/authenticator/options', { body: {} }).then(
      (answer) => isMounted && setOffered(answer),
      (reason: unknown) => isMounted && (reason instanceof UserCanceled ? onCancel() : setError(reason)),
    )
    return () => {
      isMounted = false
    }
  }, [onCancel])
  if (codes !== null) return <RecoveryCodes codes={codes} onDone={onDone} />
  if (offered === null) return error === null ? <SkeletonLines lines={6} /> : <FormError error={error} />
  return <FirstCode offered={offered} onCodes={setCodes} onCancel={onCancel} />
}

interface FirstCodeProps {
  readonly offered: AuthenticatorSetUp
  readonly onCodes: (codes: readonly string[]) => void
  readonly onCancel: () => void
}

function FirstCode({ offered, onCodes, onCancel }: FirstCodeProps) {
  const [code, setCode] = useState('')
  const { busy, error, attempt } = useAttempt<'code'>()
  const isReady = /^\s*\d{3}\s?\d{3}\s*$/.test(code) && busy === null
  const send = () =>
    attempt('code', async () => {
      const body = { set_up: offered.set_up, code }
      onCodes((await app('POST second-factor/authenticator', { body })).recovery_codes)
    })
  return (
    <form className="stack" onSubmit={submitHandler(() => isReady && void send())}>
      <p className="muted">{t('Scan this code with an authenticator app, or type the key into it.')}</p>
      <QrCode text={offered.url} label={t('QR code for the authenticator app')} />
      <div>
        <CopyText text={offered.secret} />
      </div>
      <Field label={t('Code of the app')} hint={t('Six digits.')} error={fieldErrors(error).code}>
        <Input
          autoFocus
          inputMode="numeric"
          autoComplete="one-time-code"
          value={code}
          maxLength={10}
          onChange={({ currentTarget }) => setCode(currentTarget.value)}
        />
      </Field>
      <FormError error={error} fields={['code']} />
      <div className="row">
        <Button kind="primary" type="submit" busy={busy !== null} disabled={!isReady}>
          {t('Continue')}
        </Button>
        <Button onClick={onCancel}>{t('Cancel')}</Button>
      </div>
    </form>
  )
}

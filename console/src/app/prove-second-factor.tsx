/** Proves the second factor of the account: by a code of the app, a recovery code or a passkey. */
import { Fingerprint } from 'lucide-react'
import { useState } from 'react'
import { app } from '../data/app-api.ts'
import { fieldErrors } from '../data/errors.ts'
import type { SignedIn } from '../data/shapes.ts'
import { Button, Field, Input, submitHandler } from '../design/index.ts'
import { t } from '../language/index.ts'
import { useAttempt } from './attempt.ts'
import { FormError } from './error-state.tsx'
import { hasPasskeys, stepUpWithPasskey } from './passkeys.ts'

interface ProveProps {
  readonly session: SignedIn
  readonly onDone?: () => void
}

export function ProveSecondFactor({ session, onDone }: ProveProps) {
  const [code, setCode] = useState('')
  const { busy, error, attempt } = useAttempt<'code' | 'passkey'>({ onDone })
  const withPasskey = session.has_passkey && session.passkeys_unavailable === null && hasPasskeys
  const isReady = code.trim().length >= 6 && busy === null
  const send = () => attempt('code', () => app('POST second-factor', { body: { code } }))
  return (
    <>
      <form className="stack" onSubmit={submitHandler(() => isReady && void send())}>
        <Field
          label={t('Code')}
          hint={t(
            'Of your authenticator app, or a recovery code. If you have lost both, ask the operator of the server.',
          )}
          error={fieldErrors(error).code}
        >
          <Input
            autoFocus
            autoComplete="one-time-code"
            autoCapitalize="characters"
            value={code}
            maxLength={40}
            onChange={({ currentTarget }) => setCode(currentTarget.value)}
          />
        </Field>
        <FormError error={error} fields={['code']} />
        <Button kind="primary" type="submit" busy={busy === 'code'} disabled={!isReady}>
          {t('Continue')}
        </Button>
      </form>
      {withPasskey && (
        <>
          <p className="public-or">{t('or')}</p>
          <div className="stack">
            <Button
              icon={Fingerprint}
              busy={busy === 'passkey'}
              onClick={() => void attempt('passkey', stepUpWithPasskey)}
            >
              {t('Use a passkey')}
            </Button>
          </div>
        </>
      )}
    </>
  )
}

/** The dialog that asks for the password, a passkey, or a new sign-in at the person's OpenID provider. */
import { Fingerprint, LogIn } from 'lucide-react'
import { useRef, useState } from 'react'
import { useAttempt } from '../app/attempt.ts'
import { confirmByProvider } from '../app/openid.ts'
import { hasPasskeys, stepUpWithPasskey } from '../app/passkeys.ts'
import { UsernameHint } from '../app/username-hint.tsx'
import { app } from '../data/app-api.ts'
import { describeError } from '../data/errors.ts'
import { Button } from '../design/button.tsx'
import { Dialog } from '../design/dialog.tsx'
import { Field } from '../design/field.tsx'
import { PasswordInput } from '../design/input.tsx'
import { t } from '../language/index.ts'

interface StepUpProps {
  readonly hasPassword: boolean
  readonly hasPasskey: boolean
  readonly providers: readonly { readonly id: string; readonly name: string }[]
  readonly email: string
  readonly onDone: () => void
  readonly onCancel: () => void
}

export function StepUp({ hasPassword, hasPasskey, providers, email, onDone, onCancel }: StepUpProps) {
  const [password, setPassword] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const { busy, error: reason, attempt } = useAttempt<string>({ onDone, onFailed: () => field.current?.select() })
  const error = reason === null ? null : describeError(reason).text
  const withPassword = () => attempt('password', () => app('POST step-up', { body: { password } }, { stepUp: false }))
  return (
    <Dialog
      open
      onClose={onCancel}
      size="s"
      title={t('Confirm access')}
      description={t('This action needs a confirmation, which is valid for 10 minutes.')}
      onSubmit={() => hasPassword && password !== '' && busy === null && void withPassword()}
      actions={
        <>
          {providers.map(({ id, name }) => (
            <Button
              key={id}
              icon={LogIn}
              kind={hasPassword || hasPasskey ? 'plain' : 'primary'}
              busy={busy === `openid ${id}`}
              onClick={() => void attempt(`openid ${id}`, () => confirmByProvider(id))}
            >
              {t('Confirm with {name}', { name })}
            </Button>
          ))}
          {hasPasskey && hasPasskeys && (
            <Button
              icon={Fingerprint}
              kind={hasPassword ? 'plain' : 'primary'}
              busy={busy === 'passkey'}
              onClick={() => void attempt('passkey', stepUpWithPasskey)}
            >
              {t('Use a passkey')}
            </Button>
          )}
          {hasPassword && (
            <Button kind="primary" type="submit" busy={busy === 'password'} disabled={password === ''}>
              {t('Confirm')}
            </Button>
          )}
        </>
      }
    >
      <UsernameHint email={email} />
      {hasPassword ? (
        <Field label={t('Password')} error={error}>
          <PasswordInput
            ref={field}
            autoFocus
            autoComplete="current-password"
            value={password}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          />
        </Field>
      ) : (
        <p className="muted">{error ?? withoutPassword(hasPasskey, providers.length > 0)}</p>
      )}
    </Dialog>
  )
}

function withoutPassword(hasPasskey: boolean, hasProvider: boolean): string {
  if (!hasProvider) return t('Your account has no password. Use your passkey.')
  const other = hasPasskey ? t(', or use your passkey') : ''
  return t('Your account has no password. Sign in again at your provider, in a window of its own{other}.', { other })
}

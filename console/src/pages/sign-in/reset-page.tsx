/** Sets a new password by the link from a mail. */
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { FormError } from '../../app/error-state.tsx'
import { PublicFrame } from '../../app/public-frame.tsx'
import { UsernameHint } from '../../app/username-hint.tsx'
import { app } from '../../data/app-api.ts'
import { describeError, fieldErrors, hasErrorCode } from '../../data/errors.ts'
import { Button, ButtonLink, Field, PasswordInput, SkeletonLines, submitHandler } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { forgetLinkToken, linkToken } from './link-token.ts'

const password_chars_min = 10

export function ResetPage() {
  const [token] = useState(linkToken)
  const [email, setEmail] = useState<string | null>(null)
  const [error, setError] = useState<unknown>(null)
  useEffect(() => {
    let isMounted = true
    if (token === '') return
    app('POST password/reset/link', { body: { token } }).then(
      (link) => isMounted && setEmail(link.email),
      (reason: unknown) => isMounted && setError(reason),
    )
    return () => {
      isMounted = false
    }
  }, [token])
  if (token === '' || error !== null) return <LinkFailure error={error} />
  if (email !== null) return <PasswordForm token={token} email={email} />
  return (
    <PublicFrame title={t('Checking the link')}>
      <SkeletonLines lines={4} />
    </PublicFrame>
  )
}

function LinkFailure({ error }: { readonly error: unknown }) {
  const isInvalid = error === null || hasErrorCode(error, 'link_invalid')
  return (
    <PublicFrame title={isInvalid ? t('This link is not valid') : describeError(error).title}>
      <p className="muted">
        {isInvalid
          ? t(
              'It was already used, it has expired, or part of it is missing. Links to a new password work once, for an hour.',
            )
          : describeError(error).text}
      </p>
      <ButtonLink to="/forgot-password" kind="primary">
        {t('Ask for another link')}
      </ButtonLink>
    </PublicFrame>
  )
}

function PasswordForm({ token, email }: { readonly token: string; readonly email: string }) {
  const [, navigate] = useLocation()
  const [password, setPassword] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const isReady = [...password].length >= password_chars_min && !busy
  const reset = async () => {
    setBusy(true)
    setError(null)
    try {
      await app('POST password/reset', { body: { token, password } })
      forgetLinkToken()
      navigate('/', { replace: true })
    } catch (reason) {
      setError(reason)
      setBusy(false)
    }
  }
  return (
    <PublicFrame
      title={t('Choose a new password')}
      description={t(
        'For {email}. All sessions of the account end, in all its organizations, and its passkeys unless one of these requires a second factor.',
        { email },
      )}
    >
      <form className="stack" onSubmit={submitHandler(() => isReady && void reset())}>
        <UsernameHint email={email} />
        <Field
          label={t('New password')}
          hint={t('At least {password_chars_min} characters. A few random words are easy to remember.', {
            password_chars_min,
          })}
          error={fieldErrors(error).password}
        >
          <PasswordInput
            autoFocus
            autoComplete="new-password"
            value={password}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          />
        </Field>
        <FormError error={error} fields={['password']} />
        <Button kind="primary" type="submit" busy={busy} disabled={!isReady}>
          {t('Set password and sign in')}
        </Button>
      </form>
    </PublicFrame>
  )
}

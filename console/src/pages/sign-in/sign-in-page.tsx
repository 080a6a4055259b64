/** Sign-in with a password, a passkey or an OpenID provider. */
import { Fingerprint, LogIn } from 'lucide-react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { signInByProvider } from '../../app/openid.ts'
import { hasPasskeys, signInWithPasskey } from '../../app/passkeys.ts'
import { PublicFrame } from '../../app/public-frame.tsx'
import { app, loadSession } from '../../data/app-api.ts'
import { describeError, hasErrorCode, UserCanceled } from '../../data/errors.ts'
import type { Session } from '../../data/shapes.ts'
import { Button, Field, Input, Notice, PasswordInput, submitHandler } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { nextPath } from './next.ts'

export function SignInPage({ session }: { readonly session: Session }) {
  const [, navigate] = useLocation()
  const search = useSearch()
  // As it was sent: the router decodes the search once more.
  const next = nextPath(location.search)
  useEffect(() => {
    if (session.signed_in) navigate(next, { replace: true })
  }, [session.signed_in, next, navigate])
  const hasEnded = new URLSearchParams(search).has('ended')
  useEffect(() => {
    // The page that noticed the end knows the providers of the account only.
    if (hasEnded) loadSession().catch(() => {})
  }, [hasEnded])
  if (!session.secure) return <HttpsRequired url={session.public_url} />
  return (
    <PublicFrame
      title={t('Sign in')}
      foot={
        <>
          <Link href="/forgot-password">{t('Forgot your password?')}</Link>{' '}
          {t('No account? Ask an owner of your organization for an invitation.')}
        </>
      }
    >
      {hasEnded && <Notice title={t('Your session has ended')}>{t('Sign in to continue where you left off.')}</Notice>}
      <SignInForm
        passkeys={session.passkeys_unavailable === null && hasPasskeys}
        providers={session.providers}
        next={next}
      />
    </PublicFrame>
  )
}

/** `password`, `passkey`, or the id of a provider. */
type Way = string

interface SignInFormProps {
  readonly passkeys: boolean
  readonly providers: Session['providers']
  readonly next: string
}

function SignInForm({ passkeys, providers, next }: SignInFormProps) {
  const [busy, setBusy] = useState<Way | null>(null)
  const [error, setError] = useState<unknown>(null)
  const passwordField = useRef<HTMLInputElement>(null)
  const attempt = async (way: Way, signIn: () => Promise<unknown>) => {
    setBusy(way)
    setError(null)
    try {
      await signIn()
    } catch (reason) {
      setBusy(null)
      if (reason instanceof UserCanceled) return
      setError(reason)
      passwordField.current?.select()
    }
  }
  return (
    <>
      <PasswordForm
        field={passwordField}
        busy={busy}
        error={error}
        onSubmit={(body) => void attempt('password', () => app('POST session', { body }))}
      />
      {(passkeys || providers.length > 0) && <p className="public-or">{t('or')}</p>}
      <div className="stack">
        {passkeys && (
          <Button
            icon={Fingerprint}
            busy={busy === 'passkey'}
            onClick={() => void attempt('passkey', signInWithPasskey)}
          >
            {t('Use a passkey')}
          </Button>
        )}
        {providers.map(({ id, name }) => (
          <Button
            key={id}
            icon={LogIn}
            busy={busy === `openid ${id}`}
            onClick={() => void attempt(`openid ${id}`, () => signInByProvider(id, next))}
          >
            {t('Continue with {name}', { name })}
          </Button>
        ))}
      </div>
    </>
  )
}

interface PasswordFormProps {
  readonly field: RefObject<HTMLInputElement | null>
  readonly busy: Way | null
  readonly error: unknown
  readonly onSubmit: (credentials: { readonly email: string; readonly password: string }) => void
}

function PasswordForm({ field, busy, error, onSubmit }: PasswordFormProps) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const isReady = email.trim() !== '' && password !== ''
  const submit = () => {
    if (isReady && busy === null) onSubmit({ email: email.trim(), password })
  }
  return (
    <form className="stack" onSubmit={submitHandler(submit)}>
      <Field label={t('Email')}>
        <Input
          type="email"
          autoComplete="username webauthn"
          autoCapitalize="none"
          autoFocus
          value={email}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
        />
      </Field>
      <Field label={t('Password')}>
        <PasswordInput
          ref={field}
          autoComplete="current-password"
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
        />
      </Field>
      <SignInError error={error} />
      <Button kind="primary" type="submit" busy={busy === 'password'} disabled={!isReady}>
        {t('Sign in')}
      </Button>
    </form>
  )
}

function SignInError({ error }: { readonly error: unknown }) {
  if (error === null) return null
  const { title, text } = describeError(error)
  const isWrong = hasErrorCode(error, 'sign_in_failed')
  return (
    <Notice tone="bad" {...(isWrong ? {} : { title })}>
      {text}
    </Notice>
  )
}

function HttpsRequired({ url }: { readonly url: string }) {
  return (
    <PublicFrame title={t('HTTPS required')}>
      <Notice tone="warn" title={t('You cannot sign in over plain HTTP')}>
        {t(
          'Passwords and sessions would be readable in transit. The public URL of this server is {url}. The operator has to put an HTTPS proxy in front of the server and set ATRIUM_PUBLIC_URL to the address of the proxy.',
          { url },
        )}
      </Notice>
    </PublicFrame>
  )
}

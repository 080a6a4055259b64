/** Signing in with password or passkey. */
import { Fingerprint } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { hasPasskeys, signInWithPasskey } from '../../app/passkeys.ts'
import { app } from '../../data/app-api.ts'
import { Declined, refused, told } from '../../data/errors.ts'
import type { Session } from '../../data/shapes.ts'
import { Button, Field, Input, Notice, PasswordInput, sending } from '../../design/index.ts'
import { nextPath } from './next.ts'
import { PublicFrame } from './public-frame.tsx'

export function SignInPage({ session }: { readonly session: Session }) {
  const [, navigate] = useLocation()
  const search = useSearch()
  useEffect(() => {
    if (session.signed_in) navigate(nextPath(search), { replace: true })
  }, [session.signed_in, search, navigate])
  if (!session.secure) return <HttpsNeeded url={session.public_url} />
  return (
    <PublicFrame
      title="Sign in"
      foot="No account, or the password is lost? Ask an owner of your organization for an invitation, or whoever runs the server for a link: atrium link create."
    >
      {new URLSearchParams(search).has('ended') && (
        <Notice title="Your session has ended">Sign in to go on where you were.</Notice>
      )}
      <SignInForm passkeys={session.passkeys_unavailable === null && hasPasskeys} />
    </PublicFrame>
  )
}

function SignInForm({ passkeys }: { readonly passkeys: boolean }) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [busy, setBusy] = useState<'password' | 'passkey' | null>(null)
  const [error, setError] = useState<unknown>(null)
  const field = useRef<HTMLInputElement>(null)
  const attempt = async (way: 'password' | 'passkey', job: () => Promise<unknown>) => {
    setBusy(way)
    setError(null)
    try {
      await job()
    } catch (reason) {
      setBusy(null)
      if (reason instanceof Declined) return
      setError(reason)
      field.current?.select()
    }
  }
  const missing = email.trim() === '' || password === ''
  return (
    <>
      <form
        className="stack"
        onSubmit={sending(() => {
          const body = { email: email.trim(), password }
          if (!missing && busy === null) void attempt('password', () => app('POST session', { body }))
        })}
      >
        <Field label="Email">
          <Input
            type="email"
            autoComplete="username webauthn"
            autoCapitalize="none"
            autoFocus
            value={email}
            onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          />
        </Field>
        <Field label="Password">
          <PasswordInput
            ref={field}
            autoComplete="current-password"
            value={password}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          />
        </Field>
        <SignInError error={error} />
        <Button kind="primary" type="submit" busy={busy === 'password'} disabled={missing}>
          Sign in
        </Button>
      </form>
      {passkeys && (
        <>
          <p className="public-or">or</p>
          <Button
            icon={Fingerprint}
            busy={busy === 'passkey'}
            onClick={() => void attempt('passkey', signInWithPasskey)}
          >
            Use a passkey
          </Button>
        </>
      )}
    </>
  )
}

function SignInError({ error }: { readonly error: unknown }) {
  if (error === null) return null
  const { title, text } = told(error)
  const isWrong = refused(error, 'sign_in_failed')
  return (
    <Notice tone="bad" {...(isWrong ? {} : { title })}>
      {text}
    </Notice>
  )
}

function HttpsNeeded({ url }: { readonly url: string }) {
  return (
    <PublicFrame title="HTTPS is needed">
      <Notice tone="warn" title="Nobody can sign in over plain HTTP">
        {`Passwords and sessions would be readable on the way. The public URL of this server is ${url}. Whoever runs it puts a proxy with HTTPS before it and sets PUBLIC_URL to that address.`}
      </Notice>
    </PublicFrame>
  )
}

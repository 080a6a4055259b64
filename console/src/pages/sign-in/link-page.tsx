/**
 * Where a one-time link leads: the first owner's set-up, an invitation, a password that was lost. The link's token stands
 * behind the # of the address, which no server and no log sees, and is taken out of the address at once.
 */
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { FormError } from '../../app/error-state.tsx'
import { app } from '../../data/app-api.ts'
import { faultsOf, refused, told } from '../../data/errors.ts'
import type { Link, Session } from '../../data/shapes.ts'
import { Button, ButtonLink, Field, Notice, PasswordInput, SkeletonLines, sending } from '../../design/index.ts'
import { PublicFrame } from './public-frame.tsx'

export const password_characters_min = 10

/** Read once, before the page is drawn a second time. */
let kept: string | null = null

function takeToken(): string {
  const token = location.hash.slice(1)
  if (token !== '') {
    kept = token
    history.replaceState(history.state, '', location.pathname + location.search)
  }
  return kept ?? ''
}

export function LinkPage({ session }: { readonly session: Session }) {
  const [token] = useState(takeToken)
  const [link, setLink] = useState<Link | null>(null)
  const [error, setError] = useState<unknown>(null)
  useEffect(() => {
    let isHere = true
    if (token === '') return
    app('POST set-up/link', { body: { token } }).then(
      (found) => isHere && setLink(found),
      (reason: unknown) => isHere && setError(reason),
    )
    return () => {
      isHere = false
    }
  }, [token])
  if (token === '' || error !== null) return <NoLink error={error} session={session} />
  if (link === null) {
    return (
      <PublicFrame title="One moment">
        <SkeletonLines lines={4} />
      </PublicFrame>
    )
  }
  return <LinkForm token={token} link={link} />
}

function NoLink({ error, session }: { readonly error: unknown; readonly session: Session }) {
  const isOver = error === null || refused(error, 'link_invalid')
  const title = isOver ? 'This link does not work any more' : told(error).title
  return (
    <PublicFrame title={title}>
      <p className="muted">
        {isOver
          ? 'It was used, it is over, or a part of it is missing. Links work once: set-up links for 15 minutes, invitations for 7 days. Ask whoever sent it for another one.'
          : told(error).text}
      </p>
      <ButtonLink to={session.signed_in ? '/' : '/sign-in'} kind="primary">
        {session.signed_in ? 'Home' : 'Sign in'}
      </ButtonLink>
    </PublicFrame>
  )
}

const titles = {
  set_up: ({ organization }: Link) => `Set up ${organization.name}`,
  invitation: ({ organization }: Link) => `Join ${organization.name}`,
  reset: () => 'Choose a new password',
}

function LinkForm({ token, link }: { readonly token: string; readonly link: Link }) {
  const [, navigate] = useLocation()
  const [password, setPassword] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const isNew = !link.has_account || link.kind === 'reset'
  const isShort = isNew && [...password].length < password_characters_min
  const send = async () => {
    setBusy(true)
    setError(null)
    try {
      await app('POST set-up', { body: { token, password } })
      kept = null
      navigate('/', { replace: true })
    } catch (reason) {
      setError(reason)
      setBusy(false)
    }
  }
  return (
    <PublicFrame title={titles[link.kind](link)} description={about(link)}>
      <form className="stack" onSubmit={sending(() => !isShort && !busy && void send())}>
        <input
          type="email"
          className="unseen"
          autoComplete="username"
          value={link.email}
          readOnly
          tabIndex={-1}
          aria-hidden
        />
        <Field
          label={isNew ? 'New password' : 'Password'}
          hint={
            isNew
              ? `At least ${password_characters_min} characters. A few words in a row are easy to keep in mind.`
              : undefined
          }
          error={faultsOf(error).password}
        >
          <PasswordInput
            autoFocus
            autoComplete={isNew ? 'new-password' : 'current-password'}
            value={password}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          />
        </Field>
        <FormError error={error} at={['password']} />
        <Button kind="primary" type="submit" busy={busy} disabled={isShort || password === ''}>
          {link.kind === 'reset' ? 'Set password and sign in' : 'Continue'}
        </Button>
      </form>
      {!link.has_account && link.kind === 'invitation' && (
        <Notice>You can add a passkey later, under Settings → Security.</Notice>
      )}
    </PublicFrame>
  )
}

function about({ kind, email, role, has_account }: Link): string {
  const as = { owner: 'an owner', admin: 'an admin', member: 'a member' }[role]
  if (kind === 'reset') return `For ${email}. All sessions of the account end.`
  if (has_account) return `You are ${as} as ${email}. Give the password of your account to join.`
  return `You are ${as}. You will sign in as ${email}.`
}

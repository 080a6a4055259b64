/**
 * The target of a one-time link: the first owner's set-up, an invitation, or a lost password. The token is the fragment of
 * the URL, which browsers do not send to servers; the page removes it from the address bar at once.
 */
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { FormError } from '../../app/error-state.tsx'
import { PublicFrame } from '../../app/public-frame.tsx'
import { UsernameHint } from '../../app/username-hint.tsx'
import { app } from '../../data/app-api.ts'
import { describeError, fieldErrors, hasErrorCode } from '../../data/errors.ts'
import type { AccountLink, Session } from '../../data/shapes.ts'
import {
  Button,
  ButtonLink,
  Field,
  Input,
  Notice,
  PasswordInput,
  SkeletonLines,
  submitHandler,
} from '../../design/index.ts'
import { t } from '../../language/index.ts'

const password_chars_min = 10

/** Kept outside the component: when the page is mounted again, the fragment is already removed. */
let token_read: string | null = null

function readToken(): string {
  const token = location.hash.slice(1)
  if (token !== '') {
    token_read = token
    history.replaceState(history.state, '', location.pathname + location.search)
  }
  return token_read ?? ''
}

export function LinkPage({ session }: { readonly session: Session }) {
  const [token] = useState(readToken)
  const [link, setLink] = useState<AccountLink | null>(null)
  const [error, setError] = useState<unknown>(null)
  useEffect(() => {
    let isMounted = true
    if (token === '') return
    app('POST set-up/link', { body: { token } }).then(
      (found) => isMounted && setLink(found),
      (reason: unknown) => isMounted && setError(reason),
    )
    return () => {
      isMounted = false
    }
  }, [token])
  if (token === '' || error !== null) return <LinkFailure error={error} session={session} />
  if (link === null) {
    return (
      <PublicFrame title={t('Checking the link')}>
        <SkeletonLines lines={4} />
      </PublicFrame>
    )
  }
  return <LinkForm token={token} link={link} />
}

function LinkFailure({ error, session }: { readonly error: unknown; readonly session: Session }) {
  const isInvalid = error === null || hasErrorCode(error, 'link_invalid')
  const title = isInvalid ? t('This link is not valid') : describeError(error).title
  return (
    <PublicFrame title={title}>
      <p className="muted">
        {isInvalid
          ? t(
              'It was already used, it has expired, or part of it is missing. Links work once: set-up links for 15 minutes, invitations for 7 days. Ask the sender for a new one.',
            )
          : describeError(error).text}
      </p>
      <ButtonLink to={session.signed_in ? '/' : '/sign-in'} kind="primary">
        {session.signed_in ? t('Home') : t('Sign in')}
      </ButtonLink>
    </PublicFrame>
  )
}

const titles = {
  set_up: ({ organization }: AccountLink) => t('Set up {name}', { name: organization.name }),
  invitation: ({ organization }: AccountLink) => t('Join {name}', { name: organization.name }),
  reset: () => t('Choose a new password'),
}

function LinkForm({ token, link }: { readonly token: string; readonly link: AccountLink }) {
  const [, navigate] = useLocation()
  const [password, setPassword] = useState('')
  const [name, setName] = useState({ first_name: '', last_name: '' })
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const isReady = [...password].length >= password_chars_min
  const accept = async () => {
    setBusy(true)
    setError(null)
    try {
      await app('POST set-up', { body: { token, password } })
      await saveName(name)
      token_read = null
      navigate('/', { replace: true })
    } catch (reason) {
      setError(reason)
      setBusy(false)
    }
  }
  return (
    <PublicFrame title={titles[link.kind](link)} description={describeLink(link)}>
      <form className="stack" onSubmit={submitHandler(() => isReady && !busy && void accept())}>
        <UsernameHint email={link.email} />
        {link.kind !== 'reset' && <NameFields value={name} onChange={setName} />}
        <LinkPassword
          value={password}
          onChange={setPassword}
          error={fieldErrors(error).password}
          isFirst={link.kind === 'reset'}
        />
        <FormError error={error} fields={['password']} />
        <Button kind="primary" type="submit" busy={busy} disabled={!isReady}>
          {link.kind === 'reset' ? t('Set password and sign in') : t('Continue')}
        </Button>
      </form>
      {link.kind === 'invitation' && <Notice>{t('You can add a passkey later, under Settings → Security.')}</Notice>}
    </PublicFrame>
  )
}

interface Name {
  readonly first_name: string
  readonly last_name: string
}

/** The name can be given later, so its failure does not keep anyone from signing in. */
async function saveName({ first_name, last_name }: Name): Promise<void> {
  const body = { first_name: first_name.trim() || null, last_name: last_name.trim() || null }
  if (body.first_name !== null || body.last_name !== null) await app('PATCH profile', { body }).catch(() => {})
}

function NameFields({ value, onChange }: { readonly value: Name; readonly onChange: (name: Name) => void }) {
  return (
    <div className="grid" style={{ '--least': '10rem' }}>
      <Field label={t('First name')} hint={t('As your team reads it')}>
        <Input
          autoFocus
          autoComplete="given-name"
          maxLength={200}
          value={value.first_name}
          onChange={({ currentTarget }) => onChange({ ...value, first_name: currentTarget.value })}
        />
      </Field>
      <Field label={t('Last name')}>
        <Input
          autoComplete="family-name"
          maxLength={200}
          value={value.last_name}
          onChange={({ currentTarget }) => onChange({ ...value, last_name: currentTarget.value })}
        />
      </Field>
    </div>
  )
}

interface LinkPasswordProps {
  readonly value: string
  readonly onChange: (password: string) => void
  readonly error: string | undefined
  /** Whether it is the first field of the form. */
  readonly isFirst: boolean
}

function LinkPassword({ value, onChange, error, isFirst }: LinkPasswordProps) {
  const hint = t('At least {password_chars_min} characters. A few random words are easy to remember.', {
    password_chars_min,
  })
  return (
    <Field label={t('New password')} hint={hint} error={error}>
      <PasswordInput
        autoFocus={isFirst}
        autoComplete="new-password"
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </Field>
  )
}

function describeLink({ kind, email, role, organization }: AccountLink): string {
  const as = { owner: t('an owner'), admin: t('an admin'), member: t('a member'), guest: t('a guest') }[role]
  if (kind === 'reset') {
    return t('For {email} in {name}. This ends your sessions there. Your other organizations keep their password.', {
      email,
      name: organization.name,
    })
  }
  return t(
    'You join as {as}. Your sign-in is {email}. To join with an account that you already have under this address, enter its password.',
    { as, email },
  )
}

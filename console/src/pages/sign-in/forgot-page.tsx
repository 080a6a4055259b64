/** Asks for a mail with a link to a new password. The answer is the same for every address. */
import { useState } from 'react'
import { PublicFrame } from '../../app/public-frame.tsx'
import { app } from '../../data/app-api.ts'
import { describeError } from '../../data/errors.ts'
import type { Session } from '../../data/shapes.ts'
import { Button, ButtonLink, Field, Input, Notice, submitHandler } from '../../design/index.ts'
import { t } from '../../language/index.ts'

export function ForgotPage({ session }: { readonly session: Session }) {
  const [asked, setAsked] = useState<string | null>(null)
  if (!session.mail) return <NoMail />
  if (asked !== null) return <Asked email={asked} />
  return <ForgotForm onAsked={setAsked} />
}

function NoMail() {
  return (
    <PublicFrame title={t('Forgot your password?')}>
      <p className="muted">
        {t('This server sends no mail. Ask its operator for a link to a new password (atrium link create).')}
      </p>
      <ButtonLink to="/sign-in">{t('Sign in')}</ButtonLink>
    </PublicFrame>
  )
}

function Asked({ email }: { readonly email: string }) {
  return (
    <PublicFrame
      title={t('Look into your mailbox')}
      foot={t(
        'No mail? Look into the folder for spam. A link is only sent to an address that was confirmed; otherwise ask the operator of this server for one (atrium link create).',
      )}
    >
      <p className="muted">
        {t(
          'If {email} belongs to an account, a mail with a link to a new password is on its way. The link works once, for an hour.',
          { email },
        )}
      </p>
      <ButtonLink to="/sign-in">{t('Sign in')}</ButtonLink>
    </PublicFrame>
  )
}

function ForgotForm({ onAsked }: { readonly onAsked: (email: string) => void }) {
  const [email, setEmail] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const isReady = email.trim() !== '' && !busy
  const ask = async () => {
    setBusy(true)
    setError(null)
    try {
      await app('POST password/forgot', { body: { email: email.trim() } })
      onAsked(email.trim())
    } catch (reason) {
      setError(reason)
      setBusy(false)
    }
  }
  return (
    <PublicFrame title={t('Forgot your password?')} description={t('You get a mail with a link to a new one.')}>
      <form className="stack" onSubmit={submitHandler(() => isReady && void ask())}>
        <Field label={t('Email')}>
          <Input
            type="email"
            autoComplete="username"
            autoCapitalize="none"
            autoFocus
            value={email}
            onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          />
        </Field>
        {error !== null && (
          <Notice tone="bad" title={describeError(error).title}>
            {describeError(error).text}
          </Notice>
        )}
        <Button kind="primary" type="submit" busy={busy} disabled={!isReady}>
          {t('Send the link')}
        </Button>
        <ButtonLink to="/sign-in" kind="quiet">
          {t('Back')}
        </ButtonLink>
      </form>
    </PublicFrame>
  )
}

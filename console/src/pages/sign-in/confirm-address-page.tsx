/** Confirms the account's address by the link from a mail. It needs a session of the same account. */
import { useEffect, useState } from 'react'
import { PublicFrame } from '../../app/public-frame.tsx'
import { app } from '../../data/app-api.ts'
import { describeError, hasErrorCode } from '../../data/errors.ts'
import type { Session } from '../../data/shapes.ts'
import { ButtonLink, SkeletonLines } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { forgetLinkToken, linkToken } from './link-token.ts'

export function ConfirmAddressPage({ session }: { readonly session: Session }) {
  const [token] = useState(linkToken)
  if (session.signed_in) return <Confirming token={token} email={session.account.email} />
  return (
    <PublicFrame title={t('Sign in to confirm your address')}>
      <p className="muted">{t('The link confirms the address of the account that is signed in.')}</p>
      <ButtonLink to="/sign-in?next=/confirm-address" kind="primary">
        {t('Sign in')}
      </ButtonLink>
    </PublicFrame>
  )
}

function Confirming({ token, email }: { readonly token: string; readonly email: string }) {
  const [isDone, setDone] = useState(false)
  const [error, setError] = useState<unknown>(null)
  useEffect(() => {
    let isMounted = true
    if (token === '') return
    app('POST address/confirm', { body: { token } }).then(
      () => {
        forgetLinkToken()
        if (isMounted) setDone(true)
      },
      (reason: unknown) => isMounted && setError(reason),
    )
    return () => {
      isMounted = false
    }
  }, [token])
  if (isDone) {
    return (
      <PublicFrame title={t('Address confirmed')}>
        <p className="muted">
          {t('If you forget your password, a link to a new one can be sent to {email}.', { email })}
        </p>
        <ButtonLink to="/" kind="primary">
          {t('Home')}
        </ButtonLink>
      </PublicFrame>
    )
  }
  if (token === '' || error !== null) return <ConfirmFailure error={error} email={email} />
  return (
    <PublicFrame title={t('Checking the link')}>
      <SkeletonLines lines={3} />
    </PublicFrame>
  )
}

function ConfirmFailure({ error, email }: { readonly error: unknown; readonly email: string }) {
  const isInvalid = error === null || hasErrorCode(error, 'link_invalid')
  return (
    <PublicFrame title={isInvalid ? t('This link is not valid') : describeError(error).title}>
      <p className="muted">
        {isInvalid
          ? t(
              'It was already used, it has expired, or it belongs to another account than {email}. You can ask for another one in the security settings.',
              { email },
            )
          : describeError(error).text}
      </p>
      <ButtonLink to="/settings/security" kind="primary">
        {t('Security settings')}
      </ButtonLink>
    </PublicFrame>
  )
}

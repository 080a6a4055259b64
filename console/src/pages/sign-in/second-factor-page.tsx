/** A session without the second factor that it needs: the person sets one up, or proves the one that the account has. */
import { Fingerprint, Smartphone } from 'lucide-react'
import { useCallback, useState } from 'react'
import { useAttempt } from '../../app/attempt.ts'
import { SetUpAuthenticator } from '../../app/authenticator-set-up.tsx'
import { addPasskey, hasPasskeys } from '../../app/passkeys.ts'
import { ProveSecondFactor } from '../../app/prove-second-factor.tsx'
import { PublicFrame } from '../../app/public-frame.tsx'
import { RecoveryCodes } from '../../app/recovery-codes.tsx'
import { signOut } from '../../app/sign-out.ts'
import { app, loadSession } from '../../data/app-api.ts'
import { describeError } from '../../data/errors.ts'
import type { SignedIn } from '../../data/shapes.ts'
import { switchOrganization } from '../../data/switch-organization.ts'
import { Button, Field, Notice, Select } from '../../design/index.ts'
import { t } from '../../language/index.ts'

export function SecondFactorPage({ session }: { readonly session: SignedIn }) {
  return session.second_factor.need === 'verify' ? <Prove session={session} /> : <SetUp session={session} />
}

function Foot({ session }: { readonly session: SignedIn }) {
  const [error, setError] = useState<unknown>(null)
  const { organization, organizations } = session
  return (
    <div className="stack">
      {organizations.length > 1 && (
        <Field label={t('Organization')}>
          <Select
            value={organization.id}
            choices={organizations.map(({ id, name }) => ({ value: id, label: name }))}
            onChange={(id) => void switchOrganization(id).catch(setError)}
          />
        </Field>
      )}
      {error !== null && <Notice tone="bad">{describeError(error).text}</Notice>}
      <div>
        <Button onClick={() => void signOut()}>{t('Sign out')}</Button>
      </div>
    </div>
  )
}

function Prove({ session }: { readonly session: SignedIn }) {
  return (
    <PublicFrame
      title={t('Second factor')}
      description={t('Your account is protected by more than its password.')}
      foot={<Foot session={session} />}
    >
      <ProveSecondFactor session={session} />
    </PublicFrame>
  )
}

function SetUp({ session }: { readonly session: SignedIn }) {
  const [isApp, setApp] = useState(false)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const { busy, error, attempt } = useAttempt<'passkey'>()
  const back = useCallback(() => setApp(false), [])
  const done = () => void loadSession().catch(() => {})
  const withPasskey = session.passkeys_unavailable === null && hasPasskeys
  const createPasskey = async () => {
    await addPasskey(t('Passkey'))
    setCodes((await app('POST second-factor/recovery-codes', { body: {} })).recovery_codes)
  }
  const foot = codes === null && !isApp && <Foot session={session} />
  return (
    <PublicFrame
      title={t('Set up a second factor')}
      description={t('{name} requires more than a password. It takes a minute.', { name: session.organization.name })}
      foot={foot}
    >
      {codes !== null ? (
        <RecoveryCodes codes={codes} onDone={done} />
      ) : isApp ? (
        <SetUpAuthenticator onDone={done} onCancel={back} />
      ) : (
        <div className="stack">
          {withPasskey && (
            <Button
              kind="primary"
              icon={Fingerprint}
              busy={busy === 'passkey'}
              onClick={() => void attempt('passkey', createPasskey)}
            >
              {t('Add a passkey')}
            </Button>
          )}
          <Button kind={withPasskey ? 'plain' : 'primary'} icon={Smartphone} onClick={() => setApp(true)}>
            {t('Use an authenticator app')}
          </Button>
          {error !== null && <Notice tone="bad">{describeError(error).text}</Notice>}
        </div>
      )}
    </PublicFrame>
  )
}

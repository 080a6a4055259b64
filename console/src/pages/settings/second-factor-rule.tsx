/** Whether the organization requires a second factor of its people. */
import { Link } from 'wouter'
import { stepUpWithPasskey } from '../../app/passkeys.ts'
import { useAppWrite, useHasRole, useSession } from '../../data/index.ts'
import { Card, Notice, Section, Switch } from '../../design/index.ts'
import { rich, t } from '../../language/index.ts'

export function SecondFactorRule() {
  const { second_factor, has_passkey } = useSession()
  const isOwner = useHasRole('owner')
  const { required, proved } = second_factor
  const write = useAppWrite('PATCH organization/second-factor', {
    done: ({ second_factor: now }) =>
      now.required ? t('A second factor is required now') : t('A second factor is no longer required'),
  })
  const set = async (next: boolean) => {
    // Who has a passkey, but signed in with the password, proves it now.
    if (next && !proved && has_passkey) await stepUpWithPasskey().catch(() => {})
    await write.run({ body: { required: next } })
  }
  const canSet = isOwner && (required || proved || has_passkey)
  return (
    <Section title={t('Sign-in')} description={isOwner ? undefined : t('Only owners can change it.')}>
      <Card>
        <div className="stack">
          <Switch
            label={t('Require a second factor')}
            hint={t(
              'Everyone needs a passkey or an authenticator app in the console. People without one set it up before they can go on, also those who are signed in now. API keys and applications are not affected.',
            )}
            checked={required}
            disabled={!canSet || write.busy}
            onChange={(next) => void set(next)}
          />
          {isOwner && !canSet && (
            <Notice>
              {rich('Set up your own second factor first, in {security}.', {
                security: <Link href="/settings/security">{t('Security')}</Link>,
              })}
            </Notice>
          )}
        </div>
      </Card>
    </Section>
  )
}

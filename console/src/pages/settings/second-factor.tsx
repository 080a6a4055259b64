/** The person's authenticator app and recovery codes. */
import '../../design/item-list.css'
import { useQueryClient } from '@tanstack/react-query'
import { Smartphone } from 'lucide-react'
import { useCallback, useState } from 'react'
import { SetUpAuthenticator } from '../../app/authenticator-set-up.tsx'
import { ConfirmButton } from '../../app/confirm-button.tsx'
import { ErrorState } from '../../app/error-state.tsx'
import { RecoveryCodes } from '../../app/recovery-codes.tsx'
import { loadSession } from '../../data/app-api.ts'
import { keys, useApp, useAppWrite, useSession } from '../../data/index.ts'
import { Button, Card, Dialog, RelativeTime, Section, SkeletonLines } from '../../design/index.ts'
import { rich, t } from '../../language/index.ts'

export function SecondFactor() {
  const { data, error, refetch } = useApp('GET second-factor', {})
  const { has_passkey } = useSession()
  const [isSettingUp, setSettingUp] = useState(false)
  const close = useCallback(() => setSettingUp(false), [])
  const app = data?.authenticator ?? null
  return (
    <Section
      title={t('Second factor')}
      description={t('An app on your phone makes a code that is asked for after the password. A passkey needs none.')}
    >
      {error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Card flush={app !== null || has_passkey}>
          {data === undefined ? (
            <SkeletonLines lines={2} />
          ) : (
            <ul className="item-list" aria-label={t('Second factor')}>
              <li className="item">
                <span className="item-icon">
                  <Smartphone aria-hidden="true" />
                </span>
                <div className="grow">
                  <p className="item-title">{t('Authenticator app')}</p>
                  <p className="item-hint">
                    {app === null
                      ? t('Not set up')
                      : rich('Set up {relativeTime}', { relativeTime: <RelativeTime at={app.created} /> })}
                  </p>
                </div>
                <Button onClick={() => setSettingUp(true)}>{app === null ? t('Set up') : t('Replace')}</Button>
                {app !== null && <RemoveApp />}
              </li>
              {(app !== null || has_passkey) && <Codes left={data.recovery_codes_left} />}
            </ul>
          )}
        </Card>
      )}
      {isSettingUp && <SetUpDialog onClose={close} />}
    </Section>
  )
}

function SetUpDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient()
  const done = () => {
    onClose()
    void client.invalidateQueries({ queryKey: keys.appAll('GET second-factor') })
    void loadSession().catch(() => {})
  }
  return (
    <Dialog open onClose={done} size="s" title={t('Authenticator app')}>
      <SetUpAuthenticator onDone={done} onCancel={onClose} />
    </Dialog>
  )
}

function RemoveApp() {
  const write = useAppWrite('DELETE second-factor/authenticator', {
    invalidates: ['GET second-factor'],
    toastErrors: false,
    done: () => t('Authenticator app removed'),
  })
  return (
    <ConfirmButton
      action={t('Remove')}
      title={t('Remove the authenticator app?')}
      write={write}
      run={() => write.run({})}
      onDone={() => {}}
    >
      {t('No code is asked for afterwards. Delete it on the phone, too.')}
    </ConfirmButton>
  )
}

function Codes({ left }: { readonly left: number }) {
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const write = useAppWrite('POST second-factor/recovery-codes', { invalidates: ['GET second-factor'] })
  const renew = async () => {
    const answer = await write.run({ body: {} })
    if (answer !== undefined) setCodes(answer.recovery_codes)
  }
  const close = () => setCodes(null)
  return (
    <li className="item">
      <div className="grow">
        <p className="item-title">{t('Recovery codes')}</p>
        <p className="item-hint">
          {t('{left, plural, =0 {None are left} one {One is left} other {# are left}}. New ones replace them.', {
            left,
          })}
        </p>
      </div>
      <Button busy={write.busy} onClick={() => void renew()}>
        {t('New codes')}
      </Button>
      {codes !== null && (
        <Dialog open onClose={() => {}} size="s" title={t('Recovery codes')}>
          <RecoveryCodes codes={codes} onDone={close} />
        </Dialog>
      )}
    </li>
  )
}

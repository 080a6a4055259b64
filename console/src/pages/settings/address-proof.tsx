/** Asks a person whose address is not confirmed to confirm it: only then can a forgotten password be replaced by mail. */
import { useState } from 'react'
import { useAppWrite, useSession } from '../../data/index.ts'
import { Button, Notice } from '../../design/index.ts'
import { t } from '../../language/index.ts'

export function AddressProof() {
  const { account, mail, has_password } = useSession()
  const [isSent, setSent] = useState(false)
  const write = useAppWrite('POST address')
  if (!mail || !has_password || account.email_proved) return null
  const send = async () => {
    if ((await write.run({})) !== undefined) setSent(true)
  }
  return (
    <Notice title={t('Your address is not confirmed')}>
      {isSent ? (
        t('A mail with a link is on its way to {email}. The link works once, for a day.', { email: account.email })
      ) : (
        <div className="stack">
          {t(
            'If you forget your password, a link to a new one can only be sent to {email} after you have confirmed that it is yours.',
            { email: account.email },
          )}
          <div>
            <Button busy={write.busy} onClick={() => void send()}>
              {t('Send a confirmation mail')}
            </Button>
          </div>
        </div>
      )}
    </Notice>
  )
}

/** The person's password, second factor, passkeys and sessions. */
import './settings.css'
import { isGuest, useApp } from '../../data/index.ts'
import { Card, Page, SkeletonLines } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { AddressProof } from './address-proof.tsx'
import { Grants } from './grants.tsx'
import { Passkeys } from './passkeys.tsx'
import { PasswordForm } from './password-form.tsx'
import { SecondFactor } from './second-factor.tsx'
import { Sessions } from './sessions.tsx'

export function SecurityPage() {
  const passkeys = useApp('GET passkeys', {})
  const sessions = useApp('GET sessions', {})
  const factor = useApp('GET second-factor', {})
  const isPending = passkeys.isPending || sessions.isPending || factor.isPending
  return (
    <Page title={t('Security')} width="narrow" description={t('How you sign in, and where you are signed in.')}>
      <AddressProof />
      <PasswordForm />
      {isPending ? (
        <Card>
          <SkeletonLines lines={8} />
        </Card>
      ) : (
        <>
          <SecondFactor />
          <Passkeys />
          <Sessions />
          {!isGuest() && <Grants />}
        </>
      )}
    </Page>
  )
}

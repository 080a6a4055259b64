import '../../design/item-list.css'
import { Mail, X } from 'lucide-react'
import { ErrorState } from '../../app/error-state.tsx'
import { useApp, useAppWrite } from '../../data/index.ts'
import type { Invitation } from '../../data/shapes.ts'
import { Badge, Card, IconButton, RelativeTime, Section } from '../../design/index.ts'
import { rich, t } from '../../language/index.ts'
import { roleNames } from './roles.ts'

/** The invitations that were not accepted yet. Without invitations it renders nothing. */
export function Invitations() {
  const list = useApp('GET invitations', {})
  if (list.error) return <ErrorState error={list.error} onRetry={() => void list.refetch()} />
  const rows = list.data?.data ?? []
  if (rows.length === 0) return null
  return (
    <Section
      title={t('Pending invitations')}
      description={t('A link works once, within seven days. For a new link, invite the person again.')}
    >
      <Card flush>
        <ul className="item-list" aria-label={t('Pending invitations')}>
          {rows.map((invitation) => (
            <InvitationItem key={invitation.id} invitation={invitation} />
          ))}
        </ul>
      </Card>
    </Section>
  )
}

function InvitationItem({ invitation }: { readonly invitation: Invitation }) {
  const { id, email, role, created, expires_at } = invitation
  const revoke = useAppWrite('DELETE invitations/{id}', {
    invalidates: ['GET invitations', 'GET people'],
    done: () => t('Invitation for {email} revoked', { email }),
  })
  return (
    <li className="item">
      <span className="item-icon">
        <Mail aria-hidden="true" />
      </span>
      <div className="grow">
        <p className="item-title">
          <span className="cut">{email}</span>
        </p>
        <p className="item-hint">
          {rich('Invited {relativeTime} · expires', { relativeTime: <RelativeTime at={created} /> })}{' '}
          <RelativeTime at={expires_at} />
        </p>
      </div>
      <Badge>{roleNames[role]}</Badge>
      <IconButton
        icon={X}
        label={t('Revoke invitation for {email}', { email })}
        onClick={() => !revoke.busy && void revoke.run({ params: { id } })}
      />
    </li>
  )
}

import { Mail, X } from 'lucide-react'
import { ErrorState } from '../../app/error-state.tsx'
import { useApp, useAppWrite } from '../../data/index.ts'
import type { Invitation } from '../../data/shapes.ts'
import { Badge, Card, IconButton, RelativeTime, Section } from '../../design/index.ts'
import { roleNames } from './roles.ts'

/** Those who have not come in yet. Nothing is shown where there is nobody. */
export function Invitations() {
  const list = useApp('GET invitations', {})
  if (list.error) return <ErrorState error={list.error} onRetry={() => void list.refetch()} />
  const rows = list.data?.data ?? []
  if (rows.length === 0) return null
  return (
    <Section title="Open invitations" description="A link works once, for seven days. Invite again for another one.">
      <Card flush>
        <ul className="item-list" aria-label="Open invitations">
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
    touches: ['GET invitations', 'GET people'],
    done: () => `The invitation of ${email} was taken back`,
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
          Invited <RelativeTime at={created} /> · ends <RelativeTime at={expires_at} />
        </p>
      </div>
      <Badge>{roleNames[role]}</Badge>
      <IconButton
        icon={X}
        label={`Take back the invitation of ${email}`}
        onClick={() => !revoke.busy && void revoke.run({ params: { id } })}
      />
    </li>
  )
}

/** Invites somebody, and shows the link once: the server sends no mail. */
import { useState } from 'react'
import { FormError } from '../../app/error-state.tsx'
import { faultsOf, useAppWrite, useSession } from '../../data/index.ts'
import type { Role } from '../../data/shapes.ts'
import { Button, CodeBlock, Dialog, Field, Input, Notice, Radios } from '../../design/index.ts'
import { roleHints, roleNames } from './roles.ts'

interface Sent {
  readonly email: string
  readonly url: string
}

export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const [sent, setSent] = useState<Sent | null>(null)
  if (sent === null) return <InviteForm onClose={onClose} onSent={setSent} />
  return (
    <Dialog
      open
      onClose={onClose}
      title="Send this link"
      description={`It lets ${sent.email} in, once, within seven days. It is shown only now.`}
      actions={
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="stack">
        <CodeBlock title="Invitation" code={sent.url} wrap />
        <Notice tone="warn">Whoever has the link can use it: send it only to the person, not to a group.</Notice>
      </div>
    </Dialog>
  )
}

interface InviteFormProps {
  readonly onClose: () => void
  readonly onSent: (sent: Sent) => void
}

function InviteForm({ onClose, onSent }: InviteFormProps) {
  const { role: own } = useSession()
  const [email, setEmail] = useState('')
  const [first_name, setFirstName] = useState('')
  const [last_name, setLastName] = useState('')
  const [role, setRole] = useState<Role>('member')
  const write = useAppWrite('POST invitations', {
    touches: ['GET invitations', 'GET people', 'GET directory'],
    toastErrors: false,
  })
  const faults = faultsOf(write.error)
  const roles: Role[] = own === 'owner' ? ['member', 'admin', 'owner'] : ['member', 'admin']
  const send = async () => {
    const names = { ...(first_name && { first_name }), ...(last_name && { last_name }) }
    const answer = await write.run({ body: { email: email.trim(), role, ...names } })
    if (answer !== undefined) onSent({ email: answer.invitation.email, url: answer.url })
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Invite somebody"
      description="You get a link to pass on. The person sets a password with it."
      onSubmit={() => email.trim() !== '' && !write.busy && void send()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={write.busy} disabled={email.trim() === ''}>
            Make the link
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Email" error={faults.email} required>
          <Input type="email" autoFocus value={email} onChange={({ currentTarget }) => setEmail(currentTarget.value)} />
        </Field>
        <div className="invite-names">
          <Field label="First name" error={faults.first_name}>
            <Input value={first_name} onChange={({ currentTarget }) => setFirstName(currentTarget.value)} />
          </Field>
          <Field label="Last name" error={faults.last_name}>
            <Input value={last_name} onChange={({ currentTarget }) => setLastName(currentTarget.value)} />
          </Field>
        </div>
        <Radios
          label="Role"
          value={role}
          onChange={setRole}
          options={roles.map((value) => ({ value, label: roleNames[value], hint: roleHints[value] }))}
        />
        <FormError error={write.error} at={['email', 'first_name', 'last_name']} />
      </div>
    </Dialog>
  )
}

/** Invites a person and shows the link once. The server sends no mail, so the link is shared by hand. */
import { useState } from 'react'
import { FormDialog } from '../../app/form-dialog.tsx'
import { fieldErrors, useAppWrite, useSession } from '../../data/index.ts'
import type { Role } from '../../data/shapes.ts'
import { Button, CodeBlock, Dialog, Field, Input, Notice, Radios } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { ProjectsField } from './guest-projects.tsx'
import { roleHints, roleNames } from './roles.ts'

interface Created {
  readonly email: string
  readonly url: string
}

export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const [created, setCreated] = useState<Created | null>(null)
  if (created === null) return <InviteForm onClose={onClose} onCreated={setCreated} />
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('Share this link')}
      description={t('{email} can join with it once, within seven days. The link is shown only now.', {
        email: created.email,
      })}
      actions={
        <Button kind="primary" onClick={onClose}>
          {t('Done')}
        </Button>
      }
    >
      <div className="stack">
        <CodeBlock title={t('Invitation link')} code={created.url} wrap />
        <Notice tone="warn">{t('Anyone with the link can use it. Send it only to the person you invite.')}</Notice>
      </div>
    </Dialog>
  )
}

interface Fields {
  readonly email: string
  readonly first_name: string
  readonly last_name: string
}

interface InviteFormProps {
  readonly onClose: () => void
  readonly onCreated: (invitation: Created) => void
}

function InviteForm({ onClose, onCreated }: InviteFormProps) {
  const { role: own } = useSession()
  const [fields, setFields] = useState<Fields>({ email: '', first_name: '', last_name: '' })
  const [role, setRole] = useState<Role>('member')
  const write = useAppWrite('POST invitations', {
    invalidates: ['GET invitations', 'GET people', 'GET directory'],
    toastErrors: false,
  })
  const roles: Role[] = own === 'owner' ? ['member', 'guest', 'admin', 'owner'] : ['member', 'guest', 'admin']
  const [projects, setProjects] = useState<readonly string[]>([])
  const email = fields.email.trim()
  const invite = async () => {
    const { first_name, last_name } = fields
    const names = { ...(first_name && { first_name }), ...(last_name && { last_name }) }
    const answer = await write.run({
      body: { email, role, ...names, ...(role === 'guest' && { projects: [...projects] }) },
    })
    if (answer !== undefined) onCreated({ email: answer.invitation.email, url: answer.url })
  }
  return (
    <FormDialog
      title={t('Invite a person')}
      description={t('You get a link to share. The person uses it to set a password.')}
      action={t('Create invitation')}
      isReady={email !== '' && (role !== 'guest' || projects.length > 0)}
      write={write}
      fields={['email', 'first_name', 'last_name', 'projects']}
      onSubmit={invite}
      onClose={onClose}
    >
      <PersonFields value={fields} onChange={setFields} faults={fieldErrors(write.error)} />
      <Radios
        label={t('Role')}
        value={role}
        onChange={setRole}
        options={roles.map((value) => ({ value, label: roleNames[value], hint: roleHints[value] }))}
      />
      {role === 'guest' && (
        <ProjectsField value={projects} onChange={setProjects} error={fieldErrors(write.error).projects} />
      )}
    </FormDialog>
  )
}

interface PersonFieldsProps {
  readonly value: Fields
  readonly onChange: (value: Fields) => void
  readonly faults: Readonly<Record<string, string>>
}

function PersonFields({ value, onChange, faults }: PersonFieldsProps) {
  const { email, first_name, last_name } = value
  return (
    <>
      <Field label={t('Email')} error={faults.email} required>
        <Input
          type="email"
          autoFocus
          value={email}
          onChange={({ currentTarget }) => onChange({ ...value, email: currentTarget.value })}
        />
      </Field>
      <div className="invite-names">
        <Field label={t('First name')} error={faults.first_name}>
          <Input
            value={first_name}
            onChange={({ currentTarget }) => onChange({ ...value, first_name: currentTarget.value })}
          />
        </Field>
        <Field label={t('Last name')} error={faults.last_name}>
          <Input
            value={last_name}
            onChange={({ currentTarget }) => onChange({ ...value, last_name: currentTarget.value })}
          />
        </Field>
      </div>
    </>
  )
}

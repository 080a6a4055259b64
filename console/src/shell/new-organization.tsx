/** Creates an organization of the operator's own and continues there. The demo's owner also chooses the address of their sign-in. */
import { useState } from 'react'
import { FormDialog } from '../app/form-dialog.tsx'
import { fieldErrors, UserCanceled } from '../data/errors.ts'
import { withOrganization } from '../data/link-organization.ts'
import { useSession } from '../data/session-store.ts'
import { createOrganization } from '../data/switch-organization.ts'
import { toast } from '../data/toasts.ts'
import { Field, Input } from '../design/index.ts'
import { t } from '../language/index.ts'

export function NewOrganization({ onClose }: { readonly onClose: () => void }) {
  const { account, user, demo } = useSession()
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [write, setWrite] = useState<{ busy: boolean; error: unknown }>({ busy: false, error: null })
  const choosesAddress = demo && account.email === user.email
  const faults = fieldErrors(write.error)
  const create = async () => {
    setWrite({ busy: true, error: null })
    try {
      await createOrganization({ name: name.trim(), ...(choosesAddress && { email: email.trim() }) })
      history.replaceState(null, '', withOrganization('/'))
      toast({ text: t('{name} is ready.', { name: name.trim() }), tone: 'good' })
      onClose()
    } catch (error) {
      setWrite({ busy: false, error: error instanceof UserCanceled ? null : error })
    }
  }
  return (
    <FormDialog
      title={t('New organization')}
      description={t('It is empty and belongs to you. The organization that is open stays as it is.')}
      action={t('Create organization')}
      isReady={name.trim() !== '' && (!choosesAddress || email.trim() !== '')}
      write={write}
      fields={['name', 'email']}
      onSubmit={create}
      onClose={onClose}
    >
      <Field label={t('Name')} error={faults.name} required>
        <Input
          autoFocus
          autoComplete="organization"
          maxLength={500}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
      </Field>
      {choosesAddress && (
        <Field
          label={t('Your email address')}
          hint={t('You sign in with it from now on, here and in the demo. Your password stays.')}
          error={faults.email}
          required
        >
          <Input
            type="email"
            autoComplete="email"
            value={email}
            onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          />
        </Field>
      )}
    </FormDialog>
  )
}

import type { ApiKeyWithSecret, Atrium } from '@atrium/sdk'
import { useState } from 'react'
import { FormDialog } from '../../app/form-dialog.tsx'
import { SecretDialog } from '../../app/secret-dialog.tsx'
import { fieldErrors, useMode, useWrite } from '../../data/index.ts'
import { DateField, Field, Input } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { presets, ScopeChoice } from './scope-choice.tsx'

/** Creates a key for the mode of the page, and shows its secret once. */
export function NewKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const [created, setCreated] = useState<ApiKeyWithSecret | null>(null)
  if (created === null) return <NewKeyForm onClose={onClose} onCreated={setCreated} />
  const example = `curl ${location.origin}/v1/me -H "Authorization: Bearer ${created.secret}"`
  return (
    <SecretDialog
      title={t('New key: {name}', { name: created.name })}
      secret={created.secret}
      example={example}
      onClose={onClose}
    />
  )
}

interface NewKeyFormProps {
  readonly onClose: () => void
  readonly onCreated: (key: ApiKeyWithSecret) => void
}

/** The literal types of the SDK. ScopeChoice offers only valid scopes, and the server refuses others. */
type Scopes = Parameters<Atrium['apiKeys']['create']>[0]['scopes']

interface Fields {
  readonly name: string
  readonly scopes: readonly string[]
  readonly expires_at: number | null
}

function NewKeyForm({ onClose, onCreated }: NewKeyFormProps) {
  const mode = useMode()
  const [fields, setFields] = useState<Fields>({ name: '', scopes: presets.read, expires_at: null })
  const write = useWrite({
    write: (atrium, { scopes, ...rest }: Fields) => atrium.apiKeys.create({ ...rest, scopes: scopes as Scopes }),
    manage: true,
    toastErrors: false,
  })
  const faults = fieldErrors(write.error)
  const name = fields.name.trim()
  const create = async () => {
    const key = await write.run({ ...fields, name })
    if (key !== undefined) onCreated(key)
  }
  return (
    <FormDialog
      title={t('New {mode} key', { mode })}
      size="l"
      action={t('Create')}
      isReady={name !== '' && fields.scopes.length > 0}
      write={write}
      fields={['name', 'expires_at']}
      onSubmit={create}
      onClose={onClose}
    >
      <Field
        label={t('Name')}
        hint={t('The program that uses the key, such as “Nightly report”.')}
        error={faults.name}
        required
      >
        <Input
          autoFocus
          value={fields.name}
          onChange={({ currentTarget }) => setFields({ ...fields, name: currentTarget.value })}
        />
      </Field>
      <ScopeChoice value={fields.scopes} onChange={(scopes) => setFields({ ...fields, scopes })} />
      <Field label={t('Expires')} hint={t('Leave empty for a key that never expires.')} error={faults.expires_at}>
        <DateField value={fields.expires_at} onChange={(expires_at) => setFields({ ...fields, expires_at })} />
      </Field>
    </FormDialog>
  )
}

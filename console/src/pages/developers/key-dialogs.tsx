/** Renames a key, and gives it a new secret. */
import type { ApiKey } from '@atrium/sdk'
import { useState } from 'react'
import { FormDialog } from '../../app/form-dialog.tsx'
import { SecretDialog } from '../../app/secret-dialog.tsx'
import { fieldErrors, useWrite } from '../../data/index.ts'
import { Field, Input, Select } from '../../design/index.ts'
import { t } from '../../language/index.ts'

interface KeyDialogProps {
  readonly apiKey: ApiKey
  readonly onClose: () => void
}

export function RenameKeyDialog({ apiKey, onClose }: KeyDialogProps) {
  const [name, setName] = useState(apiKey.name)
  const write = useWrite({
    write: (atrium, next: string) => atrium.apiKeys.update(apiKey.id, { name: next }),
    manage: true,
    toastErrors: false,
    done: () => t('Key renamed'),
  })
  const save = async () => {
    if ((await write.run(name.trim())) !== undefined) onClose()
  }
  return (
    <FormDialog
      title={t('Rename key')}
      action={t('Save')}
      isReady={name.trim() !== ''}
      write={write}
      fields={['name']}
      onSubmit={save}
      onClose={onClose}
    >
      <Field label={t('Name')} error={fieldErrors(write.error).name} required>
        <Input value={name} onChange={({ currentTarget }) => setName(currentTarget.value)} />
      </Field>
    </FormDialog>
  )
}

const times = [
  { value: '0', label: t('Stops at once') },
  { value: '3600', label: t('Works for one more hour') },
  { value: '86400', label: t('Works for one more day') },
  { value: '604800', label: t('Works for seven more days') },
]

export function RollKeyDialog({ apiKey, onClose }: KeyDialogProps) {
  const [seconds, setSeconds] = useState('86400')
  const [secret, setSecret] = useState<string | null>(null)
  const write = useWrite({
    write: (atrium, expires_in: number) => atrium.apiKeys.roll(apiKey.id, { expires_in }),
    manage: true,
    toastErrors: false,
  })
  if (secret !== null)
    return <SecretDialog title={t('New secret: {name}', { name: apiKey.name })} secret={secret} onClose={onClose} />
  const roll = async () => {
    const rolled = await write.run(Number(seconds))
    if (rolled !== undefined) setSecret(rolled.secret)
  }
  return (
    <FormDialog
      title={t('Roll {name}?', { name: apiKey.name })}
      description={t('The key gets a new secret. Its scopes, limits and webhook endpoints stay.')}
      action={t('Roll')}
      write={write}
      onSubmit={roll}
      onClose={onClose}
    >
      <Field label={t('Old secret')}>
        <Select value={seconds} choices={times} onChange={setSeconds} />
      </Field>
    </FormDialog>
  )
}

/** Makes a team, or changes its name and description. */
import { useState } from 'react'
import { FormDialog } from '../../app/form-dialog.tsx'
import { fieldErrors, useAppWrite } from '../../data/index.ts'
import type { Team } from '../../data/shapes.ts'
import { Field, Input, TextArea } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { teams_shown } from './team-reads.ts'

interface TeamDialogProps {
  /** Undefined: a new one. */
  readonly team?: Team
  readonly onClose: () => void
  readonly onSaved?: (team: Team) => void
}

export function TeamDialog({ team, onClose, onSaved }: TeamDialogProps) {
  const [name, setName] = useState(team?.name ?? '')
  const [description, setDescription] = useState(team?.description ?? '')
  const create = useAppWrite('POST teams', { invalidates: teams_shown, toastErrors: false })
  const change = useAppWrite('PATCH teams/{id}', { invalidates: teams_shown, toastErrors: false })
  const write = team === undefined ? create : change
  const save = async () => {
    const body = { name: name.trim(), description: description.trim() || null }
    const saved = await (team === undefined ? create.run({ body }) : change.run({ params: { id: team.id }, body }))
    if (saved === undefined) return
    onClose()
    onSaved?.(saved)
  }
  const errors = fieldErrors(write.error)
  return (
    <FormDialog
      size="s"
      title={team === undefined ? t('New team') : t('Edit team')}
      action={team === undefined ? t('Create') : t('Save')}
      isReady={name.trim() !== ''}
      write={write}
      fields={['name', 'description']}
      onSubmit={save}
      onClose={onClose}
    >
      <Field label={t('Name')} error={errors.name}>
        <Input autoFocus value={name} maxLength={500} onChange={({ currentTarget }) => setName(currentTarget.value)} />
      </Field>
      <Field label={t('Description')} error={errors.description}>
        <TextArea
          value={description}
          maxLength={2000}
          onChange={({ currentTarget }) => setDescription(currentTarget.value)}
        />
      </Field>
    </FormDialog>
  )
}

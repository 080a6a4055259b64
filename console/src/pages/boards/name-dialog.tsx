/** Creates a board, or renames one. */
import type { Board } from '@atrium/sdk'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { FormDialog } from '../../app/form-dialog.tsx'
import { fieldErrors, useWrite } from '../../data/index.ts'
import { Field, Input, TextArea } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { useRename } from './reads.ts'

interface CreateDialogProps {
  /** The project that the board is attached to. */
  readonly project?: string
  readonly onClose: () => void
}

export function CreateDialog({ project, onClose }: CreateDialogProps) {
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [, navigate] = useLocation()
  const write = useWrite({
    write: (atrium) =>
      atrium.boards.create({ name, ...(description !== '' && { description }), ...(project && { project }) }),
    done: (board: Board) => t('{name} created', { name: board.name }),
    toastErrors: false,
  })
  const faults = fieldErrors(write.error)
  const create = async () => {
    const board = await write.run(undefined)
    // There is nothing to view yet.
    if (board !== undefined) navigate(`/boards/${board.id}/draw`)
  }
  return (
    <FormDialog
      title={project === undefined ? t('New board') : t('New whiteboard')}
      action={t('Create')}
      write={write}
      fields={['name', 'description']}
      onSubmit={create}
      onClose={onClose}
    >
      <NameField name={name} onChange={setName} error={faults.name} />
      <Field label={t('Description')} error={faults.description}>
        <TextArea value={description} onChange={({ currentTarget }) => setDescription(currentTarget.value)} />
      </Field>
    </FormDialog>
  )
}

export function RenameDialog({ board, onClose }: { readonly board: Board; readonly onClose: () => void }) {
  const [name, setName] = useState(board.name)
  const write = useRename()
  const rename = async () => {
    if (name === board.name || (await write.run({ id: board.id, name })) !== undefined) onClose()
  }
  return (
    <FormDialog
      title={t('Rename board')}
      action={t('Rename')}
      write={write}
      fields={['name']}
      onSubmit={rename}
      onClose={onClose}
    >
      <NameField name={name} onChange={setName} error={fieldErrors(write.error).name} />
    </FormDialog>
  )
}

interface NameFieldProps {
  readonly name: string
  readonly onChange: (name: string) => void
  readonly error: string | undefined
}

function NameField({ name, onChange, error }: NameFieldProps) {
  return (
    <Field label={t('Name')} required error={error}>
      <Input value={name} autoComplete="off" onChange={({ currentTarget }) => onChange(currentTarget.value)} />
    </Field>
  )
}

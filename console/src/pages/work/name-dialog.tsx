/** A form with a name, and a description if the object has one. */
import { useState } from 'react'
import { FormDialog } from '../../app/form-dialog.tsx'
import { fieldErrors, type Writer } from '../../data/index.ts'
import { Field, Input, TextArea } from '../../design/index.ts'
import { t } from '../../language/index.ts'

export interface NameFields {
  name: string
  description: string | null
}

interface NameDialogProps {
  readonly title: string
  readonly action: string
  readonly name?: string
  /** Undefined for an object without a description. */
  readonly description?: string | null
  readonly hint?: string
  readonly write: Pick<Writer<NameFields, { readonly id: string }>, 'run' | 'busy' | 'error' | 'isKept'>
  readonly onClose: () => void
  readonly onDone?: (id: string) => void
}

export function NameDialog({ title, action, hint, write, onClose, onDone, ...was }: NameDialogProps) {
  const [name, setName] = useState(was.name ?? '')
  const [description, setDescription] = useState(was.description ?? '')
  const faults = fieldErrors(write.error)
  const save = async () => {
    const saved = await write.run({ name: name.trim(), description: description.trim() || null })
    if (saved === undefined) return
    onClose()
    onDone?.(saved.id)
  }
  return (
    <FormDialog
      title={title}
      size="s"
      action={action}
      isReady={name.trim() !== ''}
      write={write}
      fields={['name', 'title', 'description']}
      onSubmit={save}
      onClose={onClose}
    >
      <Field label={t('Name')} hint={hint} error={faults.name ?? faults.title} required>
        <Input value={name} maxLength={500} onChange={({ currentTarget }) => setName(currentTarget.value)} />
      </Field>
      {was.description !== undefined && (
        <Field label={t('Description')} error={faults.description}>
          <TextArea value={description} onChange={({ currentTarget }) => setDescription(currentTarget.value)} />
        </Field>
      )}
    </FormDialog>
  )
}

/** Asks for a name, and for a description where there is one. */
import { useState } from 'react'
import { FormError } from '../../app/error-state.tsx'
import { faultsOf, type Writer } from '../../data/index.ts'
import { Button, Dialog, Field, Input, TextArea } from '../../design/index.ts'

interface Named {
  name: string
  description: string | null
}

interface NameDialogProps {
  readonly title: string
  readonly action: string
  readonly name?: string
  /** Without it there is no such field. */
  readonly description?: string | null
  readonly hint?: string
  readonly write: Writer<Named, { readonly id: string }>
  readonly onClose: () => void
  readonly onDone?: (id: string) => void
}

export function NameDialog({ title, action, hint, write, onClose, onDone, ...was }: NameDialogProps) {
  const [name, setName] = useState(was.name ?? '')
  const [description, setDescription] = useState(was.description ?? '')
  const hasDescription = was.description !== undefined
  const faults = faultsOf(write.error)
  const send = async () => {
    const made = await write.run({ name: name.trim(), description: description.trim() || null })
    if (made === undefined) return
    onClose()
    onDone?.(made.id)
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      size="s"
      onSubmit={() => name.trim() !== '' && !write.busy && void send()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={write.busy} disabled={name.trim() === ''}>
            {action}
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Name" hint={hint} error={faults.name ?? faults.title} required>
          <Input value={name} maxLength={500} onChange={({ currentTarget }) => setName(currentTarget.value)} />
        </Field>
        {hasDescription && (
          <Field label="Description" error={faults.description}>
            <TextArea value={description} onChange={({ currentTarget }) => setDescription(currentTarget.value)} />
          </Field>
        )}
        <FormError error={write.error} at={['name', 'title', 'description']} />
      </div>
    </Dialog>
  )
}

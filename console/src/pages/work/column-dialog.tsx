import type { Column, Project } from '@atrium/sdk'
import { useState } from 'react'
import { FormError } from '../../app/error-state.tsx'
import { faultsOf, patch, useWrite } from '../../data/index.ts'
import { Button, Dialog, Field, Input } from '../../design/index.ts'

const colors: readonly (readonly [string | null, string])[] = [
  [null, 'None'],
  ['#8b8fa3', 'Grey'],
  ['#3b82c4', 'Blue'],
  ['#3f9a63', 'Green'],
  ['#c98a1b', 'Amber'],
  ['#c4473b', 'Red'],
  ['#8a5cc2', 'Violet'],
  ['#2a9d9d', 'Teal'],
]

interface ColumnDialogProps {
  readonly project: Project
  /** Without one it makes one. */
  readonly column?: Column
  readonly onClose: () => void
}

interface Given {
  readonly name: string
  readonly color: string | null
}

export function ColumnDialog({ project, column, onClose }: ColumnDialogProps) {
  const [name, setName] = useState(column?.name ?? '')
  const [color, setColor] = useState(column?.color ?? null)
  const write = useWrite({
    write: (atrium, given: Given) =>
      column === undefined
        ? atrium.columns.create({ workspace: project.workspace, project: project.id, ...given })
        : atrium.columns.update(column.id, { ...given }),
    changes: (given) => (column === undefined ? [] : [patch('column', column.id, given)]),
    done: (made) => (column === undefined ? `${made.name} added` : `${made.name} saved`),
    undo: (_made, _given) =>
      column === undefined
        ? null
        : (atrium) => atrium.columns.update(column.id, { name: column.name, color: column.color }),
    toastErrors: false,
  })
  const send = async () => {
    if ((await write.run({ name: name.trim(), color })) !== undefined) onClose()
  }
  // One that was set elsewhere stays to be chosen.
  const known = colors.some(([value]) => value === color) ? colors : [...colors, [color, color ?? ''] as const]
  return (
    <Dialog
      open
      onClose={onClose}
      size="s"
      title={column === undefined ? 'New column' : 'Name and colour'}
      onSubmit={() => name.trim() !== '' && !write.busy && void send()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={write.busy} disabled={name.trim() === ''}>
            {column === undefined ? 'Add column' : 'Save'}
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Name" error={faultsOf(write.error).name} required>
          <Input value={name} maxLength={500} onChange={({ currentTarget }) => setName(currentTarget.value)} />
        </Field>
        <fieldset className="column-colors">
          <legend className="field-label">Colour</legend>
          {known.map(([value, label]) => (
            <label className="column-color" key={label}>
              <input
                type="radio"
                name="color"
                className="unseen"
                checked={value === color}
                onChange={() => setColor(value)}
              />
              <span className="column-swatch" style={value ? { background: value } : undefined} />
              <span className="unseen">{label}</span>
            </label>
          ))}
        </fieldset>
        <FormError error={write.error} at={['name']} />
      </div>
    </Dialog>
  )
}

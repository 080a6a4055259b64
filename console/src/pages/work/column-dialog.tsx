import type { Column, Project } from '@atrium/sdk'
import { useState } from 'react'
import { FormDialog } from '../../app/form-dialog.tsx'
import type { Status } from '../../app/tasks/values.ts'
import { fieldErrors, patch, useAtrium, useWrite } from '../../data/index.ts'
import { Field, Input } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { StatusChoice, useCountOthers } from './column-status.tsx'

type Color = string | null

const colors: readonly (readonly [Color, string])[] = [
  [null, t('None')],
  ['#8b8fa3', t('Gray')],
  ['#3b82c4', t('Blue')],
  ['#3f9a63', t('Green')],
  ['#c98a1b', t('Amber')],
  ['#c4473b', t('Red')],
  ['#8a5cc2', t('Violet')],
  ['#2a9d9d', t('Teal')],
]

interface ColumnFields {
  readonly name: string
  readonly color: Color
  readonly status: Status | null
}

interface ColumnDialogProps {
  readonly project: Project
  /** Undefined to create a column. */
  readonly column?: Column
  readonly onClose: () => void
  /** A column has a new status that `count` of its tasks do not have. */
  readonly onStatus?: (column: Column, count: number) => void
}

export function ColumnDialog({ project, column, onClose, onStatus }: ColumnDialogProps) {
  const [name, setName] = useState(column?.name ?? '')
  const [color, setColor] = useState<Color>(column?.color ?? null)
  // The server's own value.
  const [status, setStatus] = useState((column?.status ?? null) as Status | null)
  const atrium = useAtrium()
  const countOthers = useCountOthers()
  const write = useColumnWrite(project, column)
  const save = async () => {
    const saved = await write.run({ name: name.trim(), color, status })
    if (saved === undefined) return
    onClose()
    if (column === undefined || status === null || status === column.status) return
    const count = await countOthers(atrium, saved).catch(() => 0)
    if (count > 0) onStatus?.(saved, count)
  }
  return (
    <FormDialog
      size="s"
      title={column === undefined ? t('New column') : t('Edit column')}
      action={column === undefined ? t('Create') : t('Save')}
      isReady={name.trim() !== ''}
      write={write}
      fields={['name']}
      onSubmit={save}
      onClose={onClose}
    >
      <Field label={t('Name')} error={fieldErrors(write.error).name} required>
        <Input value={name} maxLength={500} onChange={({ currentTarget }) => setName(currentTarget.value)} />
      </Field>
      <Field label={t('Status')} hint={t('A task takes it when it enters the column.')}>
        <StatusChoice label={t('Status')} value={status} onChange={setStatus} />
      </Field>
      <ColorChoice value={color} onChange={setColor} />
    </FormDialog>
  )
}

function useColumnWrite(project: Project, column: Column | undefined) {
  return useWrite({
    write: (atrium, fields: ColumnFields) =>
      column === undefined
        ? atrium.columns.create({ workspace: project.workspace, project: project.id, ...fields })
        : atrium.columns.update(column.id, { ...fields }),
    changes: (fields) => (column === undefined ? [] : [patch('column', column.id, fields)]),
    done: ({ name }) => (column === undefined ? t('{name} created', { name }) : t('{name} saved', { name })),
    undo: () =>
      column === undefined
        ? null
        : (atrium) =>
            atrium.columns.update(column.id, {
              name: column.name,
              color: column.color,
              // The server's own value.
              status: column.status as Status | null,
            }),
    toastErrors: false,
  })
}

function ColorChoice({ value, onChange }: { readonly value: Color; readonly onChange: (color: Color) => void }) {
  // The API allows any color, so the current one may not be in the list.
  const choices = colors.some(([color]) => color === value) ? colors : [...colors, [value, value ?? ''] as const]
  return (
    <fieldset className="column-colors">
      <legend className="field-label">{t('Color')}</legend>
      {choices.map(([color, label]) => (
        <label className="column-color" key={label}>
          <input
            type="radio"
            name="color"
            className="unseen"
            checked={color === value}
            onChange={() => onChange(color)}
          />
          <span className="column-swatch" style={color ? { background: color } : undefined} />
          <span className="unseen">{label}</span>
        </label>
      ))}
    </fieldset>
  )
}

/** Creates or edits a custom field with its options. */
import './fields.css'
import type { CustomField } from '@atrium/sdk'
import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react'
import { useId, useState } from 'react'
import { FormDialog } from '../../app/form-dialog.tsx'
import { fieldErrors, useWrite } from '../../data/index.ts'
import { Button, Field, FieldGroup, IconButton, Input, Select } from '../../design/index.ts'
import { FieldDot } from './field-show.tsx'
import { type FieldType, field_types, hasOptions, typeName } from './field-values.ts'

const options_max = 100

const colors = [
  { value: '', label: 'No color' },
  { value: '#8b8fa3', label: 'Gray' },
  { value: '#3b82c4', label: 'Blue' },
  { value: '#3f9a63', label: 'Green' },
  { value: '#c98a1b', label: 'Amber' },
  { value: '#c4473b', label: 'Red' },
  { value: '#8a5cc2', label: 'Violet' },
  { value: '#2a9d9d', label: 'Teal' },
]

/** An option while it is edited. `row` identifies it; `id` is absent until the server has given it one. */
interface Draft {
  readonly row: number
  readonly id?: string
  readonly name: string
  readonly color: string | null
}

interface FieldDialogProps {
  readonly workspace: string
  /** Absent for a new one. */
  readonly field?: CustomField
  readonly onClose: () => void
}

export function FieldDialog({ workspace, field, onClose }: FieldDialogProps) {
  const [name, setName] = useState(field?.name ?? '')
  const [ownKey, setOwnKey] = useState<string | null>(null)
  const [type, setType] = useState<FieldType>((field?.type as FieldType | undefined) ?? 'text')
  const [options, setOptions] = useState<readonly Draft[]>(() =>
    (field?.options ?? []).map((option, row) => ({ ...option, row })),
  )
  const key = ownKey ?? keyOf(name)
  const write = useFieldWrite(workspace, field)
  const named = options.filter((option) => option.name.trim() !== '')
  const save = async () => {
    const sent = hasOptions(type) ? named.map(({ row: _, ...option }) => ({ ...option, name: option.name.trim() })) : []
    if ((await write.run({ key, name: name.trim(), type, options: sent })) !== undefined) onClose()
  }
  const errors = fieldErrors(write.error)
  return (
    <FormDialog
      title={field === undefined ? 'New custom field' : `Edit ${field.name}`}
      action={field === undefined ? 'Create' : 'Save'}
      isReady={name.trim() !== '' && (field !== undefined || key !== '')}
      write={write}
      fields={['name', 'key']}
      onSubmit={save}
      onClose={onClose}
    >
      <Field label="Name" error={errors.name} required>
        <Input value={name} maxLength={500} onChange={({ currentTarget }) => setName(currentTarget.value)} />
      </Field>
      {field === undefined ? (
        <>
          <Field label="Type" hint="The type never changes.">
            <Select value={type} choices={field_types} onChange={setType} />
          </Field>
          <Field
            label="Key"
            hint="Names the field in filters, imports and the API. It never changes."
            error={errors.key}
          >
            <Input
              className="mono"
              value={key}
              maxLength={40}
              onChange={({ currentTarget }) => setOwnKey(keyOf(currentTarget.value, false))}
            />
          </Field>
        </>
      ) : (
        <p className="subtle">
          {typeName(field.type)}, with the key <code>{field.key}</code>. Neither changes.
        </p>
      )}
      {hasOptions(type) && <OptionList options={options} onChange={setOptions} isNew={field === undefined} />}
    </FormDialog>
  )
}

/** A key made from a name: small letters, digits and `_`, first a letter. */
function keyOf(name: string, isWhole = true): string {
  let key = name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '_')
    .replace(/^[^a-z]+/, '')
    .slice(0, 40)
  while (isWhole && key.endsWith('_')) key = key.slice(0, -1)
  return key
}

interface FieldFields {
  readonly key: string
  readonly name: string
  readonly type: FieldType
  readonly options: readonly { readonly id?: string; readonly name: string; readonly color: string | null }[]
}

function useFieldWrite(workspace: string, field: CustomField | undefined) {
  return useWrite({
    write: (atrium, { key, name, type, options }: FieldFields) =>
      field === undefined
        ? atrium.customFields.create({ workspace, key, name, type, options: [...options] })
        : atrium.customFields.update(field.id, { name, ...(hasOptions(type) && { options: [...options] }) }),
    done: ({ name }) => (field === undefined ? `${name} created` : `${name} saved`),
    undo: () =>
      field === undefined
        ? null
        : (atrium) => atrium.customFields.update(field.id, { name: field.name, options: field.options }),
    toastErrors: false,
  })
}

interface OptionListProps {
  readonly options: readonly Draft[]
  readonly onChange: (options: readonly Draft[]) => void
  readonly isNew: boolean
}

function OptionList({ options, onChange, isNew }: OptionListProps) {
  const change = (row: number, fields: Partial<Draft>) =>
    onChange(options.map((option) => (option.row === row ? { ...option, ...fields } : option)))
  const moveBy = (index: number, by: -1 | 1) => {
    const others = options.toSpliced(index, 1)
    onChange(others.toSpliced(index + by, 0, options[index] as Draft))
  }
  const add = () =>
    onChange([...options, { row: Math.max(-1, ...options.map(({ row }) => row)) + 1, name: '', color: null }])
  return (
    <FieldGroup label="Options" hint={isNew ? undefined : 'Tasks keep a removed option until they get another one.'}>
      <ol className="field-option-list">
        {options.map((option, i) => (
          <OptionRow
            key={option.row}
            option={option}
            number={i + 1}
            isLast={i === options.length - 1}
            onChange={(fields) => change(option.row, fields)}
            onMove={(by) => moveBy(i, by)}
            onRemove={() => onChange(options.filter(({ row }) => row !== option.row))}
          />
        ))}
      </ol>
      <Button
        kind="quiet"
        size="s"
        icon={Plus}
        className="field-option-add"
        disabled={options.length >= options_max}
        onClick={add}
      >
        Add option
      </Button>
    </FieldGroup>
  )
}

interface OptionRowProps {
  readonly option: Draft
  readonly number: number
  readonly isLast: boolean
  readonly onChange: (fields: Partial<Draft>) => void
  readonly onMove: (by: -1 | 1) => void
  readonly onRemove: () => void
}

function OptionRow({ option, number, isLast, onChange, onMove, onRemove }: OptionRowProps) {
  const id = useId()
  const called = option.name.trim() || `option ${number}`
  const { color } = option
  const isKnown = colors.some(({ value }) => value === (color ?? ''))
  return (
    <li className="field-option">
      <FieldDot color={color} />
      <div className="grow">
        <Input
          id={id}
          aria-label={`Name of option ${number}`}
          value={option.name}
          maxLength={100}
          autoFocus={option.id === undefined && option.name === ''}
          onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
        />
      </div>
      <Select
        aria-label={`Color of ${called}`}
        value={color ?? ''}
        choices={isKnown ? colors : [...colors, { value: color ?? '', label: 'Own color' }]}
        onChange={(next) => onChange({ color: next === '' ? null : next })}
      />
      <IconButton
        icon={ArrowUp}
        label={`Move ${called} up`}
        size="s"
        disabled={number === 1}
        onClick={() => onMove(-1)}
      />
      <IconButton icon={ArrowDown} label={`Move ${called} down`} size="s" disabled={isLast} onClick={() => onMove(1)} />
      <IconButton icon={X} label={`Remove ${called}`} size="s" onClick={onRemove} />
    </li>
  )
}

/** Creates or edits a custom field with its options. */
import '../../app/tasks/fields.css'
import type { CustomField } from '@atrium/sdk'
import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react'
import { useId, useState } from 'react'
import { FormDialog } from '../../app/form-dialog.tsx'
import { FieldDot } from '../../app/tasks/field-show.tsx'
import { type FieldType, field_types, hasOptions, typeName } from '../../app/tasks/field-values.ts'
import { fieldErrors, useWrite } from '../../data/index.ts'
import { Button, Field, FieldGroup, IconButton, Input, Select } from '../../design/index.ts'
import { rich, t } from '../../language/index.ts'

const options_max = 100

const colors = [
  { value: '', label: t('No color') },
  { value: '#8b8fa3', label: t('Gray') },
  { value: '#3b82c4', label: t('Blue') },
  { value: '#3f9a63', label: t('Green') },
  { value: '#c98a1b', label: t('Amber') },
  { value: '#c4473b', label: t('Red') },
  { value: '#8a5cc2', label: t('Violet') },
  { value: '#2a9d9d', label: t('Teal') },
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
      title={field === undefined ? t('New custom field') : t('Edit {name}', { name: field.name })}
      action={field === undefined ? t('Create') : t('Save')}
      isReady={name.trim() !== '' && (field !== undefined || key !== '')}
      write={write}
      fields={['name', 'key']}
      onSubmit={save}
      onClose={onClose}
    >
      <Field label={t('Name')} error={errors.name} required>
        <Input value={name} maxLength={500} onChange={({ currentTarget }) => setName(currentTarget.value)} />
      </Field>
      {field === undefined ? (
        <>
          <Field label={t('Type')} hint={t('The type never changes.')}>
            <Select value={type} choices={field_types} onChange={setType} />
          </Field>
          <Field
            label={t('Key')}
            hint={t('Names the field in filters, imports and the API. It never changes.')}
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
          {rich('{typeName}, with the key {code}. Neither changes.', {
            typeName: typeName(field.type),
            code: <code>{field.key}</code>,
          })}
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
    done: ({ name }) => (field === undefined ? t('{name} created', { name }) : t('{name} saved', { name })),
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
    <FieldGroup
      label={t('Options')}
      hint={isNew ? undefined : t('Tasks keep a removed option until they get another one.')}
    >
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
        {t('Add option')}
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
  const called = option.name.trim() || t('option {number}', { number })
  const { color } = option
  const isKnown = colors.some(({ value }) => value === (color ?? ''))
  return (
    <li className="field-option">
      <FieldDot color={color} />
      <div className="grow">
        <Input
          id={id}
          aria-label={t('Name of option {number}', { number })}
          value={option.name}
          maxLength={100}
          autoFocus={option.id === undefined && option.name === ''}
          onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
        />
      </div>
      <Select
        aria-label={t('Color of {called}', { called })}
        value={color ?? ''}
        choices={isKnown ? colors : [...colors, { value: color ?? '', label: t('Own color') }]}
        onChange={(next) => onChange({ color: next === '' ? null : next })}
      />
      <IconButton
        icon={ArrowUp}
        label={t('Move {called} up', { called })}
        size="s"
        disabled={number === 1}
        onClick={() => onMove(-1)}
      />
      <IconButton
        icon={ArrowDown}
        label={t('Move {called} down', { called })}
        size="s"
        disabled={isLast}
        onClick={() => onMove(1)}
      />
      <IconButton icon={X} label={t('Remove {called}', { called })} size="s" onClick={onRemove} />
    </li>
  )
}

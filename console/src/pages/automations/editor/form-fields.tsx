/** The fields of a form: label, kind, name in formulas, options and hint of each, in the order of the page. */
import '../automations.css'
import { ArrowUp, Plus, Trash2 } from 'lucide-react'
import { Button, Checkbox, Field, IconButton, Input, Select, TextArea } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { type FormFieldDraft, formFieldsOf } from './form-field.ts'
import type { SettingProps } from './setting.ts'

const fields_max = 20

const kind_choices = [
  { value: 'short_text', label: t('Short text') },
  { value: 'long_text', label: t('Long text') },
  { value: 'select', label: t('Selection') },
  { value: 'number', label: t('Number') },
  { value: 'date', label: t('Date') },
  { value: 'checkbox', label: t('Checkbox') },
  { value: 'email', label: t('E-mail address') },
]

export function FormFieldsField({ value, onChange }: SettingProps) {
  const fields = formFieldsOf(value)
  const change = (index: number, next: FormFieldDraft) => onChange(fields.map((each, i) => (i === index ? next : each)))
  return (
    <div className="stack">
      {fields.map((field, i) => (
        <OneField
          // biome-ignore lint/suspicious/noArrayIndexKey: a field has no other identity; its name is edited
          key={i}
          number={i + 1}
          field={field}
          onChange={(next) => change(i, next)}
          onRemove={() => onChange(fields.toSpliced(i, 1))}
          onMoveUp={i === 0 ? null : () => onChange(fields.toSpliced(i, 1).toSpliced(i - 1, 0, field))}
        />
      ))}
      {fields.length < fields_max && (
        <Button icon={Plus} size="s" onClick={() => onChange([...fields, newField(fields)])}>
          {t('Add field')}
        </Button>
      )}
    </div>
  )
}

function newField(fields: readonly FormFieldDraft[]): FormFieldDraft {
  let number = fields.length + 1
  while (fields.some(({ key }) => key === `field_${number}`)) number++
  return { key: `field_${number}`, label: '', kind: 'short_text' }
}

interface OneFieldProps {
  readonly number: number
  readonly field: FormFieldDraft
  readonly onChange: (field: FormFieldDraft) => void
  readonly onRemove: () => void
  /** Null for the first field. */
  readonly onMoveUp: (() => void) | null
}

function OneField({ number, field, onChange, onRemove, onMoveUp }: OneFieldProps) {
  const { options, ...rest } = field
  const set = (more: Partial<FormFieldDraft>) => onChange({ ...field, ...more })
  const setKind = (kind: string) =>
    onChange(kind === 'select' ? { ...rest, kind, options: options ?? [t('First')] } : { ...rest, kind })
  return (
    <fieldset className="form-field-row">
      <legend>{t('Field {number}', { number })}</legend>
      <Field label={t('Label')} required>
        <Input
          value={field.label}
          maxLength={120}
          onChange={({ currentTarget }) => set({ label: currentTarget.value })}
        />
      </Field>
      <Field label={t('Kind')}>
        <Select choices={kind_choices} value={field.kind} onChange={setKind} />
      </Field>
      {field.kind === 'select' && (
        <Field label={t('Options')} hint={t('One per line.')}>
          <TextArea
            rows={3}
            value={(options ?? []).join('\n')}
            onChange={({ currentTarget }) => set({ options: currentTarget.value.split('\n') })}
          />
        </Field>
      )}
      <Field label={t('Name in formulas')} hint={t('Small letters, digits and _: form.{key}', { key: field.key })}>
        <Input
          className="formula-field"
          spellCheck={false}
          value={field.key}
          maxLength={40}
          onChange={({ currentTarget }) => set({ key: currentTarget.value })}
        />
      </Field>
      <Field label={t('Hint')}>
        <Input
          value={field.hint ?? ''}
          maxLength={300}
          onChange={({ currentTarget: { value } }) => onChange(withHint(field, value))}
        />
      </Field>
      <Checkbox
        label={t('Required')}
        checked={field.required === true}
        onChange={(isRequired) => onChange(withRequired(field, isRequired))}
      />
      <div className="row">
        {onMoveUp !== null && (
          <IconButton icon={ArrowUp} label={t('Move field {number} up', { number })} onClick={onMoveUp} />
        )}
        <IconButton icon={Trash2} label={t('Remove field {number}', { number })} onClick={onRemove} />
      </div>
    </fieldset>
  )
}

function withHint({ hint: _, ...field }: FormFieldDraft, hint: string): FormFieldDraft {
  return hint === '' ? field : { ...field, hint }
}

function withRequired({ required: _, ...field }: FormFieldDraft, required: boolean): FormFieldDraft {
  return required ? { ...field, required } : field
}

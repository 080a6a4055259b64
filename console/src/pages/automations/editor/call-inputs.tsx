/** The inputs that a flow takes from those that call it: name, kind and label of each. */
import '../automations.css'
import { Plus, Trash2 } from 'lucide-react'
import { Button, Checkbox, Field, IconButton, Input, Select } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { type CallInputDraft, callInputsOf } from './call.ts'
import type { SettingProps } from './setting.ts'

const inputs_max = 20

const kind_choices = [
  { value: 'text', label: t('Text') },
  { value: 'integer', label: t('Whole number') },
  { value: 'number', label: t('Number') },
  { value: 'boolean', label: t('Yes or no') },
  { value: 'list', label: t('List') },
  { value: 'object', label: t('Object') },
]

export function CallInputsField({ value, onChange }: SettingProps) {
  const inputs = callInputsOf(value)
  const set = (next: readonly CallInputDraft[]) => onChange(next.length === 0 ? undefined : next)
  return (
    <div className="stack">
      {inputs.map((input, i) => (
        <OneInput
          // biome-ignore lint/suspicious/noArrayIndexKey: an input has no other identity; its name is edited
          key={i}
          number={i + 1}
          input={input}
          onChange={(next) => set(inputs.map((each, at) => (at === i ? next : each)))}
          onRemove={() => set(inputs.toSpliced(i, 1))}
        />
      ))}
      {inputs.length < inputs_max && (
        <Button icon={Plus} size="s" onClick={() => set([...inputs, newInput(inputs)])}>
          {t('Add input')}
        </Button>
      )}
    </div>
  )
}

function newInput(inputs: readonly CallInputDraft[]): CallInputDraft {
  let number = inputs.length + 1
  while (inputs.some(({ key }) => key === `input_${number}`)) number++
  return { key: `input_${number}`, kind: 'text', required: true }
}

interface OneInputProps {
  readonly number: number
  readonly input: CallInputDraft
  readonly onChange: (input: CallInputDraft) => void
  readonly onRemove: () => void
}

function OneInput({ number, input, onChange, onRemove }: OneInputProps) {
  const { label: _, ...withoutLabel } = input
  const { required: __, ...optional } = input
  return (
    <fieldset className="form-field-row">
      <legend>{t('Input {number}', { number })}</legend>
      <Field label={t('Name in formulas')} hint={t('Small letters, digits and _: call.{key}', { key: input.key })}>
        <Input
          className="formula-field"
          spellCheck={false}
          value={input.key}
          maxLength={40}
          onChange={({ currentTarget }) => onChange({ ...input, key: currentTarget.value })}
        />
      </Field>
      <Field label={t('Kind')}>
        <Select choices={kind_choices} value={input.kind} onChange={(kind) => onChange({ ...input, kind })} />
      </Field>
      <Field label={t('Label')}>
        <Input
          value={input.label ?? ''}
          maxLength={120}
          onChange={({ currentTarget: { value } }) =>
            onChange(value === '' ? withoutLabel : { ...withoutLabel, label: value })
          }
        />
      </Field>
      <Checkbox
        label={t('Required')}
        checked={input.required === true}
        onChange={(isRequired) => onChange(isRequired ? { ...input, required: true } : optional)}
      />
      <div className="row">
        <IconButton icon={Trash2} label={t('Remove input {number}', { number })} onClick={onRemove} />
      </div>
    </fieldset>
  )
}

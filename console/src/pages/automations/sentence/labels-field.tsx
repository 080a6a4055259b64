/** Labels: those that tasks have, and new ones. A computed label stays as it is. */
import { Combobox } from '../../../design/index.ts'
import { formulaOf, textOf } from '../editor/values.ts'
import type { StepFieldProps } from './card-fields.ts'
import { readableText } from './variables.ts'

export function LabelsField({
  field,
  value,
  words,
  onValue,
}: Pick<StepFieldProps, 'field' | 'value' | 'words' | 'onValue'>) {
  const labels: readonly unknown[] = Array.isArray(value) ? value : []
  const byKey = new Map(labels.map((label) => [keyOf(label), label]))
  const known = new Set(words.labels.map((option) => option.value))
  const others = [...byKey].filter(([key]) => !known.has(key))
  const change = (keys: readonly string[]) => onValue(keys.map((key) => byKey.get(key) ?? key))
  return (
    <Combobox
      label={field.label}
      multiple
      options={[...words.labels, ...others.map(([key, label]) => ({ value: key, label: labelText(label) }))]}
      value={[...byKey.keys()]}
      onChange={change}
      onCreate={(text) => change([...byKey.keys(), text])}
    />
  )
}

function keyOf(label: unknown): string {
  return typeof label === 'string' ? label : JSON.stringify(label)
}

function labelText(label: unknown): string {
  return formulaOf(label) ?? readableText(textOf(label))
}

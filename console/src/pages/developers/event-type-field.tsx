/** Chooses event types and patterns: all events, an area, an object, or one type. */
import { useApp } from '../../data/index.ts'
import { Combobox, type ComboboxOption, Field } from '../../design/index.ts'
import { t } from '../../language/index.ts'

interface EventTypeFieldProps {
  readonly value: readonly string[]
  readonly onChange: (types: string[]) => void
  readonly error?: string | undefined
}

export function EventTypeField({ value, onChange, error }: EventTypeFieldProps) {
  const types = useApp('GET event-types', {})
  const names = types.data?.data.map(({ type }) => type) ?? []
  return (
    <Field
      label={t('Events')}
      hint={t('A pattern such as workflow.task.* also matches types that are added later.')}
      error={error}
      required
    >
      <Combobox
        label={t('Events')}
        multiple
        placeholder={t('Choose events')}
        options={[...patternsOf(names), ...names.map(typeOption)]}
        value={value}
        onChange={onChange}
      />
    </Field>
  )
}

const typeOption = (type: string): ComboboxOption => ({ value: type, label: type, group: t('Types') })

function patternsOf(names: readonly string[]): ComboboxOption[] {
  const parts = names.map((name) => name.split('.'))
  const areas = new Set(parts.map(([area]) => `${area}.*`))
  const objects = new Set(parts.map(([area, object]) => `${area}.${object}.*`))
  const option = (pattern: string): ComboboxOption => ({ value: pattern, label: pattern, group: t('Patterns') })
  return [
    { value: '*', label: '*', hint: t('All events'), group: t('Patterns') },
    ...[...areas, ...objects].map(option),
  ]
}

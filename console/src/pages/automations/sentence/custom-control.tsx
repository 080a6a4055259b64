/** The value of a custom field, by the field's type. */
import { Combobox, DayField, Input, Select } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import type { StepFieldProps } from './card-fields.ts'
import { PersonField } from './person-field.tsx'

export function CustomControl(props: StepFieldProps & { readonly fieldKey: string }) {
  const { field, value, words, fieldKey, onValue } = props
  const { type = 'text', options = [] } = words.fields.find(({ key }) => key === fieldKey) ?? {}
  if (type === 'person') return <PersonField {...props} />
  if (type === 'checkbox') {
    return (
      <Select
        choices={[
          { value: '', label: t('Select…') },
          { value: 'true', label: t('yes') },
          { value: 'false', label: t('no') },
        ]}
        value={value === undefined ? '' : String(value)}
        onChange={(next) => onValue(next === '' ? undefined : next === 'true')}
      />
    )
  }
  if (type === 'select' || type === 'multi_select') {
    const isMultiple = type === 'multi_select'
    const selected = Array.isArray(value) ? value.map(String) : value === undefined ? [] : [String(value)]
    // An option that was removed stays until another one is chosen.
    const unknown = selected.filter((each) => !options.some(({ id }) => id === each))
    return (
      <Combobox
        label={field.label}
        multiple={isMultiple}
        options={[...options, ...unknown.map((id) => ({ id, name: id }))].map(({ id, name }) => ({
          value: id,
          label: name,
        }))}
        value={selected}
        onChange={(next) => onValue(isMultiple ? next : next[0])}
      />
    )
  }
  if (type === 'date')
    return <DayField value={String(value ?? '')} onChange={(day) => onValue(day === '' ? undefined : day)} />
  const isNumber = type === 'number'
  return (
    <Input
      type={isNumber ? 'number' : 'text'}
      step="any"
      value={String(value ?? '')}
      onChange={({ currentTarget: { value: text } }) =>
        onValue(text === '' ? undefined : isNumber ? Number(text) : text)
      }
    />
  )
}

/** One question of a recipe, with the control of its kind. */
import { Combobox, type ComboboxOption, Field, Input, Select } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { ChatPicker } from '../editor/chat-picker.tsx'
import { usePeopleOptions, useProjectOptions } from '../editor/choices.ts'
import type { Question } from './recipe.ts'

interface QuestionFieldProps {
  readonly question: Question
  readonly workspace: string
  readonly value: string
  readonly onChange: (answer: string) => void
}

const weekdays = [t('Sunday'), t('Monday'), t('Tuesday'), t('Wednesday'), t('Thursday'), t('Friday'), t('Saturday')]
const weekdayChoices = weekdays.map((label, i) => ({ value: String(i), label }))

const input_types = { days: 'number', hours: 'number', time: 'time', text: 'text', label: 'text' } as const

export function QuestionField(props: QuestionFieldProps) {
  const { label, hint, kind } = props.question
  return (
    <Field label={label} hint={hint} required={kind !== 'project'}>
      <Control {...props} />
    </Field>
  )
}

function Control(props: QuestionFieldProps) {
  const { question, value, onChange } = props
  const { kind } = question
  if (kind === 'person') return <PersonControl {...props} />
  if (kind === 'project') return <ProjectControl {...props} />
  if (kind === 'weekday') return <Select choices={weekdayChoices} value={value} onChange={onChange} />
  if (kind === 'chat') return <ChatPicker label={question.label} value={value} onChange={onChange} />
  const type = kind === 'status' ? 'text' : input_types[kind]
  return (
    <Input
      type={type}
      min={type === 'number' ? 1 : undefined}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

function PersonControl(props: QuestionFieldProps) {
  return <Picker {...props} options={usePeopleOptions()} />
}

function ProjectControl(props: QuestionFieldProps) {
  return (
    <Picker {...props} options={[{ value: '', label: t('All projects') }, ...useProjectOptions(props.workspace)]} />
  )
}

function Picker({
  question,
  value,
  onChange,
  options,
}: QuestionFieldProps & { readonly options: readonly ComboboxOption[] }) {
  const isEmpty = value === '' && question.kind !== 'project'
  return (
    <Combobox
      label={question.label}
      options={options}
      value={isEmpty ? [] : [value]}
      onChange={([next]) => onChange(next ?? '')}
    />
  )
}

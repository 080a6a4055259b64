/** One setting of a node: its control by kind, and a switch to a formula where one may give the value. */
import { SquareFunction } from 'lucide-react'
import { useState } from 'react'
import {
  Checkbox,
  Combobox,
  type ComboboxOption,
  DateField,
  Field,
  IconButton,
  Input,
  inWords,
  Select,
  TextArea,
} from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { FormulaField } from '../formula/formula-field.tsx'
import { CallInputsField } from './call-inputs.tsx'
import { CasesField } from './cases-field.tsx'
import { ChatPicker } from './chat-picker.tsx'
import {
  priorityOptions,
  statusOptions,
  useCallableFlows,
  useColumnOptions,
  useEventOptions,
  usePeopleOptions,
  useProjectOptions,
  useTemplateOptions,
  useWatchedFields,
} from './choices.ts'
import { FilterControl } from './filter-field.tsx'
import { FormFieldsField } from './form-fields.tsx'
import { JsonField } from './json-field.tsx'
import type { NodeField } from './kinds.ts'
import { PeopleField } from './people-field.tsx'
import type { SettingProps } from './setting.ts'
import { TaskListField } from './task-list.tsx'
import { TaskPicker } from './task-picker.tsx'
import { formulaOf, secondsIn, textOf, type Unit, unitChoices, unitOf, valueOfText } from './values.ts'

export function NodeFieldControl(props: SettingProps & { readonly error: string | undefined }) {
  const { field, value, onChange, error } = props
  const formula = formulaOf(value)
  // Which tasks are created is chosen; the formula of their list is a field of its own.
  const isFormula = formula !== undefined && field.kind !== 'formula' && field.kind !== 'task_source'
  if (field.kind === 'checkbox') {
    return (
      <Checkbox label={field.label} checked={value === true} onChange={(checked) => onChange(checked || undefined)} />
    )
  }
  return (
    <Field
      label={field.label}
      hint={isFormula ? t('A formula: task.assignee, steps.ask.output') : field.hint}
      error={error}
      required={field.required ?? false}
      aside={
        field.computed && (
          <IconButton
            icon={SquareFunction}
            label={
              isFormula
                ? t('{label} as a value', { label: field.label })
                : t('{label} by a formula', { label: field.label })
            }
            size="s"
            pressed={isFormula}
            onClick={() => onChange(isFormula ? undefined : { $expr: '' })}
          />
        )
      }
    >
      {isFormula ? (
        <FormulaField label={field.label} path={field.path} value={formula} onChange={($expr) => onChange({ $expr })} />
      ) : (
        <Control {...props} />
      )}
    </Field>
  )
}

const controls: Readonly<Record<NodeField['kind'], (props: SettingProps) => React.ReactNode>> = {
  text: TextControl,
  long_text: TextControl,
  formula: ({ value, onChange, field }) => (
    <FormulaField
      label={field.label}
      path={field.path}
      value={textOf(value)}
      onChange={(text) => onChange(text === '' && !field.required ? undefined : text)}
    />
  ),
  status: (props) => <Picker {...props} options={statusOptions} />,
  priority: (props) => <Picker {...props} options={priorityOptions} />,
  person: PersonControl,
  people: PeopleField,
  project: ProjectControl,
  column: ColumnControl,
  task: TaskPicker,
  parent: TaskPicker,
  template: TemplateControl,
  chat: ({ field, value, onChange }) => (
    <ChatPicker label={field.label} value={typeof value === 'string' ? value : ''} onChange={onChange} />
  ),
  labels: WordsControl,
  words: WordsControl,
  date: ({ value, onChange }) => (
    <DateField withTime value={typeof value === 'number' ? value : null} onChange={(at) => onChange(at ?? undefined)} />
  ),
  duration: DurationControl,
  number: ({ value, onChange }) => (
    <Input
      type="number"
      value={typeof value === 'number' ? String(value) : ''}
      onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? undefined : Number(currentTarget.value))}
    />
  ),
  choice: ChoiceControl,
  checkbox: () => null,
  events: EventsControl,
  watched_fields: WatchedFieldsControl,
  cases: CasesField,
  form_fields: FormFieldsField,
  flow: FlowControl,
  call_inputs: CallInputsField,
  task_source: TaskSourceControl,
  task_list: TaskListField,
  yes_no: YesNoControl,
  filter: FilterControl,
  json: JsonField,
}

/** The control of a setting by its kind. */
export function Control(props: SettingProps) {
  const Kind = controls[props.field.kind]
  return <Kind {...props} />
}

function TextControl({ field, value, onChange }: SettingProps) {
  const change = (text: string) => onChange(valueOfText(text, field.required ?? false))
  const text = textOf(value)
  return field.kind === 'long_text' ? (
    <TextArea rows={4} value={text} onChange={({ currentTarget }) => change(currentTarget.value)} />
  ) : (
    <Input value={text} onChange={({ currentTarget }) => change(currentTarget.value)} />
  )
}

const none = 'none-of-them'

/** Selects one of many; "None" sets the field to null where it may be empty. */
function Picker({
  field,
  value,
  onChange,
  options,
  canBeNone,
}: SettingProps & { readonly options: readonly ComboboxOption[]; readonly canBeNone?: boolean }) {
  const all = canBeNone ? [{ value: none, label: t('None') }, ...options] : options
  const selected = value === null ? none : typeof value === 'string' ? value : undefined
  const isKnown = selected === undefined || all.some((option) => option.value === selected)
  return (
    <Combobox
      label={field.label}
      options={isKnown ? all : [...all, { value: selected, label: t('Unknown') }]}
      value={selected === undefined ? [] : [selected]}
      onChange={([next]) => onChange(next === none ? null : next)}
    />
  )
}

function PersonControl(props: SettingProps) {
  return <Picker {...props} options={usePeopleOptions()} canBeNone />
}

function ProjectControl(props: SettingProps) {
  return <Picker {...props} options={useProjectOptions(props.workspace)} canBeNone />
}

function ColumnControl(props: SettingProps) {
  return <Picker {...props} options={useColumnOptions(props.project)} canBeNone />
}

function TemplateControl(props: SettingProps) {
  return <Picker {...props} options={useTemplateOptions(props.workspace)} />
}

/** A flow that is not active can be called once it is, so it is offered, too. */
function FlowControl(props: SettingProps) {
  const flows = useCallableFlows(props.workspace)
  const options = flows.map(({ id, name, status }) => ({
    value: id,
    label: name,
    hint: status === 'active' ? '' : inWords(status),
  }))
  // An empty id is no flow yet.
  return <Picker {...props} value={props.value === '' ? undefined : props.value} options={options} />
}

function TaskSourceControl({ value, onChange }: SettingProps) {
  const choices = [
    { value: 'listed', label: t('The tasks that are listed here') },
    { value: 'items', label: t('One for each item of a list') },
  ]
  return (
    <Select
      choices={choices}
      value={value === undefined ? 'listed' : 'items'}
      onChange={(next) => onChange(next === 'items' ? { $expr: 'task.labels' } : undefined)}
    />
  )
}

function YesNoControl({ value, onChange }: SettingProps) {
  const choices = [
    { value: '', label: t('Default') },
    { value: 'true', label: t('Yes') },
    { value: 'false', label: t('No') },
  ]
  return (
    <Select
      choices={choices}
      value={typeof value === 'boolean' ? String(value) : ''}
      onChange={(next) => onChange(next === '' ? undefined : next === 'true')}
    />
  )
}

function ChoiceControl({ field, value, onChange }: SettingProps) {
  const choices = (field.choices ?? []).map((word) => ({ value: word, label: inWords(word) }))
  const all = field.required ? choices : [{ value: '', label: t('Default') }, ...choices]
  return (
    <Select
      choices={all}
      value={typeof value === 'string' ? value : ''}
      onChange={(next) => onChange(next === '' ? undefined : next)}
    />
  )
}

function EventsControl({ field, value, onChange }: SettingProps) {
  const selected = Array.isArray(value) ? value.map(String) : []
  return <Combobox label={field.label} multiple options={useEventOptions()} value={selected} onChange={onChange} />
}

/** Selected by name, because a name that no object has starts nothing. Those of other objects than tasks are typed. */
function WatchedFieldsControl({ field, value, onChange, workspace }: SettingProps) {
  const known = useWatchedFields(workspace)
  const selected = Array.isArray(value) ? value.map(String) : []
  const others = selected.filter((each) => !known.some((option) => option.value === each))
  const change = (next: readonly string[]) => onChange(next.length === 0 ? undefined : next)
  return (
    <Combobox
      label={field.label}
      multiple
      placeholder={t('Any field')}
      options={[...known, ...others.map((each) => ({ value: each, label: each }))]}
      value={selected}
      onChange={change}
      onCreate={(text) => change([...selected, text])}
    />
  )
}

/** Words separated by commas; a word may insert values. */
function WordsControl({ value, onChange }: SettingProps) {
  const shown = Array.isArray(value) ? value.map(textOf).join(', ') : ''
  const [text, setText] = useState(shown)
  const change = (next: string) => {
    setText(next)
    const words = next.split(',').map((word) => word.trim())
    onChange(words.filter(Boolean).map((word) => valueOfText(word, true)))
  }
  return <Input value={text} onChange={({ currentTarget }) => change(currentTarget.value)} />
}

/** Seconds as a number and a unit. A trigger of due dates may also start before them. */
function DurationControl({ field, value, onChange }: SettingProps) {
  const seconds = typeof value === 'number' ? value : 0
  const [unit, setUnit] = useState<Unit>(unitOf(seconds))
  const isSigned = field.path === 'offset_seconds'
  const set = (amount: number, by: Unit, isBefore: boolean) => onChange((isBefore ? -1 : 1) * amount * secondsIn(by))
  const amount = Math.abs(seconds) / secondsIn(unit)
  return (
    <span className="row">
      <Input
        type="number"
        min={0}
        className="duration-amount"
        aria-label={t('{label}: amount', { label: field.label })}
        value={String(amount)}
        onChange={({ currentTarget }) => set(Number(currentTarget.value), unit, seconds < 0)}
      />
      <Select
        aria-label={t('{label}: unit', { label: field.label })}
        choices={unitChoices}
        value={unit}
        onChange={(next) => {
          setUnit(next)
          set(amount, next, seconds < 0)
        }}
      />
      {isSigned && (
        <Select
          aria-label={t('Before or after')}
          choices={[
            { value: 'before', label: t('before') },
            { value: 'after', label: t('after') },
          ]}
          value={seconds < 0 ? 'before' : 'after'}
          onChange={(side) => set(amount, unit, side === 'before')}
        />
      )}
    </span>
  )
}

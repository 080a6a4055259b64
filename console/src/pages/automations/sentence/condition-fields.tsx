/** A condition as filter chips: property, operator, values. A part that no chip says is shown as its formula, and kept. */
import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { Button, Combobox, type ComboboxOption, capitalized, IconButton, Input, Select } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { priorityOptions, statusOptions } from '../editor/choices.ts'
import { type NodeDraft, settingAt, withSetting } from '../editor/graph.ts'
import type { CardFieldsProps } from './card-fields.ts'
import {
  type Chip,
  type ChipValue,
  chipsOf,
  exprOf,
  isCustom,
  isTest,
  needsValue,
  type Operator,
  operatorsOf,
  type Root,
  type Test,
  task_properties,
} from './conditions.ts'
import type { Vocabulary } from './names.ts'
import { chipWords, operatorWords, propertyWords } from './words.ts'

interface ConditionFieldsProps extends CardFieldsProps {
  /** Where the expression is in the settings: `expr`, or the `when` of a trigger. */
  readonly path: string
  readonly label: string
  /** Whose values a new chip compares. */
  readonly root: Root
}

export function ConditionFields({ node, words, faults, onChange, path, label, root }: ConditionFieldsProps) {
  const expr = settingAt(node.config, path)
  const chips = chipsOf(typeof expr === 'string' ? expr : '')
  const error = faults.find(({ setting }) => setting === path)?.message
  const set = (next: readonly Chip[]) => {
    // A trigger without a condition has none; a condition without chips always holds.
    const text = next.length === 0 && path === 'when' ? undefined : exprOf(next)
    onChange((before: NodeDraft) => ({ ...before, config: withSetting(before.config, path, text) }), path)
  }
  return (
    <div className="conditions" role="group" aria-label={label}>
      {chips.map((chip, i) => (
        <ChipGroup
          // biome-ignore lint/suspicious/noArrayIndexKey: chips have no names, and typing in one keeps its place
          key={i}
          chip={chip}
          words={words}
          onChange={(next) => set(chips.with(i, next))}
          onRemove={() => set(chips.toSpliced(i, 1))}
        />
      ))}
      <AddFilter words={words} root={root} onAdd={(property) => set([...chips, newTest(property, root, words)])} />
      {error !== undefined && (
        <p className="field-error" role="alert">
          {error}
        </p>
      )}
    </div>
  )
}

interface AddFilterProps {
  readonly words: Vocabulary
  readonly root: Root
  readonly onAdd: (property: string) => void
}

function AddFilter({ words, root, onAdd }: AddFilterProps) {
  // An event says nothing of teams.
  const hasTeams = root === 'task' && words.teams.length > 0
  const known = task_properties.filter((property) => property !== 'teams' || hasTeams)
  const properties = [...known, ...words.fields.map(({ key }) => `custom_fields.${key}`)]
  const options = properties.map((property) => ({
    value: property,
    label: capitalized(propertyWords(property, words)),
    ...(isCustom(property) && { hint: t('Custom field') }),
  }))
  return (
    <Combobox
      label={t('Add filter')}
      options={options}
      value={[]}
      onChange={([property]) => property !== undefined && onAdd(property)}
      trigger={
        <Button size="s" kind="quiet" icon={Plus}>
          {t('Add filter')}
        </Button>
      }
    />
  )
}

/** A new chip asks for the most usual value, so that most need no further step. */
function newTest(property: string, root: Root, words: Vocabulary): Test {
  const type = typeOf(property, words)
  const [operator = 'is'] = operatorsOf(property, type)
  const first = valueOptions(property, words)?.[0]?.value
  const usual: Readonly<Record<string, ChipValue>> = { status: 'done', priority: 'urgent' }
  const value = usual[property] ?? (type === 'number' ? 0 : type === 'checkbox' ? true : (first ?? ''))
  return { root, property, operator, values: needsValue(operator) ? [value] : [] }
}

function typeOf(property: string, { fields }: Vocabulary): string | undefined {
  return fields.find(({ key }) => `custom_fields.${key}` === property)?.type
}

function ChipGroup({
  chip,
  words,
  onChange,
  onRemove,
}: {
  readonly chip: Chip
  readonly words: Vocabulary
  readonly onChange: (chip: Chip) => void
  readonly onRemove: () => void
}) {
  const text = capitalized(chipWords(chip, words).replace(/^its /, ''))
  return (
    <div className="condition-chip" role="group" aria-label={text}>
      {isTest(chip) ? (
        <TestParts chip={chip} words={words} onChange={onChange} />
      ) : (
        <code className="condition-formula" title={t('A formula. Edit it on the canvas.')}>
          {chip.formula}
        </code>
      )}
      <IconButton icon={X} label={t('Remove {text}', { text })} size="s" onClick={onRemove} />
    </div>
  )
}

interface TestPartsProps {
  readonly chip: Test
  readonly words: Vocabulary
  readonly onChange: (chip: Test) => void
}

function TestParts({ chip, words, onChange }: TestPartsProps) {
  const { property, operator } = chip
  const type = typeOf(property, words)
  const offered = operatorsOf(property, type)
  const operators = offered.includes(operator) ? offered : [...offered, operator]
  const name = capitalized(propertyWords(property, words))
  const choose = (next: Operator) => {
    const values = !needsValue(next)
      ? []
      : chip.values.length > 0
        ? chip.values.slice(0, takesSeveral(next) ? undefined : 1)
        : [valueOptions(property, words)?.[0]?.value ?? '']
    onChange({ ...chip, operator: next, values })
  }
  return (
    <>
      <span className="condition-name">{chip.root === 'before' ? t('{name} before', { name }) : name}</span>
      <Select
        aria-label={t('{name}: comparison', { name })}
        size="s"
        choices={operators.map((value) => ({ value, label: operatorWords({ ...chip, operator: value }) }))}
        value={operator}
        onChange={choose}
      />
      {needsValue(operator) && <ValueControl chip={chip} name={name} type={type} words={words} onChange={onChange} />}
    </>
  )
}

function takesSeveral(operator: Operator): boolean {
  return operator === 'is' || operator === 'is_not'
}

interface ValueControlProps extends TestPartsProps {
  readonly name: string
  readonly type: string | undefined
}

function ValueControl({ chip, name, type, words, onChange }: ValueControlProps) {
  const { property, operator, values } = chip
  const options = valueOptions(property, words)
  const [first = ''] = values
  const label = t('{name}: value', { name })
  if (type === 'checkbox') {
    return (
      <Select
        aria-label={label}
        size="s"
        choices={[
          { value: 'true', label: t('yes') },
          { value: 'false', label: t('no') },
        ]}
        value={String(first)}
        onChange={(next) => onChange({ ...chip, values: [next === 'true'] })}
      />
    )
  }
  if (options === null) {
    return <TypedValue label={label} chip={chip} isNumber={type === 'number'} onChange={onChange} />
  }
  const unknown = values.map(String).filter((each) => each !== '' && !options.some(({ value }) => value === each))
  const shown = [...options, ...unknown.map((value) => ({ value, label: words.nameOf(value) }))]
  const canCreate = property === 'labels'
  return (
    <Combobox
      label={label}
      size="s"
      multiple={takesSeveral(operator)}
      options={shown}
      value={values.map(String)}
      onChange={(next) => next.length > 0 && onChange({ ...chip, values: next })}
      {...(canCreate && { onCreate: (text: string) => onChange({ ...chip, values: [text] }) })}
    />
  )
}

/** A text or number as it is typed: a number that cannot be read yet is not passed on. */
function TypedValue({
  label,
  chip,
  isNumber,
  onChange,
}: {
  readonly label: string
  readonly chip: Test
  readonly isNumber: boolean
  readonly onChange: (chip: Test) => void
}) {
  const [text, setText] = useState(String(chip.values[0] ?? ''))
  return (
    <Input
      aria-label={label}
      className="condition-input"
      type={isNumber ? 'number' : 'text'}
      step="any"
      maxLength={200}
      value={text}
      onChange={({ currentTarget: { value } }) => {
        setText(value)
        if (!isNumber) onChange({ ...chip, values: [value] })
        else if (value !== '' && Number.isFinite(Number(value))) onChange({ ...chip, values: [Number(value)] })
      }}
    />
  )
}

/** The values that are chosen by name; null where they are typed. */
function valueOptions(property: string, words: Vocabulary): readonly ComboboxOption[] | null {
  if (property === 'status') return statusOptions
  if (property === 'priority') return priorityOptions
  if (property === 'labels') return words.labels
  if (property === 'teams') return words.teams
  if (property === 'assignee' || property === 'creator.id') return words.people
  if (property === 'project') return words.projects
  const field = words.fields.find(({ key }) => `custom_fields.${key}` === property)
  if (field?.type === 'person') return words.people
  if (field?.type === 'select' || field?.type === 'multi_select') {
    return field.options.map(({ id, name }) => ({ value: id, label: name }))
  }
  return null
}

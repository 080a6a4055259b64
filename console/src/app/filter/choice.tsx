/** The steps of a filter: a property, an operator, values. Each is a list that typing narrows; the focus stays in its field. */
import { Check } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useState } from 'react'
import { useDirectory } from '../../data/index.ts'
import { useActiveIndex } from '../../design/active-index.ts'
import { Avatar, Button, DayField, submitHandler } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { FieldDot } from '../tasks/field-show.tsx'
import { PriorityMark, StatusMark } from '../tasks/marks.tsx'
import { type Chip, type ChipValue, type Operator, text_property } from './chips.ts'
import { dayChip, hasOtherDays } from './days.ts'
import {
  needsValue,
  operatorTitle,
  optionFor,
  optionsOf,
  type Property,
  propertiesOf,
  propertyHint,
  propertyOf,
  takesSeveral,
  typedValue,
  type ValueOption,
  type Vocabulary,
} from './values.ts'

/** Options shown at once; typing narrows the list. */
const shown_max = 100
const text_chars_max = 200

interface Choice {
  readonly key: string
  readonly label: string
  readonly hint?: string
  readonly words?: string
  readonly mark?: ReactNode
  readonly checked?: boolean
}

interface ChoiceListProps {
  readonly label: string
  readonly choices: readonly Choice[]
  readonly onTake: (key: string) => void
  /** Backspace in the empty field. */
  readonly onBack?: () => void
  /** Takes the typed text if no choice fits. */
  readonly onText?: (text: string) => void
  readonly children?: ReactNode
}

function ChoiceList({ label, choices, onTake, onBack, onText, children }: ChoiceListProps) {
  const id = useId()
  const [text, setText] = useState('')
  const matches = useMemo(() => matching(choices, text.trim().toLowerCase()), [choices, text])
  const isNew = onText !== undefined && text.trim() !== '' && matches.length === 0
  const rows: readonly Choice[] = isNew ? [{ key: text, label: `“${text.trim()}”` }] : matches
  const take = (index: number) => {
    const row = rows[index]
    if (isNew) onText(text.trim())
    else if (row) onTake(row.key)
  }
  const { active, setActive, onKeyDown } = useActiveIndex(rows.length, take)
  return (
    <div className="choosing">
      <StepInput
        label={label}
        list={`${id}-list`}
        active={active >= 0 ? `${id}-${active}` : undefined}
        text={text}
        onText={(next) => {
          setText(next)
          setActive(0)
        }}
        onBack={onBack}
        onKeyDown={onKeyDown}
      />
      <div className="choosing-list" id={`${id}-list`} role="listbox" aria-label={label}>
        {rows.map((row, i) => (
          <Option
            key={row.key}
            id={`${id}-${i}`}
            choice={row}
            isActive={i === active}
            onTake={() => take(i)}
            onHover={() => setActive(i)}
          />
        ))}
      </div>
      {rows.length === 0 && <p className="choosing-none">{t('No results')}</p>}
      {children}
    </div>
  )
}

/** The choices that contain a text; those whose label begins with it come first. */
function matching(choices: readonly Choice[], wanted: string): readonly Choice[] {
  const textOf = ({ label, hint = '', words = '' }: Choice) => `${label} ${hint} ${words}`.toLowerCase()
  return choices
    .filter((each) => textOf(each).includes(wanted))
    .toSorted((a, b) => Number(begins(b, wanted)) - Number(begins(a, wanted)))
    .slice(0, shown_max)
}

interface StepInputProps {
  readonly label: string
  /** The id of the list, and of its active option. */
  readonly list: string
  readonly active: string | undefined
  readonly text: string
  readonly onText: (text: string) => void
  readonly onBack: (() => void) | undefined
  readonly onKeyDown: (event: KeyboardEvent) => void
}

function StepInput({ label, list, active, text, onText, onBack, onKeyDown }: StepInputProps) {
  return (
    <input
      type="text"
      className="choosing-search"
      role="combobox"
      aria-label={label}
      aria-expanded="true"
      aria-controls={list}
      aria-activedescendant={active}
      autoComplete="off"
      placeholder={`${label}…`}
      value={text}
      // biome-ignore lint/a11y/noAutofocus: each step continues the one before
      autoFocus
      onKeyDown={(event) => {
        if (event.key !== 'Backspace' || text !== '' || onBack === undefined) return onKeyDown(event)
        event.preventDefault()
        onBack()
      }}
      onChange={({ currentTarget }) => onText(currentTarget.value)}
    />
  )
}

function begins({ label }: Choice, wanted: string): boolean {
  return label.toLowerCase().startsWith(wanted)
}

interface OptionProps {
  readonly id: string
  readonly choice: Choice
  readonly isActive: boolean
  readonly onTake: () => void
  readonly onHover: () => void
}

function Option({ id, choice: { label, hint, mark, checked }, isActive, onTake, onHover }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
    <div
      id={id}
      role="option"
      aria-selected={checked ?? isActive}
      className="choosing-option"
      data-here={isActive || undefined}
      ref={isActive ? (element) => element?.scrollIntoView({ block: 'nearest' }) : undefined}
      onPointerMove={onHover}
      onPointerDown={(event) => event.preventDefault()}
      onClick={onTake}
    >
      {mark}
      <span className="grow cut">{label}</span>
      {hint && <span className="subtle cut choosing-hint">{hint}</span>}
      {checked && <Check aria-hidden="true" className="menu-icon" />}
    </div>
  )
}

interface ChipStepsProps {
  readonly vocabulary: Vocabulary
  readonly onChip: (chip: Chip) => void
  /** Backspace in the first step. */
  readonly onBack: () => void
  readonly onPending: OnPending
}

/** Called with several values that are chosen and not applied yet; null without any. */
type OnPending = (chip: Chip | null) => void

/** Property, operator, value. */
export function ChipSteps({ vocabulary, onChip, onBack, onPending }: ChipStepsProps) {
  const [property, setProperty] = useState<Property | null>(null)
  const [operator, setOperator] = useState<Operator | null>(null)
  const takeOperator = (name: string, next: Operator) => {
    if (needsValue(next)) setOperator(next)
    else onChip({ property: name, operator: next, values: [] })
  }
  if (property === null) {
    const take = (name: string) => {
      const next = propertyOf(name, vocabulary)
      setProperty(next)
      const [only] = next.operators
      setOperator(next.operators.length === 1 && only ? only : null)
    }
    return (
      <ChoiceList
        key="property"
        label={t('Filter by')}
        choices={propertiesOf(vocabulary).map(propertyChoice)}
        onTake={take}
        onBack={onBack}
      />
    )
  }
  if (operator === null) {
    const choices = property.operators.map((each) => ({ key: each, label: operatorTitle(property, each) }))
    return (
      <ChoiceList
        key="operator"
        label={property.title}
        choices={choices}
        onTake={(key) => takeOperator(property.name, property.operators.find((each) => each === key) ?? 'is')}
        onBack={() => setProperty(null)}
      />
    )
  }
  const back = () => (property.operators.length === 1 ? setProperty(null) : setOperator(null))
  const chip: Chip = { property: property.name, operator, values: [] }
  return <ValueStep key="value" {...{ chip, vocabulary, onChip, onPending }} onBack={back} />
}

function propertyChoice(property: Property): Choice {
  const { name, title, words } = property
  const hint = propertyHint(property)
  return { key: name, label: title, ...(words && { words }), ...(hint && { hint }) }
}

interface ValueStepProps {
  readonly chip: Chip
  readonly vocabulary: Vocabulary
  readonly onChip: (chip: Chip) => void
  readonly onPending: OnPending
  readonly onBack?: () => void
}

/** The values of a chip. Several values are applied together. */
export function ValueStep(props: ValueStepProps) {
  const { operator, property } = props.chip
  const { kind } = propertyOf(property, props.vocabulary)
  if (takesSeveral(operator)) return <SeveralValues {...props} />
  if (kind === 'text' || kind === 'number') return <TypedValue {...props} />
  return kind === 'choice' ? <OneValue {...props} /> : <DayValue {...props} />
}

function OneValue({ chip, vocabulary, onChip, onBack }: ValueStepProps) {
  const { operator, values } = chip
  const property = propertyOf(chip.property, vocabulary)
  const options = optionsOf(property.name, operator, vocabulary)
  const current = values[0] && optionFor(options, values[0])
  const take = (next: readonly ChipValue[]) => onChip({ ...chip, values: next })
  return (
    <ChoiceList
      label={valueLabel(chip, vocabulary)}
      choices={options.map((each, i) => choiceOf(property, each, i, current === each))}
      onTake={(key) => take(options[Number(key)]?.values ?? [])}
      {...(takesText(property) && { onText: (text: string) => take([{ text, quoted: true }]) })}
      {...(onBack && { onBack })}
    />
  )
}

function SeveralValues({ chip, vocabulary, onChip, onPending, onBack }: ValueStepProps) {
  const { operator } = chip
  const property = propertyOf(chip.property, vocabulary)
  const [chosen, setValues] = useState<readonly ChipValue[] | null>(null)
  const values = chosen ?? chip.values
  useEffect(() => {
    onPending(chosen === null || chosen.length === 0 ? null : { ...chip, values: chosen })
    return () => onPending(null)
  })
  const known = optionsOf(property.name, operator, vocabulary)
  const options = [...known, ...[...chip.values, ...values].flatMap(typedOption(known))]
  const has = (each: ValueOption) => values.some((value) => optionFor([each], value))
  const toggle = (each: ValueOption | undefined) => {
    if (each === undefined) return
    setValues(has(each) ? values.filter((value) => !optionFor([each], value)) : [...values, ...each.values])
  }
  const addTyped = (text: string) => {
    const value = typedValue(property, text)
    if (value !== null) setValues([...values, value])
  }
  return (
    <ChoiceList
      label={valueLabel(chip, vocabulary)}
      choices={options.map((each, i) => choiceOf(property, each, i, has(each)))}
      onTake={(key) => toggle(options[Number(key)])}
      {...(takesText(property) && { onText: addTyped })}
      {...(onBack && { onBack })}
    >
      <div className="filter-step-foot">
        <Button size="s" kind="primary" disabled={values.length === 0} onClick={() => onChip({ ...chip, values })}>
          {values.length === 0 ? t('Apply') : t('Apply {count}', { count: values.length })}
        </Button>
      </div>
    </ChoiceList>
  )
}

/** The options of values that the list does not have, each once. */
function typedOption(known: readonly ValueOption[]) {
  const seen = new Set<string>()
  return (value: ChipValue): readonly ValueOption[] => {
    const form = value.text.toLowerCase()
    if (seen.has(form) || optionFor(known, value)) return []
    seen.add(form)
    return [{ label: value.text, values: [value], forms: [form] }]
  }
}

function DayValue({ chip, vocabulary, onChip, onBack }: ValueStepProps) {
  const { operator } = chip
  const property = propertyOf(chip.property, vocabulary)
  const options = optionsOf(property.name, operator, vocabulary)
  const [picked, setPicked] = useState('')
  const choices = options.map((each, i) => choiceOf(property, each, i, false))
  const pick = () => /^\d{4}-\d{2}-\d{2}$/.test(picked) && onChip(dayChip(property.name, operator, picked))
  return (
    <ChoiceList
      label={valueLabel(chip, vocabulary)}
      choices={choices}
      onTake={(key) => onChip({ ...chip, values: options[Number(key)]?.values ?? [] })}
      {...(onBack && { onBack })}
    >
      <form className="filter-step-foot" onSubmit={submitHandler(pick)}>
        <DayField aria-label={t('Date')} value={picked} onChange={setPicked} />
        <Button size="s" type="submit" disabled={picked === ''}>
          {t('Apply')}
        </Button>
      </form>
      {hasOtherDays(vocabulary.now) && (
        <p className="filter-step-note subtle">
          {property.kind === 'day'
            ? t('Days such as “Today” are days in UTC.')
            : t('“This week” and a date use your time zone. The other days are in UTC.')}
        </p>
      )}
    </ChoiceList>
  )
}

/** A value that is typed: a text, a number, or the two ends of a range. */
function TypedValue({ chip, vocabulary, onChip, onBack }: ValueStepProps) {
  const property = propertyOf(chip.property, vocabulary)
  const count = chip.operator === 'within' ? 2 : 1
  const [texts, setTexts] = useState(() => Array.from({ length: count }, (_, i) => chip.values[i]?.text ?? ''))
  const values = texts.flatMap((text) => typedValue(property, text) ?? [])
  const isReady = values.length === count
  const label = valueLabel(chip, vocabulary)
  return (
    <form className="choosing" onSubmit={submitHandler(() => isReady && onChip({ ...chip, values }))}>
      {texts.map((text, i) => (
        <input
          // biome-ignore lint/suspicious/noArrayIndexKey: the ends of a range have no other name
          key={i}
          type="text"
          inputMode={property.kind === 'number' ? 'decimal' : 'text'}
          className="choosing-search"
          aria-label={count === 1 ? label : i === 0 ? t('{label}, from', { label }) : t('{label}, to', { label })}
          placeholder={placeholderOf(property)}
          autoComplete="off"
          maxLength={text_chars_max}
          value={text}
          // biome-ignore lint/a11y/noAutofocus: each step continues the one before
          autoFocus={i === 0}
          onKeyDown={(event) => {
            if (event.key !== 'Backspace' || text !== '' || i > 0 || onBack === undefined) return
            event.preventDefault()
            onBack()
          }}
          onChange={({ currentTarget }) => setTexts(texts.with(i, currentTarget.value))}
        />
      ))}
      <div className="filter-step-foot">
        <Button size="s" kind="primary" type="submit" disabled={!isReady}>
          {t('Apply')}
        </Button>
      </div>
    </form>
  )
}

function placeholderOf({ name, kind }: Property): string {
  if (name === text_property) return t('Words in title or description')
  return kind === 'number' ? t('Number, such as 3 or 0.5') : t('Text')
}

function valueLabel({ property, operator }: Chip, vocabulary: Vocabulary): string {
  const of = propertyOf(property, vocabulary)
  return `${of.title} ${operatorTitle(of, operator)}`
}

/** Whether a value may be typed that the list does not have: texts, and labels and task keys, of which not all are known. */
function takesText({ name, kind }: Property): boolean {
  return name === 'labels' || name === 'parent' || kind === 'text' || kind === 'number'
}

function choiceOf(property: Property, { label, hint, mark }: ValueOption, index: number, checked: boolean): Choice {
  return {
    key: String(index),
    label,
    checked,
    ...(hint === undefined ? {} : { hint }),
    ...(mark === undefined ? {} : { mark: <ValueMark property={property} mark={mark} /> }),
  }
}

interface ValueMarkProps {
  readonly property: Pick<Property, 'name' | 'type'>
  readonly mark: string
}

/** The mark of a status or priority, the color of an option, the avatar of a person. */
export function ValueMark({ property, mark }: ValueMarkProps) {
  const { name, type } = property
  // The label of the reader is "Me".
  const { nameOf } = useDirectory()
  return (
    <span className="filter-mark" aria-hidden="true">
      {name === 'status' && <StatusMark status={mark} />}
      {name === 'priority' && <PriorityMark priority={mark} />}
      {(name === 'assignee' || type === 'person') && <Avatar name={nameOf(mark)} id={mark} size="s" />}
      {(type === 'select' || type === 'multi_select') && <FieldDot color={mark} />}
    </span>
  )
}

/**
 * Selects one or several of many options: a button that opens a searchable list. It follows the ARIA combobox pattern:
 * the focus stays in the input, the arrow keys move through the list, Enter selects.
 */
import './combobox.css'
import { Check, ChevronsUpDown } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useId, useMemo, useState } from 'react'
import { inSentence, t } from '../language/index.ts'
import { useActiveIndex } from './active-index.ts'
import { classes } from './classes.ts'
import { useControl } from './field.tsx'
import { Popover } from './popover.tsx'

export interface ComboboxOption<T extends string = string> {
  readonly value: T
  /** The text that is searched, and shown unless `show` is given. */
  readonly label: string
  readonly hint?: string
  /** More words that find the option. */
  readonly words?: string
  readonly show?: ReactNode
  readonly group?: string
}

interface ComboboxProps<T extends string> {
  /** The name outside a Field. */
  readonly label: string
  readonly options: readonly ComboboxOption<T>[]
  readonly value: readonly T[]
  readonly onChange: (value: T[]) => void
  readonly multiple?: boolean
  readonly placeholder?: string
  /** Replaces the default button. */
  readonly trigger?: ReactNode
  /** Creates an option from the typed text. */
  readonly onCreate?: (text: string) => void
  /** Loads the options for the typed text; the list is then not filtered here. */
  readonly onSearch?: (text: string) => void
  readonly size?: 'm' | 's'
  /** The list opens: a moment to load its options. */
  readonly onOpen?: () => void
  /** The list is open when the choice appears. */
  readonly isFirstOpen?: boolean
}

/** The maximum number of options rendered at once; typing narrows the list. */
const shown_max = 100

export function Combobox<T extends string>(props: ComboboxProps<T>) {
  const {
    label,
    options,
    value,
    multiple,
    placeholder = t('Select…'),
    trigger,
    size = 'm',
    onOpen,
    isFirstOpen = false,
  } = props
  const [open, setOpen] = useState(isFirstOpen)
  const control = useControl()
  const selected = options.filter((option) => value.includes(option.value))
  const text = selected.length > 0 ? selected.map((option) => option.label).join(', ') : placeholder
  return (
    <Popover
      label={label}
      flush
      open={open}
      onOpenChange={(next) => {
        setOpen(next)
        if (next) onOpen?.()
      }}
      trigger={
        trigger ?? (
          <button
            type="button"
            id={control.id}
            aria-describedby={control['aria-describedby']}
            className={classes('input', 'combobox')}
            data-size={size}
            aria-label={control.id ? undefined : `${label}: ${text}`}
          >
            <span className={classes('cut', selected.length === 0 && 'subtle')}>
              {selected.length === 1 && !multiple ? (selected[0]?.show ?? text) : text}
            </span>
            <ChevronsUpDown aria-hidden="true" className="combobox-mark" />
          </button>
        )
      }
    >
      <ComboboxList {...props} onDone={() => setOpen(false)} />
    </Popover>
  )
}

/** The list alone, inside a dialog or popover. */
export function ChoiceList<T extends string>(
  props: Omit<ComboboxProps<T>, 'trigger' | 'size' | 'onOpen' | 'placeholder'>,
) {
  return <ComboboxList {...props} onDone={() => {}} />
}

function ComboboxList<T extends string>(props: ComboboxProps<T> & { readonly onDone: () => void }) {
  const { label, value, multiple, onCreate, onSearch } = props
  const id = useId()
  const [text, setText] = useState('')
  const { matches, newText } = useMatches(props, text)
  const created = newText === null ? [] : [{ value: '', label: t('Create “{newText}”', { newText }) }]
  const rows: readonly ComboboxOption[] = [...matches, ...created]
  const take = (i: number) => select(props, matches[i], newText)
  const { active, setActive, onKeyDown } = useActiveIndex(rows.length, take)
  const onText = (next: string) => {
    setText(next)
    setActive(0)
    onSearch?.(next)
  }
  return (
    <div className="choosing">
      <ListInput
        id={id}
        active={active}
        label={label}
        canCreate={onCreate !== undefined}
        text={text}
        onText={onText}
        onKeyDown={onKeyDown}
      />
      <div
        className="choosing-list"
        id={`${id}-list`}
        role="listbox"
        aria-label={label}
        aria-multiselectable={multiple}
      >
        {rows.map((option, i) => (
          <ComboboxItem
            key={option.value}
            id={`${id}-${i}`}
            option={option}
            isActive={i === active}
            isSelected={value.some((each) => each === option.value)}
            heading={option.group !== rows[i - 1]?.group ? option.group : undefined}
            onTake={() => take(i)}
            onHover={() => setActive(i)}
          />
        ))}
      </div>
      {rows.length === 0 && <p className="choosing-none">{t('No results')}</p>}
    </div>
  )
}

interface ListInputProps {
  readonly id: string
  readonly active: number
  readonly label: string
  readonly canCreate: boolean
  readonly text: string
  readonly onText: (text: string) => void
  readonly onKeyDown: (event: KeyboardEvent) => void
}

function ListInput({ id, active, label, canCreate, text, onText, onKeyDown }: ListInputProps) {
  return (
    <input
      type="text"
      className="choosing-search"
      role="combobox"
      aria-label={t('Search {label}', { label: inSentence(label) })}
      aria-expanded="true"
      aria-controls={`${id}-list`}
      aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
      autoComplete="off"
      placeholder={canCreate ? t('Search or create…') : t('Search…')}
      value={text}
      onKeyDown={onKeyDown}
      onChange={({ currentTarget }) => onText(currentTarget.value)}
    />
  )
}

/** The options that match the text, and the text if a new option may be created from it. */
function useMatches<T extends string>({ options, onCreate, onSearch }: ComboboxProps<T>, text: string) {
  const matches = useMemo(() => matchingOptions(options, onSearch ? '' : text), [options, text, onSearch])
  const label = text.trim()
  const canCreate = onCreate !== undefined && label !== '' && !options.some((option) => option.label === label)
  return { matches, newText: canCreate ? label : null }
}

/** Selects an option, or creates one from `newText` if no option is given. A multiple selection stays open. */
function select<T extends string>(
  { value, multiple, onChange, onCreate, onDone }: ComboboxProps<T> & { readonly onDone: () => void },
  option: ComboboxOption<T> | undefined,
  newText: string | null,
): void {
  if (option !== undefined && multiple) {
    onChange(value.includes(option.value) ? value.filter((each) => each !== option.value) : [...value, option.value])
    return
  }
  if (option !== undefined) onChange([option.value])
  else if (newText !== null) onCreate?.(newText)
  onDone()
}

interface ItemProps {
  readonly id: string
  readonly option: ComboboxOption
  readonly isActive: boolean
  readonly isSelected: boolean
  readonly heading: string | undefined
  readonly onTake: () => void
  readonly onHover: () => void
}

function ComboboxItem({ id, option, isActive, isSelected, heading, onTake, onHover }: ItemProps) {
  return (
    <>
      {heading && (
        <div className="choosing-heading" role="presentation">
          {heading}
        </div>
      )}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the input */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys */}
      <div
        id={id}
        role="option"
        aria-selected={isSelected}
        className="choosing-option"
        data-here={isActive || undefined}
        ref={(element) => {
          if (isActive) element?.scrollIntoView({ block: 'nearest' })
        }}
        onPointerMove={onHover}
        onClick={onTake}
      >
        <span className="grow cut">{option.show ?? option.label}</span>
        {option.hint && <span className="subtle cut choosing-hint">{option.hint}</span>}
        <Check aria-hidden="true" className="menu-icon" data-hidden={!isSelected || undefined} />
      </div>
    </>
  )
}

function matchingOptions<T extends string>(options: readonly ComboboxOption<T>[], text: string): ComboboxOption<T>[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const matches = options.filter(({ label, hint = '', words: more = '' }) => {
    const searched = `${label} ${hint} ${more}`.toLowerCase()
    return words.every((word) => searched.includes(word))
  })
  return matches.slice(0, shown_max)
}

/**
 * One or several of many, found by typing: a button that opens a list with a search field. The pattern is the combobox of
 * the ARIA practices: focus stays in the field, the arrows move through the list, Enter takes.
 */
import './combobox.css'
import { Check, ChevronsUpDown } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useId, useMemo, useState } from 'react'
import { classes } from './classes.ts'
import { useControl } from './field.tsx'
import { Popover } from './popover.tsx'

export interface ComboboxOption<T extends string = string> {
  readonly value: T
  /** What is searched, and shown where `show` gives nothing else. */
  readonly label: string
  readonly hint?: string
  readonly show?: ReactNode
  readonly group?: string
}

interface ComboboxProps<T extends string> {
  /** The name, where no Field gives one. */
  readonly label: string
  readonly options: readonly ComboboxOption<T>[]
  readonly value: readonly T[]
  readonly onChange: (value: T[]) => void
  readonly multiple?: boolean
  readonly placeholder?: string
  /** Instead of the ordinary button. */
  readonly trigger?: ReactNode
  /** Makes a new one of what was typed. */
  readonly onCreate?: (text: string) => void
  /** The options come from elsewhere for what is typed. */
  readonly onSearch?: (text: string) => void
  readonly size?: 'm' | 's'
}

/** What is drawn at once. More are found by typing. */
const shown_max = 100

export function Combobox<T extends string>(props: ComboboxProps<T>) {
  const { label, options, value, multiple, placeholder = 'Choose…', trigger, size = 'm' } = props
  const [open, setOpen] = useState(false)
  const control = useControl()
  const chosen = options.filter((option) => value.includes(option.value))
  const text = chosen.length > 0 ? chosen.map((option) => option.label).join(', ') : placeholder
  return (
    <Popover
      label={label}
      flush
      open={open}
      onOpenChange={setOpen}
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
            <span className={classes('cut', chosen.length === 0 && 'subtle')}>
              {chosen.length === 1 && !multiple ? (chosen[0]?.show ?? text) : text}
            </span>
            <ChevronsUpDown aria-hidden="true" className="combobox-mark" />
          </button>
        )
      }
    >
      <Choosing {...props} onDone={() => setOpen(false)} />
    </Popover>
  )
}

function Choosing<T extends string>(props: ComboboxProps<T> & { readonly onDone: () => void }) {
  const { label, options, value, onChange, multiple, onCreate, onSearch, onDone } = props
  const id = useId()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const found = useMemo(() => matching(options, onSearch ? '' : text), [options, text, onSearch])
  const creates = onCreate !== undefined && text.trim() !== '' && !options.some((each) => each.label === text.trim())
  const count = found.length + (creates ? 1 : 0)
  const place = Math.min(at, count - 1)

  const take = (index: number) => {
    const option = found[index]
    if (option === undefined) {
      if (creates) onCreate?.(text.trim())
      return onDone()
    }
    if (!multiple) {
      onChange([option.value])
      return onDone()
    }
    onChange(value.includes(option.value) ? value.filter((each) => each !== option.value) : [...value, option.value])
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (move !== undefined) setAt((place + move + count) % Math.max(1, count))
    else if (event.key === 'Enter' && count > 0) take(place)
    else return
    event.preventDefault()
  }

  return (
    <div className="choosing">
      <input
        type="text"
        className="choosing-search"
        role="combobox"
        aria-label={`Search ${label.toLowerCase()}`}
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={place >= 0 ? `${id}-${place}` : undefined}
        autoComplete="off"
        placeholder={onCreate ? 'Search or create…' : 'Search…'}
        value={text}
        onKeyDown={onKeyDown}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value)
          setAt(0)
          onSearch?.(currentTarget.value)
        }}
      />
      <div
        className="choosing-list"
        id={`${id}-list`}
        role="listbox"
        aria-label={label}
        aria-multiselectable={multiple}
      >
        {found.map((option, index) => (
          <ComboboxItem
            key={option.value}
            id={`${id}-${index}`}
            option={option}
            isHere={index === place}
            isChosen={value.includes(option.value)}
            heading={option.group !== found[index - 1]?.group ? option.group : undefined}
            onTake={() => take(index)}
            onHere={() => setAt(index)}
          />
        ))}
        {creates && (
          <ComboboxItem
            id={`${id}-${found.length}`}
            option={{ value: '', label: `Create “${text.trim()}”` }}
            isHere={place === found.length}
            isChosen={false}
            heading={undefined}
            onTake={() => take(found.length)}
            onHere={() => setAt(found.length)}
          />
        )}
      </div>
      {count === 0 && <p className="choosing-none">Nothing matches.</p>}
    </div>
  )
}

interface ItemProps {
  readonly id: string
  readonly option: ComboboxOption
  readonly isHere: boolean
  readonly isChosen: boolean
  readonly heading: string | undefined
  readonly onTake: () => void
  readonly onHere: () => void
}

function ComboboxItem({ id, option, isHere, isChosen, heading, onTake, onHere }: ItemProps) {
  return (
    <>
      {heading && (
        <div className="choosing-heading" role="presentation">
          {heading}
        </div>
      )}
      {/* biome-ignore lint/a11y/useFocusableInteractive: focus stays in the field */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys are the field's */}
      <div
        id={id}
        role="option"
        aria-selected={isChosen}
        className="choosing-option"
        data-here={isHere || undefined}
        ref={(element) => {
          if (isHere) element?.scrollIntoView({ block: 'nearest' })
        }}
        onPointerMove={onHere}
        onClick={onTake}
      >
        <span className="grow cut">{option.show ?? option.label}</span>
        {option.hint && <span className="subtle cut choosing-hint">{option.hint}</span>}
        <Check aria-hidden="true" className="menu-icon" data-hidden={!isChosen || undefined} />
      </div>
    </>
  )
}

function matching<T extends string>(options: readonly ComboboxOption<T>[], text: string): ComboboxOption<T>[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const found = options.filter(({ label, hint }) => {
    const searched = `${label} ${hint ?? ''}`.toLowerCase()
    return words.every((word) => searched.includes(word))
  })
  return found.slice(0, shown_max)
}

/**
 * The filter of the list: an expression of the API, completed while it is typed and applied with Enter. What the API finds
 * wrong with it stands below, with the place.
 */
import { Filter, X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { useShortcut } from '../../app/shortcuts.ts'
import { IconButton, Kbd } from '../../design/index.ts'
import { idsIn, type Suggestion, suggest, type Vocabulary } from './filter-words.ts'
import type { FilterFault } from './task-rows.ts'

interface FilterFieldProps {
  readonly value: string
  readonly onApply: (text: string) => void
  readonly fault: FilterFault | null
  readonly vocabulary: Vocabulary
}

export function FilterField({ value, onApply, fault, vocabulary }: FilterFieldProps) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(value)
  const [caret, setCaret] = useState(0)
  const [isOpen, setOpen] = useState(false)
  const [at, setAt] = useState(-1)
  useEffect(() => setText(value), [value])
  useShortcut('/', 'Filter the list', () => field.current?.focus())
  const offered = useMemo(() => (isOpen ? suggest(text, caret, vocabulary) : []), [isOpen, text, caret, vocabulary])
  const place = Math.min(at, offered.length - 1)

  const take = ({ insert, from }: Suggestion) => {
    const next = text.slice(0, from) + insert + text.slice(caret)
    const end = from + insert.length
    setText(next)
    setCaret(end)
    setAt(-1)
    field.current?.focus()
    requestAnimationFrame(() => field.current?.setSelectionRange(end, end))
  }
  const apply = () => {
    setOpen(false)
    setAt(-1)
    onApply(text.trim())
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const chosen = offered[place]
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && offered.length > 0) setAt((place + step + offered.length) % offered.length)
    else if (event.key === 'Enter' && chosen) take(chosen)
    else if (event.key === 'Enter') apply()
    else if (event.key === 'Tab' && chosen && !event.shiftKey) take(chosen)
    else if (event.key === 'Escape' && isOpen) setOpen(false)
    else return
    event.preventDefault()
  }
  return (
    <div className="filter">
      <div className="input-frame filter-frame">
        <Filter aria-hidden="true" className="input-icon" />
        <input
          ref={field}
          type="text"
          className="input-inner mono"
          role="combobox"
          aria-label="Filter"
          aria-expanded={offered.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={place >= 0 ? `${id}-${place}` : undefined}
          aria-invalid={fault !== null || undefined}
          aria-describedby={fault ? `${id}-fault` : undefined}
          placeholder="status = todo AND priority >= high"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={2048}
          value={text}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value)
            setCaret(currentTarget.selectionStart ?? currentTarget.value.length)
            setOpen(true)
            setAt(-1)
          }}
          onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart ?? 0)}
          onFocus={() => setOpen(true)}
          onBlur={() => setOpen(false)}
          onKeyDown={onKeyDown}
        />
        {text.trim() !== value && <Kbd keys="enter" />}
        {text !== '' && (
          <IconButton
            icon={X}
            label="Clear the filter"
            size="s"
            onClick={() => {
              setText('')
              onApply('')
            }}
          />
        )}
      </div>
      <div
        className="filter-list"
        id={`${id}-list`}
        role="listbox"
        aria-label="Suggestions"
        hidden={offered.length === 0}
      >
        {offered.map((each, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: focus stays in the field
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys are the field's
          <div
            key={`${each.insert} ${each.label}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === place}
            className="choosing-option"
            data-here={index === place || undefined}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => take(each)}
          >
            <span className="grow cut">{each.label}</span>
            <span className="subtle cut choosing-hint">{each.hint}</span>
          </div>
        ))}
      </div>
      <Below id={`${id}-fault`} text={value} fault={fault} vocabulary={vocabulary} />
    </div>
  )
}

interface BelowProps {
  readonly id: string
  readonly text: string
  readonly fault: FilterFault | null
  readonly vocabulary: Vocabulary
}

/** The fault with its place, or the names of the ids. */
function Below({ id, text, fault, vocabulary }: BelowProps) {
  if (fault !== null) {
    const { message, at } = fault
    return (
      <div className="filter-fault" id={id} role="alert">
        <p>{message}</p>
        {at !== null && (
          <p className="mono filter-place" aria-hidden="true">
            {text.slice(0, at)}
            <mark>{text.slice(at, at + 1) || ' '}</mark>
            {text.slice(at + 1)}
          </p>
        )}
      </div>
    )
  }
  const named = idsIn(text, vocabulary)
  if (named.length === 0) return null
  return (
    <p className="filter-names subtle">
      {named.map(({ id: each, name }) => (
        <span key={each}>
          <span className="mono">…{each.slice(-4)}</span> is {name}
        </span>
      ))}
    </p>
  )
}

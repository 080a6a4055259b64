/**
 * The filter of the task list: an expression in the API's filter language, with completion, applied with Enter. Errors of
 * the API are shown below with their position.
 */
import { Filter, X } from 'lucide-react'
import {
  type ComponentProps,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react'
import { IconButton, Kbd } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { useShortcut } from '../shortcuts.ts'
import type { FilterFault } from './fault.ts'
import { type Suggestion, suggest } from './suggestions.ts'
import type { Vocabulary } from './values.ts'

/** In the filter language, which is the same in every language. */
const example = 'status = todo AND priority >= high'

interface FilterFieldProps {
  /** The applied filter. */
  readonly value: string
  readonly onApply: (text: string) => void
  readonly fault: FilterFault | null
  readonly vocabulary: Vocabulary
  /** Takes the focus when it appears. */
  readonly focusOnOpen?: boolean
}

export function FilterField({ value, onApply, fault, vocabulary, focusOnOpen = false }: FilterFieldProps) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const { text, setText, suggestions, current, take, inputProps } = useCompletion({ field, value, onApply, vocabulary })
  useShortcut('/', t('Filter by text'), () => field.current?.focus())
  useEffect(() => {
    if (focusOnOpen) field.current?.focus()
  }, [focusOnOpen])
  const clear = () => {
    setText('')
    onApply('')
  }
  return (
    <div className="filter">
      <div className="input-frame filter-frame">
        <Filter aria-hidden="true" className="input-icon" />
        <input
          {...inputProps}
          ref={field}
          type="text"
          className="input-inner mono"
          role="combobox"
          aria-label={t('Filter text')}
          aria-expanded={suggestions.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={current >= 0 ? `${id}-${current}` : undefined}
          aria-invalid={fault !== null || undefined}
          aria-describedby={fault ? `${id}-fault` : undefined}
          placeholder={example}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={2048}
        />
        {text.trim() !== value && <Kbd keys="enter" />}
        {text !== '' && <IconButton icon={X} label={t('Clear filter')} size="s" onClick={clear} />}
      </div>
      <Suggestions id={id} suggestions={suggestions} current={current} onTake={take} />
      {fault !== null && <Fault id={`${id}-fault`} text={value} fault={fault} />}
    </div>
  )
}

interface CompletionInput extends Pick<FilterFieldProps, 'value' | 'onApply' | 'vocabulary'> {
  readonly field: RefObject<HTMLInputElement | null>
}

/** The text of the field, its suggestions, and the keys that choose among them. */
function useCompletion({ field, value, onApply, vocabulary }: CompletionInput) {
  const [text, setText] = useState(value)
  const [caret, setCaret] = useState(0)
  const [isOpen, setOpen] = useState(false)
  const [index, setIndex] = useState(-1)
  useEffect(() => setText(value), [value])
  const suggestions = useMemo(() => (isOpen ? suggest(text, caret, vocabulary) : []), [isOpen, text, caret, vocabulary])
  const current = Math.min(index, suggestions.length - 1)
  const take = ({ insert, from }: Suggestion) => {
    const end = from + insert.length
    setText(text.slice(0, from) + insert + text.slice(caret))
    setCaret(end)
    setIndex(-1)
    field.current?.focus()
    requestAnimationFrame(() => field.current?.setSelectionRange(end, end))
  }
  const apply = () => {
    setOpen(false)
    setIndex(-1)
    onApply(text.trim())
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const chosen = suggestions[current]
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const count = suggestions.length
    if (step !== undefined && count > 0) setIndex((current + step + count) % count)
    else if (event.key === 'Enter' && chosen) take(chosen)
    else if (event.key === 'Enter') apply()
    else if (event.key === 'Tab' && chosen && !event.shiftKey) take(chosen)
    else if (event.key === 'Escape' && isOpen) setOpen(false)
    else return
    event.preventDefault()
  }
  const inputProps: ComponentProps<'input'> = {
    value: text,
    onChange: ({ currentTarget }) => {
      setText(currentTarget.value)
      setCaret(currentTarget.selectionStart ?? currentTarget.value.length)
      setOpen(true)
      setIndex(-1)
    },
    onSelect: ({ currentTarget }) => setCaret(currentTarget.selectionStart ?? 0),
    onFocus: () => setOpen(true),
    onBlur: () => setOpen(false),
    onKeyDown,
  }
  return { text, setText, suggestions, current, take, inputProps }
}

interface SuggestionsProps {
  readonly id: string
  readonly suggestions: readonly Suggestion[]
  readonly current: number
  readonly onTake: (suggestion: Suggestion) => void
}

function Suggestions({ id, suggestions, current, onTake }: SuggestionsProps) {
  return (
    <div
      className="filter-list"
      id={`${id}-list`}
      role="listbox"
      aria-label={t('Suggestions')}
      hidden={suggestions.length === 0}
    >
      {suggestions.map((suggestion, index) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
        <div
          key={`${suggestion.insert} ${suggestion.label}`}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === current}
          className="choosing-option"
          data-here={index === current || undefined}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onTake(suggestion)}
        >
          <span className="grow cut">{suggestion.label}</span>
          <span className="subtle cut choosing-hint">{suggestion.hint}</span>
        </div>
      ))}
    </div>
  )
}

interface FaultProps {
  readonly id: string
  readonly text: string
  readonly fault: FilterFault
}

/** The error with its position. */
function Fault({ id, text, fault: { message, at } }: FaultProps) {
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

/**
 * The filter as chips: property, operator, values. A part that no chip can say is one chip with its text. The text behind
 * "Advanced" says the same filter. `f` adds a chip, Backspace in the empty first step removes the last one.
 */
import '../filter.css'
import { ListChecks, ListFilter, SquareCode, X } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button, Empty, IconButton, Menu } from '../../design/index.ts'
import { Popover } from '../../design/popover.tsx'
import { rich, t } from '../../language/index.ts'
import { useShortcut } from '../shortcuts.ts'
import { type Chip, chipsOf, type FilterParts, textOf, tidyChips } from './chips.ts'
import { ChipSteps, ValueMark, ValueStep } from './choice.tsx'
import type { FilterFault } from './fault.ts'
import { FilterField } from './field.tsx'
import {
  chipName,
  needsValue,
  operatorName,
  operatorTitle,
  optionFor,
  optionsOf,
  otherOperators,
  propertyOf,
  readableText,
  type Vocabulary,
  valuesName,
} from './values.ts'

/** Marks shown on a chip with several values. */
const marks_max = 3

interface FilterBarProps {
  /** The applied filter. */
  readonly value: string
  readonly onApply: (text: string) => void
  readonly fault: FilterFault | null
  readonly vocabulary: Vocabulary
}

export function FilterBar({ value, onApply, fault, vocabulary }: FilterBarProps) {
  const [isTextOpen, setTextOpen] = useState(false)
  const parts = chipsOf(value)
  const apply = (next: FilterParts) => onApply(textOf({ ...next, chips: tidyChips(next.chips) }))
  const isShown = isTextOpen || fault !== null
  useShortcut('/', t('Filter by text'), () => setTextOpen(true), { enabled: !isShown })
  return (
    <div className="filters">
      <div className="filters-row" role="group" aria-label={t('Filter')}>
        <AddFilter
          vocabulary={vocabulary}
          hasShortcut
          onChip={(chip) => apply({ ...parts, chips: [...parts.chips, chip] })}
          onRemoveLast={() => apply(withoutLast(parts))}
        />
        <Chips parts={parts} vocabulary={vocabulary} onChange={apply} onText={() => setTextOpen(true)} />
        {value !== '' && (
          <Button size="s" kind="quiet" onClick={() => onApply('')}>
            {t('Clear')}
          </Button>
        )}
        <Button
          size="s"
          kind="quiet"
          icon={SquareCode}
          aria-expanded={isShown}
          className="filters-advanced shrinks"
          title={t('Advanced')}
          onClick={() => setTextOpen(!isShown)}
        >
          {t('Advanced')}
        </Button>
      </div>
      {isShown && (
        <FilterField
          value={readableText(value, vocabulary)}
          onApply={onApply}
          fault={fault}
          vocabulary={vocabulary}
          focusOnOpen={isTextOpen}
        />
      )}
    </div>
  )
}

export function withoutLast({ chips, advanced }: FilterParts): FilterParts {
  return advanced === '' ? { chips: chips.slice(0, -1), advanced } : { chips, advanced: '' }
}

interface AddFilterProps {
  readonly vocabulary: Vocabulary
  /** Whether `f` opens it: on a page with one filter. */
  readonly hasShortcut?: boolean
  readonly onChip: (chip: Chip) => void
  readonly onRemoveLast: () => void
}

export function AddFilter({ vocabulary, hasShortcut = false, onChip, onRemoveLast }: AddFilterProps) {
  const [isOpen, setOpen] = useState(false)
  const pending = useRef<Chip | null>(null)
  useShortcut('f', t('Add filter'), () => setOpen(true), { enabled: hasShortcut })
  return (
    <Popover
      label={t('Add filter')}
      flush
      open={isOpen}
      onOpenChange={setOpen}
      onClickBeside={() => pending.current && onChip(pending.current)}
      trigger={
        <Button size="s" icon={ListFilter} aria-keyshortcuts={hasShortcut ? 'f' : undefined}>
          {t('Add filter')}
        </Button>
      }
    >
      <ChipSteps
        vocabulary={vocabulary}
        onBack={onRemoveLast}
        onPending={(chip) => {
          pending.current = chip
        }}
        onChip={(chip) => {
          setOpen(false)
          onChip(chip)
        }}
      />
    </Popover>
  )
}

interface ChipsProps {
  readonly parts: FilterParts
  readonly vocabulary: Vocabulary
  readonly onChange: (parts: FilterParts) => void
  /** Opens the text of the filter. */
  readonly onText: () => void
}

/** The chips of a filter, each with a button that removes it. */
export function Chips({ parts, vocabulary, onChange, onText }: ChipsProps) {
  const { chips, advanced } = parts
  return (
    <>
      {chips.map((chip, index) => (
        <ChipView
          // biome-ignore lint/suspicious/noArrayIndexKey: equal chips may stand side by side
          key={`${index} ${chip.property}`}
          chip={chip}
          vocabulary={vocabulary}
          onChange={(next) => onChange({ chips: chips.toSpliced(index, 1, ...(next ? [next] : [])), advanced })}
        />
      ))}
      {advanced !== '' && (
        <div className="filter-chip" role="group" aria-label={t('Advanced filter')}>
          <button type="button" className="filter-chip-part filter-chip-text" onClick={onText}>
            <span className="filter-chip-name">{t('Advanced')}</span>
            <span className="mono cut">{readableText(advanced, vocabulary)}</span>
          </button>
          <IconButton
            icon={X}
            label={t('Remove filter: Advanced')}
            size="s"
            onClick={() => onChange({ chips, advanced: '' })}
          />
        </div>
      )}
    </>
  )
}

interface ChipViewProps {
  readonly chip: Chip
  readonly vocabulary: Vocabulary
  /** Undefined removes the chip. */
  readonly onChange: (chip: Chip | undefined) => void
}

function ChipView({ chip, vocabulary, onChange }: ChipViewProps) {
  const [isOpen, setOpen] = useState(false)
  const pending = useRef<Chip | null>(null)
  const property = propertyOf(chip.property, vocabulary)
  return (
    <div className="filter-chip" role="group" aria-label={chipName(chip, vocabulary)}>
      <span className="filter-chip-part filter-chip-name">{property.title}</span>
      <OperatorPart chip={chip} vocabulary={vocabulary} onChange={onChange} />
      {needsValue(chip.operator) && (
        <Popover
          label={property.title}
          flush
          open={isOpen}
          onOpenChange={setOpen}
          onClickBeside={() => pending.current && onChange(pending.current)}
          trigger={
            <button type="button" className="filter-chip-part filter-chip-value">
              <ChipMarks chip={chip} vocabulary={vocabulary} />
              <span className="cut">{valuesName(chip, vocabulary)}</span>
            </button>
          }
        >
          <ValueStep
            chip={chip}
            vocabulary={vocabulary}
            onPending={(next) => {
              pending.current = next
            }}
            onChip={(next) => {
              setOpen(false)
              onChange(next)
            }}
          />
        </Popover>
      )}
      <IconButton
        icon={X}
        label={t('Remove filter: {title}', { title: property.title })}
        size="s"
        onClick={() => onChange(undefined)}
      />
    </div>
  )
}

function OperatorPart({ chip, vocabulary, onChange }: ChipViewProps) {
  const property = propertyOf(chip.property, vocabulary)
  const others = otherOperators(chip, vocabulary)
  if (others.length < 2) return <span className="filter-chip-part subtle">{operatorName(chip, vocabulary)}</span>
  return (
    <Menu
      align="start"
      label={t('{title} operator', { title: property.title })}
      items={others.map((operator) => ({
        label: operatorTitle(property, operator),
        checked: operator === chip.operator,
        onSelect: () => onChange({ ...chip, operator, values: valuesFor(operator, chip) }),
      }))}
      trigger={
        <button type="button" className="filter-chip-part subtle">
          {operatorName(chip, vocabulary)}
        </button>
      }
    />
  )
}

/** A single comparison keeps the first of several values. */
function valuesFor(operator: Chip['operator'], { values }: Chip): Chip['values'] {
  return operator === 'is' || operator === 'is_not' ? values.slice(0, 1) : values
}

function ChipMarks({ chip, vocabulary }: Pick<ChipViewProps, 'chip' | 'vocabulary'>) {
  const { operator, values } = chip
  const property = propertyOf(chip.property, vocabulary)
  const options = property.kind === 'choice' ? optionsOf(property.name, operator, vocabulary) : []
  return values.slice(0, marks_max).map((value) => {
    const option = optionFor(options, value)
    return option?.mark ? <ValueMark key={value.text} property={property} mark={option.mark} /> : null
  })
}

interface NoMatchesProps {
  readonly filter: string
  readonly onApply: (text: string) => void
  readonly vocabulary: Vocabulary
}

/** Shows the filter again where its result is missed, so that each part can be removed. */
export function NoMatches({ filter, onApply, vocabulary }: NoMatchesProps) {
  const parts = chipsOf(filter)
  const namesArchived = filter.includes('is_archived')
  return (
    <Empty
      plain
      icon={ListChecks}
      title={t('No tasks match')}
      actions={<Button onClick={() => onApply('')}>{t('Clear filter')}</Button>}
    >
      {rich('Remove a part of the filter to see more.{value}{span}', {
        value: !namesArchived && t(' Tasks of archived projects are shown only by the filter Archived.'),
        span: (
          <span className="filter-none">
            <Chips parts={parts} vocabulary={vocabulary} onChange={(next) => onApply(textOf(next))} onText={() => {}} />
          </span>
        ),
      })}
    </Empty>
  )
}

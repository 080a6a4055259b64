/** A filter as a setting of a form: chips, and the same filter as text. Nothing is read with it, so its faults come with the form. */
import '../filter.css'
import { SquareCode } from 'lucide-react'
import { useState } from 'react'
import { useControl } from '../../design/field.tsx'
import { Button, Input } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { AddFilter, Chips, withoutLast } from './bar.tsx'
import { chipsOf, type FilterParts, textOf, tidyChips } from './chips.ts'
import type { Vocabulary } from './values.ts'

interface FilterSettingProps {
  readonly label: string
  readonly value: string
  readonly onChange: (text: string) => void
  readonly charsMax: number
  readonly vocabulary: Vocabulary
}

export function FilterSetting({ label, value, onChange, charsMax, vocabulary }: FilterSettingProps) {
  const [isText, setText] = useState(false)
  const { id, 'aria-describedby': described } = useControl()
  const parts = chipsOf(value)
  const apply = (next: FilterParts) => onChange(textOf({ ...next, chips: tidyChips(next.chips) }))
  return (
    <div className="filters">
      <div className="filters-row" role="group" id={id} aria-label={label} aria-describedby={described}>
        <AddFilter
          vocabulary={vocabulary}
          onChip={(chip) => apply({ ...parts, chips: [...parts.chips, chip] })}
          onRemoveLast={() => apply(withoutLast(parts))}
        />
        <Chips parts={parts} vocabulary={vocabulary} onChange={apply} onText={() => setText(true)} />
        <Button
          size="s"
          kind="quiet"
          icon={SquareCode}
          aria-expanded={isText}
          className="filters-advanced"
          onClick={() => setText(!isText)}
        >
          {t('Advanced')}
        </Button>
      </div>
      {isText && (
        <Input
          id={`${id}-text`}
          aria-label={t('Filter text')}
          className="mono"
          value={value}
          maxLength={charsMax}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </div>
  )
}

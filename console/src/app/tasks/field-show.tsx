/** Shows the value of a custom field, in a row or on a card. */
import './fields.css'
import type { CustomField } from '@atrium/sdk'
import { Check, Minus } from 'lucide-react'
import { Avatar, Badge } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { type FieldValue, isFitting, optionOf, type People, valueText } from './field-values.ts'

/** Options of a list that are shown; the others are counted. */
const options_shown = 2

export function FieldDot({ color }: { readonly color: string | null }) {
  return <span className="field-dot" style={color === null ? undefined : { background: color }} />
}

interface FieldShowProps {
  readonly field: CustomField
  readonly value: FieldValue
  readonly people: People
}

export function FieldShow({ field, value, people }: FieldShowProps) {
  const text = valueText(field, value, people)
  if (!isFitting(field, value, people)) {
    return (
      <span className="field-unfit cut" title={t('Does not fit: {text}', { text })}>
        {text}
      </span>
    )
  }
  if (typeof value === 'boolean') {
    const Icon = value ? Check : Minus
    return (
      <span className="field-flag">
        <Icon aria-hidden="true" />
        <span className="unseen">{text}</span>
      </span>
    )
  }
  if (field.type === 'select' || field.type === 'multi_select') return <Options field={field} value={value} />
  if (field.type === 'person' && typeof value === 'string') {
    return (
      <span className="field-person" title={text}>
        <Avatar name={text} id={value} size="s" />
        <span className="cut">{text}</span>
      </span>
    )
  }
  return (
    <span className={field.type === 'number' ? 'cut numbers' : 'cut'} title={text}>
      {text}
    </span>
  )
}

function Options({ field, value }: { readonly field: CustomField; readonly value: FieldValue }) {
  const ids = Array.isArray(value) ? value : [value]
  const more = ids.length - options_shown
  return (
    <span className="field-options" title={ids.map((id) => optionOf(field, id)?.name).join(', ')}>
      {ids.slice(0, options_shown).map((id) => {
        const option = optionOf(field, id)
        return (
          <Badge key={String(id)}>
            <FieldDot color={option?.color ?? null} />
            <span className="cut">{option?.name}</span>
          </Badge>
        )
      })}
      {more > 0 && <span className="subtle numbers">+{more}</span>}
    </span>
  )
}

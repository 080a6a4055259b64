/** Edits the value of a custom field by its type. Null removes the value. */
import type { CustomField } from '@atrium/sdk'
import { ExternalLink } from 'lucide-react'
import { useState } from 'react'
import { FieldDot } from '../../app/tasks/field-show.tsx'
import { type FieldValue, isWebAddress } from '../../app/tasks/field-values.ts'
import { teamWords, useDirectory } from '../../data/index.ts'
import { Checkbox, Combobox, DayField, Input } from '../../design/index.ts'
import { t } from '../../language/index.ts'

interface EditorProps {
  readonly field: CustomField
  /** Null if the task has no value, or one that does not fit. */
  readonly value: FieldValue
  readonly onChange: (value: FieldValue) => void
}

export function FieldEditor(props: EditorProps) {
  const { field, value, onChange } = props
  switch (field.type) {
    case 'checkbox':
      return (
        <div className="field-check">
          <Checkbox label={field.name} hiddenLabel checked={value === true} onChange={onChange} />
        </div>
      )
    case 'select':
    case 'multi_select':
      return <OptionEditor {...props} />
    case 'person':
      return <PersonEditor {...props} />
    case 'date':
      return <DayEditor key={String(value)} {...props} />
    default:
      return <TextEditor key={String(value)} {...props} />
  }
}

const none = ''

function OptionEditor({ field, value, onChange }: EditorProps) {
  const isMultiple = field.type === 'multi_select'
  const chosen = Array.isArray(value) ? value : typeof value === 'string' ? [value] : []
  const options = field.options.map(({ id, name, color }) => ({
    value: id,
    label: name,
    show: (
      <span className="row">
        <FieldDot color={color} />
        <span className="cut">{name}</span>
      </span>
    ),
  }))
  return (
    <Combobox
      label={field.name}
      size="s"
      placeholder={t('None')}
      multiple={isMultiple}
      options={isMultiple || chosen.length === 0 ? options : [{ value: none, label: t('None') }, ...options]}
      value={chosen}
      onChange={(next) => {
        if (isMultiple) onChange(next.length === 0 ? null : next)
        else onChange(next[0] || null)
      }}
    />
  )
}

function PersonEditor({ field, value, onChange }: EditorProps) {
  const { active, teams } = useDirectory()
  const people = active.map(({ id, name, email }) => {
    return { value: id, label: name, words: teamWords(teams, id), ...(email && { hint: email }) }
  })
  return (
    <Combobox
      label={field.name}
      size="s"
      placeholder={t('None')}
      options={value === null ? people : [{ value: none, label: t('None') }, ...people]}
      value={typeof value === 'string' ? [value] : []}
      onChange={([user]) => onChange(user || null)}
    />
  )
}

/** Written when the field loses the focus, because a date passes through other dates while it is typed. */
function DayEditor({ field, value, onChange }: EditorProps) {
  const former = typeof value === 'string' ? value : ''
  const [day, setDay] = useState(former)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only listens for the focus leaving the field
    <div onBlur={() => day !== former && onChange(day || null)}>
      <DayField aria-label={field.name} value={day} onChange={setDay} />
    </div>
  )
}

function TextEditor({ field, value, onChange }: EditorProps) {
  const former = value === null ? '' : String(value)
  const [text, setText] = useState(former)
  const [fault, setFault] = useState<string | null>(null)
  const save = () => {
    const given = text.trim()
    if (given === former) return setFault(null)
    const found = given === '' ? null : faultOf(field.type, given)
    setFault(found)
    if (found !== null) return
    if (given === '') onChange(null)
    else onChange(field.type === 'number' ? Number(given) : given)
  }
  return (
    <div className="field-text">
      <div className="row">
        <Input
          aria-label={field.name}
          aria-invalid={fault !== null || undefined}
          placeholder={t('None')}
          value={text}
          inputMode={inputModes[field.type] ?? 'text'}
          maxLength={2000}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          onBlur={save}
          onKeyDown={(event) => event.key === 'Enter' && save()}
        />
        {field.type === 'url' && isWebAddress(former) && (
          <a className="field-link" href={former} target="_blank" rel="noopener noreferrer">
            <ExternalLink aria-hidden="true" />
            <span className="unseen">{t('Open {name}', { name: field.name })}</span>
          </a>
        )}
      </div>
      {fault !== null && (
        <p className="field-fault" role="alert">
          {fault}
        </p>
      )}
    </div>
  )
}

const inputModes: Readonly<Record<string, 'decimal' | 'url'>> = { number: 'decimal', url: 'url' }

function faultOf(type: string, text: string): string | null {
  if (type === 'number') return Number.isFinite(Number(text)) ? null : t('Enter a number, such as 3 or 2.5.')
  if (type === 'url') return isWebAddress(text) ? null : t('Enter an address that begins with https:// or http://.')
  return null
}

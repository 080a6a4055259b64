/**
 * Custom fields of a task: those that its workspace defines, each with an editor of its type, then other keys, whose edited
 * values keep their type: number, boolean, comma-separated list, or text.
 */
import '../../app/tasks/fields.css'
import type { CustomField, Task } from '@atrium/sdk'
import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { useFieldsOf } from '../../app/tasks/field-reads.ts'
import { isFitting, valueText } from '../../app/tasks/field-values.ts'
import { Button, Checkbox, Fact, Facts, IconButton, Input, inWords, submitHandler } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { FieldEditor } from './field-editor.tsx'
import { usePeople } from './field-people.ts'
import { useTaskChange } from './writes.ts'

const example_key = 'field_name'

type Value = Task['custom_fields'][string]

const key_form = /^[a-z][a-z0-9_]{0,39}$/

export function CustomFields({ task }: { readonly task: Task }) {
  const change = useTaskChange()
  const { fields: read } = useFieldsOf(task.workspace)
  const set = (key: string, value: Value) =>
    void change.run({ id: task.id, fields: { custom_fields: { [key]: value } } })
  const defined = read ?? []
  const others = Object.entries(task.custom_fields).filter(([key]) => !defined.some((field) => field.key === key))
  // Until the definitions are read, every value is shown as one without.
  return (
    <div className="stack" style={{ gap: 'var(--s-1)' }}>
      {defined.length + others.length > 0 && (
        <div className="task-facts">
          <Facts>
            {defined.map((field) => (
              <Fact key={field.id} name={<FieldName name={field.name} />}>
                <DefinedField field={field} value={task.custom_fields[field.key] ?? null} onChange={set} />
              </Fact>
            ))}
            {others.map(([key, value]) => (
              <Fact key={key} name={<FieldName name={inWords(key)} title={key} />}>
                <div>
                  <div className="row">
                    <ValueField
                      key={String(value)}
                      name={inWords(key)}
                      value={value}
                      onChange={(next) => set(key, next)}
                    />
                    <IconButton
                      icon={X}
                      label={t('Remove {key}', { key: inWords(key) })}
                      size="s"
                      onClick={() => set(key, null)}
                    />
                  </div>
                </div>
              </Fact>
            ))}
          </Facts>
        </div>
      )}
      <NewField taken={[...defined.map(({ key }) => key), ...Object.keys(task.custom_fields)]} onAdd={set} />
    </div>
  )
}

interface DefinedFieldProps {
  readonly field: CustomField
  readonly value: Value
  readonly onChange: (key: string, value: Value) => void
}

/** The editor of a field. A value that does not fit stands below it and can be removed. */
function DefinedField({ field, value, onChange }: DefinedFieldProps) {
  const people = usePeople()
  const isUnfit = value !== null && !isFitting(field, value, people)
  const set = (next: Value) => onChange(field.key, next)
  return (
    <div>
      <div className="row">
        <div className="grow">
          <FieldEditor field={field} value={isUnfit ? null : value} onChange={set} />
        </div>
        {field.type === 'checkbox' && value !== null && !isUnfit && (
          <IconButton icon={X} label={t('Clear {name}', { name: field.name })} size="s" onClick={() => set(null)} />
        )}
      </div>
      {isUnfit && (
        <div className="field-wrong">
          <span className="cut">{t('Does not fit: {value}', { value: valueText(field, value, people) })}</span>
          <IconButton
            icon={X}
            label={t('Remove the value of {name}', { name: field.name })}
            size="s"
            onClick={() => set(null)}
          />
        </div>
      )}
    </div>
  )
}

function FieldName({ name, title = name }: { readonly name: string; readonly title?: string }) {
  return (
    <span className="cut" title={title}>
      {name}
    </span>
  )
}

interface ValueFieldProps {
  readonly name: string
  readonly value: Value
  readonly onChange: (value: Value) => void
}

function ValueField({ name, value, onChange }: ValueFieldProps) {
  const [text, setText] = useState(textOf(value))
  if (typeof value === 'boolean') {
    return (
      <div className="grow field-check">
        <Checkbox label={name} hiddenLabel checked={value} onChange={onChange} />
      </div>
    )
  }
  const save = () => {
    const next = parseAs(value, text)
    if (text.trim() === '') setText(textOf(value))
    else if (textOf(next) !== textOf(value)) onChange(next)
  }
  return (
    <div className="grow">
      <Input
        aria-label={name}
        value={text}
        inputMode={typeof value === 'number' ? 'decimal' : 'text'}
        maxLength={2000}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onBlur={save}
        onKeyDown={(event) => event.key === 'Enter' && save()}
      />
    </div>
  )
}

function textOf(value: Value): string {
  return Array.isArray(value) ? value.join(', ') : String(value ?? '')
}

/** Parses a text as the type of the former value. */
function parseAs(former: Value, text: string): Value {
  const given = text.trim()
  if (Array.isArray(former)) return given.split(',').flatMap((each) => each.trim() || [])
  if (typeof former === 'number' && given !== '' && Number.isFinite(Number(given))) return Number(given)
  return given
}

/** Parses the first value of a field, which decides its type. */
function parseNew(text: string): Value {
  const given = text.trim()
  if (given === 'true' || given === 'false') return given === 'true'
  return /^-?\d+(\.\d+)?$/.test(given) ? Number(given) : given
}

function NewField({ taken, onAdd }: { readonly taken: readonly string[]; onAdd: (key: string, value: Value) => void }) {
  const [isOpen, setOpen] = useState(false)
  const [key, setKey] = useState('')
  const [text, setText] = useState('')
  if (!isOpen) {
    return (
      <Button kind="quiet" size="s" icon={Plus} className="task-begin" onClick={() => setOpen(true)}>
        {t('Add field')}
      </Button>
    )
  }
  const isReady = key_form.test(key) && !taken.includes(key) && text.trim() !== ''
  const add = () => {
    if (!isReady) return
    onAdd(key, parseNew(text))
    setOpen(false)
    setKey('')
    setText('')
  }
  return (
    <form className="row" noValidate onSubmit={submitHandler(add)}>
      <Input
        autoFocus
        aria-label={t('Field name')}
        placeholder={example_key}
        className="mono"
        value={key}
        maxLength={40}
        onChange={({ currentTarget }) => setKey(currentTarget.value.toLowerCase().replace(/[^a-z0-9_]/g, '_'))}
      />
      <Input
        aria-label={t('Field value')}
        placeholder={t('Value')}
        value={text}
        maxLength={2000}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Button type="submit" disabled={!isReady}>
        {t('Add')}
      </Button>
      <IconButton icon={X} label={t('Cancel')} onClick={() => setOpen(false)} />
    </form>
  )
}

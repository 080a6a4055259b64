/** Fields that a team names itself. A number stays a number, yes and no stay so, a list has commas. */
import type { Task } from '@atrium/sdk'
import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { Button, Checkbox, Fact, Facts, IconButton, Input, sending } from '../../design/index.ts'
import { useTaskChange } from './writes.ts'

type Value = Task['custom_fields'][string]

const name_form = /^[a-z][a-z0-9_]{0,39}$/

export function CustomFields({ task }: { readonly task: Task }) {
  const change = useTaskChange()
  const set = (key: string, value: Value) =>
    void change.run({ id: task.id, fields: { custom_fields: { [key]: value } } })
  const fields = Object.entries(task.custom_fields)
  return (
    <div className="stack" style={{ gap: 'var(--s-1)' }}>
      {fields.length > 0 && (
        <Facts>
          {fields.map(([key, value]) => (
            <Fact key={key} name={<span className="cut mono">{key}</span>}>
              <div className="row">
                <ValueField key={String(value)} name={key} value={value} onChange={(next) => set(key, next)} />
                <IconButton icon={X} label={`Remove ${key}`} size="s" onClick={() => set(key, null)} />
              </div>
            </Fact>
          ))}
        </Facts>
      )}
      <NewField taken={Object.keys(task.custom_fields)} onAdd={set} />
    </div>
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
      <div className="grow">
        <Checkbox label={name} bare checked={value} onChange={onChange} />
      </div>
    )
  }
  const save = () => {
    const next = readValue(text, value)
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

/** What was typed, in the kind that the field has. */
function readValue(text: string, was: Value): Value {
  const given = text.trim()
  if (Array.isArray(was)) return given.split(',').flatMap((each) => each.trim() || [])
  if (typeof was === 'number' && given !== '' && Number.isFinite(Number(given))) return Number(given)
  return given
}

/** The kind of a new field is that of what is typed. */
function firstValue(text: string): Value {
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
        Add a field
      </Button>
    )
  }
  const isGood = name_form.test(key) && !taken.includes(key) && text.trim() !== ''
  const add = () => {
    if (!isGood) return
    onAdd(key, firstValue(text))
    setOpen(false)
    setKey('')
    setText('')
  }
  return (
    <form className="row" noValidate onSubmit={sending(add)}>
      <Input
        autoFocus
        aria-label="Name of the field"
        placeholder="name_of_field"
        className="mono"
        value={key}
        maxLength={40}
        onChange={({ currentTarget }) => setKey(currentTarget.value.toLowerCase().replace(/[^a-z0-9_]/g, '_'))}
      />
      <Input
        aria-label="Value of the field"
        placeholder="Value"
        value={text}
        maxLength={2000}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Button type="submit" disabled={!isGood}>
        Add
      </Button>
      <IconButton icon={X} label="Do not add a field" onClick={() => setOpen(false)} />
    </form>
  )
}

/** A task of a workspace, looked for by its key or words of its title. */
import { useState } from 'react'
import { useList } from '../data/index.ts'
import { Combobox, Field } from '../design/index.ts'

interface TaskFieldProps {
  readonly workspace: string
  readonly value: string | null
  readonly onChange: (task: string | null) => void
  readonly hint?: string
  /** What the chosen one is called, where it is not among those found. */
  readonly chosen?: string | undefined
  readonly error?: string | undefined
}

const shown_max = 20

export function TaskField({ workspace, value, onChange, hint, chosen, error }: TaskFieldProps) {
  const [text, setText] = useState('')
  const words = text.trim()
  const filter = words === '' ? {} : { filter: JSON.stringify(words) }
  const list = useList('task', { workspace, words }, (atrium) =>
    atrium.tasks.list({ workspace, limit: shown_max, sort: '-updated', ...filter }),
  )
  const found = (list.rows ?? []).map(({ id, key, title }) => ({ value: id, label: `${key} ${title}` }))
  const isFound = chosen === undefined || value === null || found.some((option) => option.value === value)
  const options = isFound ? found : [{ value, label: chosen }, ...found]
  return (
    <Field label="Task" hint={hint} error={error} required>
      <Combobox
        label="Task"
        placeholder="Choose a task"
        options={options}
        value={value === null ? [] : [value]}
        onChange={([task]) => onChange(task ?? null)}
        onSearch={setText}
      />
    </Field>
  )
}

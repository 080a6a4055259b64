/** A task, looked for by its key or words of its title. */
import { useState } from 'react'
import { useList } from '../../data/index.ts'
import { Combobox, Field } from '../../design/index.ts'

interface TaskFieldProps {
  readonly workspace: string
  readonly value: string | null
  readonly onChange: (task: string | null) => void
  readonly error?: string | undefined
}

const shown_max = 20

export function TaskField({ workspace, value, onChange, error }: TaskFieldProps) {
  const [text, setText] = useState('')
  const words = text.trim()
  const filter = words === '' ? {} : { filter: JSON.stringify(words) }
  const list = useList('task', { workspace, words }, (atrium) =>
    atrium.tasks.list({ workspace, limit: shown_max, sort: '-updated', ...filter }),
  )
  const options = (list.rows ?? []).map(({ id, key, title }) => ({ value: id, label: `${key} ${title}` }))
  return (
    <Field label="Task" hint="Whose fields it sees." error={error} required>
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

/** A field that selects a task of a workspace, searched by key or title. */
import { useState } from 'react'
import { useList } from '../data/index.ts'
import { Combobox, Field } from '../design/index.ts'
import { t } from '../language/index.ts'

interface TaskFieldProps {
  readonly workspace: string
  readonly value: string | null
  readonly onChange: (task: string | null) => void
  readonly hint?: string
  /** The label of the selected task if the search did not return it. */
  readonly selectedLabel?: string | undefined
  readonly error?: string | undefined
}

const shown_max = 20

export function TaskField({ workspace, value, onChange, hint, selectedLabel, error }: TaskFieldProps) {
  const [text, setText] = useState('')
  const words = text.trim()
  const filter = words === '' ? {} : { filter: JSON.stringify(words) }
  const list = useList('task', { workspace, words }, (atrium) =>
    atrium.tasks.list({ workspace, limit: shown_max, sort: '-updated', ...filter }),
  )
  const results = (list.rows ?? []).map(({ id, key, title }) => ({ value: id, label: `${key} ${title}` }))
  const isFound = selectedLabel === undefined || value === null || results.some((option) => option.value === value)
  const options = isFound ? results : [{ value, label: selectedLabel }, ...results]
  return (
    <Field label={t('Task')} hint={hint} error={error} required>
      <Combobox
        label={t('Task')}
        placeholder={t('Select a task')}
        options={options}
        value={value === null ? [] : [value]}
        onChange={([task]) => onChange(task ?? null)}
        onSearch={setText}
      />
    </Field>
  )
}

/** A field that selects a task of a workspace, searched by key or title. */
import type { Task } from '@atrium/sdk'
import { useState } from 'react'
import { useList } from '../data/index.ts'
import { Combobox, Field } from '../design/index.ts'
import { t } from '../language/index.ts'
import { searchFilter } from './task-search.ts'

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

/** The tasks of a workspace that a text finds by key or title, the latest change first; all of them for an empty text. */
export function useTaskSearch(workspace: string) {
  const [text, setText] = useState('')
  const words = text.trim()
  const { rows } = useList('task', { workspace, words }, (atrium) =>
    atrium.tasks.list({ workspace, limit: shown_max, sort: '-updated', ...searchFilter(words) }),
  )
  return { rows, onSearch: setText }
}

export function taskOptions(rows: readonly Pick<Task, 'id' | 'key' | 'title'>[] | undefined) {
  return (rows ?? []).map(({ id, key, title }) => ({ value: id, label: `${key} ${title}` }))
}

export function TaskField({ workspace, value, onChange, hint, selectedLabel, error }: TaskFieldProps) {
  const { rows, onSearch } = useTaskSearch(workspace)
  const results = taskOptions(rows)
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
        onSearch={onSearch}
      />
    </Field>
  )
}

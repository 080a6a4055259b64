/** Selects a task of the workspace by key or title; empty means the task of the run, of a parent: no parent. */
import { useState } from 'react'
import { searchFilter } from '../../../app/task-search.ts'
import { useList, useObject } from '../../../data/index.ts'
import { Combobox } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import type { SettingProps } from './setting.ts'

const shown_max = 20
const subject = '$subject'
const none = 'none-of-them'

interface TaskPickerProps extends SettingProps {
  /** Shown while no task is selected. */
  readonly placeholder?: string
}

export function TaskPicker({ field, value, onChange, workspace, placeholder }: TaskPickerProps) {
  const [words, setWords] = useState('')
  const list = useList('task', { workspace, words }, (atrium) =>
    atrium.tasks.list({ workspace, limit: shown_max, sort: '-updated', ...searchFilter(words) }),
  )
  const id = typeof value === 'string' && value !== '' && value !== subject ? value : null
  const selected = useObject('task', id, (atrium, given) => atrium.tasks.retrieve(given))
  const found = (list.rows ?? []).map((task) => ({ value: task.id, label: `${task.key} ${task.title}` }))
  const own = selected.data && { value: id ?? '', label: `${selected.data.key} ${selected.data.title}` }
  const others = own ? [own, ...found.filter((option) => option.value !== selected.data?.id)] : found
  const own_task = { value: subject, label: t('The task of the run') }
  const optional = field.kind === 'parent' ? [{ value: none, label: t('None') }, own_task] : [own_task]
  const options = field.required ? others : [...optional, ...others]
  const isLeftOut = field.kind === 'parent' ? none : subject
  const chosen = value === subject ? subject : isLeftOut
  return (
    <Combobox
      label={field.label}
      options={options}
      value={[id ?? (field.required ? '' : chosen)]}
      onSearch={setWords}
      {...(placeholder !== undefined && { placeholder })}
      onChange={([next]) => onChange(next === isLeftOut ? undefined : next)}
    />
  )
}

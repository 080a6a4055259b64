/** Which tasks a flow takes: the filter of a list, with what a flow may say in it. */
import type { Task } from '@atrium/sdk'
import { useMemo } from 'react'
import { FilterSetting } from '../../../app/filter/setting.tsx'
import type { Vocabulary } from '../../../app/filter/values.ts'
import { useVocabulary } from '../../../app/filter/vocabulary.ts'
import { useAll } from '../../../data/index.ts'
import type { SettingProps } from './setting.ts'

/** As in the schema of graphs. */
const filter_chars_max = 1024
/** The tasks whose labels and names are offered; others are typed. */
const tasks_read = 100

/** The words of a filter in a flow. A flow has no reader, so `me` is not offered. */
export function useFlowFilter(workspace: string): Vocabulary {
  const { data } = useAll<Task>(
    'task',
    { workspace, labels: true },
    (atrium) => atrium.tasks.list({ workspace, limit: tasks_read, sort: '-updated' }),
    { max: tasks_read },
  )
  const vocabulary = useVocabulary(data, { workspace })
  return useMemo(() => ({ ...vocabulary, me: null }), [vocabulary])
}

interface FlowFilterProps {
  readonly label: string
  readonly value: unknown
  readonly onChange: (filter: string | undefined) => void
  readonly workspace: string
}

export function FlowFilter({ label, value, onChange, workspace }: FlowFilterProps) {
  const vocabulary = useFlowFilter(workspace)
  return (
    <FilterSetting
      label={label}
      value={typeof value === 'string' ? value : ''}
      charsMax={filter_chars_max}
      vocabulary={vocabulary}
      onChange={(text) => onChange(text === '' ? undefined : text)}
    />
  )
}

export function FilterControl({ field, ...props }: SettingProps) {
  return <FlowFilter {...props} label={field.label} />
}

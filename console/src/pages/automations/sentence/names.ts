/** What the cards offer and name: people, teams, projects, labels, custom fields of the workspace. */
import type { CustomField } from '@atrium/sdk'
import { useMemo } from 'react'
import { filterWords } from '../../../app/filter/words.ts'
import { useAll } from '../../../data/index.ts'
import type { ComboboxOption } from '../../../design/index.ts'
import type { CallableFlow } from '../editor/call.ts'
import { useCallableFlows, useNameOf, usePeopleOptions, useProjectOptions, useTeamOptions } from '../editor/choices.ts'
import { useFlowFilter } from '../editor/filter-field.tsx'
import type { Names } from './words.ts'

export interface Vocabulary extends Names {
  readonly workspace: string
  readonly people: readonly ComboboxOption[]
  readonly teams: readonly ComboboxOption[]
  readonly projects: readonly ComboboxOption[]
  readonly labels: readonly ComboboxOption[]
  readonly fields: readonly CustomField[]
  readonly flows: readonly CallableFlow[]
}

export function useVocabulary(workspace: string): Vocabulary {
  const nameOf = useNameOf(workspace)
  const people = usePeopleOptions()
  const teams = useTeamOptions()
  const projects = useProjectOptions(workspace)
  const flows = useCallableFlows(workspace)
  const filter = useFlowFilter(workspace)
  const { data } = useAll<CustomField>('custom_field', { workspace }, (atrium) =>
    atrium.customFields.list({ workspace, limit: 100 }),
  )
  return useMemo(() => {
    const fields = (data ?? []).toSorted((a, b) => a.position - b.position)
    const byKey = new Map(fields.map((field) => [field.key, field]))
    return {
      workspace,
      people,
      teams,
      projects,
      labels: filter.labels.map((label) => ({ value: label, label })),
      fields,
      flows,
      nameOf,
      filterWords: (text) => filterWords(text, filter),
      fieldName: (key) => byKey.get(key)?.name ?? key,
      optionName: (key, option) => {
        const field = byKey.get(key)
        if (field?.type === 'person') return nameOf(option)
        return field?.options.find(({ id }) => id === option)?.name ?? option
      },
    }
  }, [data, filter, flows, nameOf, people, projects, teams, workspace])
}

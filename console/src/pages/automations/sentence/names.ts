/** What the cards offer and name: people, teams, projects, labels, custom fields of the workspace. */
import type { CustomField } from '@atrium/sdk'
import { useMemo } from 'react'
import { useAll } from '../../../data/index.ts'
import type { ComboboxOption } from '../../../design/index.ts'
import type { CallableFlow } from '../editor/call.ts'
import { useCallableFlows, useNameOf, usePeopleOptions, useProjectOptions, useTeamOptions } from '../editor/choices.ts'
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

/** The tasks whose labels are offered; other labels are typed. */
const tasks_read = 100

export function useVocabulary(workspace: string): Vocabulary {
  const nameOf = useNameOf(workspace)
  const people = usePeopleOptions()
  const teams = useTeamOptions()
  const projects = useProjectOptions(workspace)
  const labels = useLabelOptions(workspace)
  const flows = useCallableFlows(workspace)
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
      labels,
      fields,
      flows,
      nameOf,
      fieldName: (key) => byKey.get(key)?.name ?? key,
      optionName: (key, option) => {
        const field = byKey.get(key)
        if (field?.type === 'person') return nameOf(option)
        return field?.options.find(({ id }) => id === option)?.name ?? option
      },
    }
  }, [data, flows, labels, nameOf, people, projects, teams, workspace])
}

function useLabelOptions(workspace: string): readonly ComboboxOption[] {
  const { data } = useAll(
    'task',
    { workspace, labels: true },
    (atrium) => atrium.tasks.list({ workspace, limit: tasks_read, sort: '-updated' }),
    { max: tasks_read },
  )
  return useMemo(
    () =>
      [...new Set((data ?? []).flatMap((task) => task.labels))]
        .toSorted((a, b) => a.localeCompare(b))
        .map((label) => ({ value: label, label })),
    [data],
  )
}

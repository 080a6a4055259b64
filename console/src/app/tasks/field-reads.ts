/** The custom fields that workspaces define, in their order. */
import type { CustomField } from '@atrium/sdk'
import { useMemo } from 'react'
import { useAll } from '../../data/index.ts'
import { byPosition } from './reads.ts'

/** 20 workspaces with as many fields as they can have. */
const fields_max = 1000

/** The custom fields of all workspaces. */
export function useAllFields() {
  return useAll<CustomField>('custom_field', {}, (atrium) => atrium.customFields.list({ limit: 100 }), {
    max: fields_max,
  })
}

/** The custom fields of a workspace, by position; undefined until they are read. */
export function useFieldsOf(workspace: string | undefined) {
  const read = useAllFields()
  const fields = useMemo(
    () => read.data?.filter((field) => field.workspace === workspace).toSorted(byPosition),
    [read.data, workspace],
  )
  return { ...read, fields }
}

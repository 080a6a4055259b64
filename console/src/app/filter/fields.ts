/** Custom fields as properties of a filter: by key over all workspaces, because a list covers several. */
import type { CustomField } from '@atrium/sdk'

interface FieldOption {
  readonly id: string
  /** One, unless workspaces name it differently. */
  readonly names: readonly string[]
  readonly color: string | null
  /** The titles of its workspaces, where several define the field. */
  readonly hint?: string
}

export interface FilterField {
  readonly key: string
  readonly name: string
  /** Null if workspaces give the key different types: the API then compares its values as they are. */
  readonly type: string | null
  readonly options: readonly FieldOption[]
  /** Whether the menu offers it; the other fields only have names. */
  readonly isOffered: boolean
}

const prefix = 'custom_fields.'

/** The key of a custom field's property; undefined for others. */
export function customKey(property: string): string | undefined {
  return property.startsWith(prefix) ? property.slice(prefix.length) : undefined
}

export function customProperty(key: string): string {
  return `${prefix}${key}`
}

interface Titled {
  readonly id: string
  readonly title: string
}

/** The fields by key; those that `workspace` defines are offered, without it all. */
export function filterFields(
  fields: readonly CustomField[],
  workspaces: readonly Titled[],
  workspace: string | undefined,
): readonly FilterField[] {
  const titles = new Map(workspaces.map(({ id, title }) => [id, title]))
  const byKey = Map.groupBy(
    fields.toSorted((a, b) => a.position - b.position),
    ({ key }) => key,
  )
  return [...byKey].map(([key, same]) => {
    const own = same.filter((field) => workspace === undefined || field.workspace === workspace)
    const types = new Set(same.map(({ type }) => type))
    const [type = null] = types
    return {
      key,
      name: (own[0] ?? same[0])?.name ?? key,
      type: types.size === 1 ? type : null,
      options: optionsOf(own.length > 0 ? own : same, titles),
      isOffered: own.length > 0,
    }
  })
}

/** The options of all definitions; one that several define stands once. */
function optionsOf(fields: readonly CustomField[], titles: ReadonlyMap<string, string>): readonly FieldOption[] {
  const all = fields.flatMap(({ workspace, options }) => options.map((each) => ({ ...each, workspace })))
  return [...Map.groupBy(all, ({ id }) => id)].map(([id, same]) => {
    const hints = [...new Set(same.flatMap((each) => titles.get(each.workspace) ?? []))]
    return {
      id,
      names: [...new Set(same.map(({ name }) => name))],
      color: same[0]?.color ?? null,
      ...(fields.length > 1 && hints.length > 0 ? { hint: hints.join(', ') } : {}),
    }
  })
}

/** The custom fields that a person sees in lists and on cards: chosen by key, and kept in the browser. */
import '../../app/tasks/fields.css'
import type { CustomField, Task } from '@atrium/sdk'
import { ArrowDown, ArrowUp, Columns3 } from 'lucide-react'
import { useCallback, useMemo, useSyncExternalStore } from 'react'
import { useAllFields } from '../../app/tasks/field-reads.ts'
import { FieldShow } from '../../app/tasks/field-show.tsx'
import { byPosition } from '../../app/tasks/reads.ts'
import { Button, Menu } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { usePeople } from './field-people.ts'

const stored_name = 'atrium.shown-fields'
/** Columns beside the others of a list. */
const shown_max = 6

const followers = new Set<() => void>()

function storedText(): string {
  try {
    return localStorage.getItem(stored_name) ?? ''
  } catch {
    return ''
  }
}

function follow(follower: () => void): () => void {
  followers.add(follower)
  addEventListener('storage', follower)
  return () => {
    followers.delete(follower)
    removeEventListener('storage', follower)
  }
}

/** The chosen keys in their order, and a function that chooses or leaves one. */
function useShownKeys(): { readonly keys: readonly string[]; readonly toggle: (key: string) => void } {
  const text = useSyncExternalStore(follow, storedText)
  const keys = useMemo(() => text.split(' ').filter(Boolean), [text])
  const toggle = useCallback((key: string) => {
    const now = storedText().split(' ').filter(Boolean)
    const next = now.includes(key) ? now.filter((each) => each !== key) : [...now, key].slice(-shown_max)
    try {
      localStorage.setItem(stored_name, next.join(' '))
    } catch {
      // Without storage the choice cannot be kept.
    }
    for (const follower of followers) follower()
  }, [])
  return { keys, toggle }
}

/** A key with the definitions that workspaces give it. */
export interface ShownField {
  readonly key: string
  readonly name: string
  readonly byWorkspace: ReadonlyMap<string, CustomField>
}

function useNamedFields() {
  const { data, isPending } = useAllFields()
  const fields = useMemo((): readonly ShownField[] => {
    const byKey = Map.groupBy((data ?? []).toSorted(byPosition), ({ key }) => key)
    return [...byKey].map(([key, fields]) => ({
      key,
      name: fields[0]?.name ?? key,
      byWorkspace: new Map(fields.map((field) => [field.workspace, field])),
    }))
  }, [data])
  return { fields, isPending }
}

/** The fields of a view, or those that the person has chosen, of those that some workspace defines; and whether they are still being read. */
export function useShownFields(ofView: readonly string[] | null = null): {
  readonly fields: readonly ShownField[]
  readonly isPending: boolean
} {
  const chosen = useShownKeys().keys
  const keys = ofView ?? chosen
  const { fields, isPending } = useNamedFields()
  const shown = useMemo(() => keys.flatMap((key) => fields.find((field) => field.key === key) ?? []), [keys, fields])
  return { fields: shown, isPending: isPending && keys.length > 0 }
}

/** Chooses the fields. */
export function ShownFieldsMenu() {
  const { fields } = useNamedFields()
  const { keys, toggle } = useShownKeys()
  const choices = fields.map(({ key, name }) => ({
    label: name,
    checked: keys.includes(key),
    onSelect: () => toggle(key),
  }))
  return (
    <Menu
      label={t('Fields to show')}
      trigger={
        <Button icon={Columns3} className="shrinks" title={t('Fields')}>
          {t('Fields')}
        </Button>
      }
      items={choices.length > 0 ? choices : [{ label: t('No workspace has custom fields yet'), disabled: true }]}
    />
  )
}

interface HeadProps {
  readonly fields: readonly ShownField[]
  readonly sort: string
  readonly onSort: (sort: string) => void
}

/** The head of the list's field columns. A click sorts by the field, upwards, then downwards, then no longer. */
export function FieldsHead({ fields, sort, onSort }: HeadProps) {
  if (fields.length === 0) return null
  return (
    <div className="task-list-head">
      <span className="grow" />
      {fields.map(({ key, name }) => {
        const up = `custom_fields.${key}`
        const down = `-${up}`
        const next = sort === up ? down : sort === down ? '' : up
        const state = sort === up ? ', ascending' : sort === down ? ', descending' : ''
        return (
          <div className="task-cell-field" key={key}>
            <button
              type="button"
              className="task-head-sort"
              data-sorted={state === '' ? undefined : true}
              aria-label={t('Sort by {name}{state}', { name, state })}
              onClick={() => onSort(next)}
            >
              <span className="cut">{name}</span>
              {sort === up && <ArrowUp aria-hidden="true" />}
              {sort === down && <ArrowDown aria-hidden="true" />}
            </button>
          </div>
        )
      })}
      <span className="task-head-due">{t('Due')}</span>
      <span className="task-head-person" />
    </div>
  )
}

/** The choices of the sort menu for the chosen fields. */
export function fieldSorts(fields: readonly ShownField[]): { value: string; label: string }[] {
  return fields.flatMap(({ key, name }) => [
    { value: `custom_fields.${key}`, label: t('{name}, ascending', { name }) },
    { value: `-custom_fields.${key}`, label: t('{name}, descending', { name }) },
  ])
}

/** The cells of a row. */
export function FieldCells({ task, fields }: { readonly task: Task; readonly fields: readonly ShownField[] }) {
  const people = usePeople()
  return fields.map(({ key, byWorkspace }) => {
    const field = byWorkspace.get(task.workspace)
    const value = task.custom_fields[key]
    return (
      <div className="task-cell-field" key={key}>
        {field !== undefined && value !== undefined && <FieldShow field={field} value={value} people={people} />}
      </div>
    )
  })
}

/** The chosen custom fields of a task on its card. */
import '../../app/tasks/fields.css'
import type { Task } from '@atrium/sdk'
import { FieldShow } from '../../app/tasks/field-show.tsx'
import { useShownFields } from './field-columns.tsx'
import { usePeople } from './field-people.ts'

const chips_max = 3

/** Types whose values are understood without the name of the field. */
const speaking: ReadonlySet<string> = new Set(['select', 'multi_select', 'person', 'url'])

export function FieldChips({ task }: { readonly task: Task }) {
  const { fields } = useShownFields()
  const people = usePeople()
  const chips = fields.flatMap(({ key, byWorkspace }) => {
    const field = byWorkspace.get(task.workspace)
    const value = task.custom_fields[key]
    return field === undefined || value === undefined ? [] : [{ field, value }]
  })
  if (chips.length === 0) return null
  return (
    <div className="field-chips">
      {chips.slice(0, chips_max).map(({ field, value }) => (
        <span className="field-chip" key={field.key} title={field.name}>
          <span className={speaking.has(field.type) ? 'unseen' : 'subtle'}>{field.name}</span>
          <FieldShow field={field} value={value} people={people} />
        </span>
      ))}
    </div>
  )
}

/** Custom fields of the selected tasks: a field, then its new value. */
import type { Task } from '@atrium/sdk'
import { ChevronLeft } from 'lucide-react'
import { useState } from 'react'
import { useFieldsOf } from '../../app/tasks/field-reads.ts'
import { type FieldValue, valueText } from '../../app/tasks/field-values.ts'
import { Button } from '../../design/index.ts'
import { Popover } from '../../design/popover.tsx'
import { rich, t } from '../../language/index.ts'
import { type Bulk, setBulk } from './bulk-job.ts'
import { FieldEditor } from './field-editor.tsx'
import { usePeople } from './field-people.ts'

interface FieldsChoiceProps {
  readonly tasks: readonly Task[]
  /** The workspace of all tasks, which defines the fields. */
  readonly workspace: string
  readonly run: (bulk: Bulk) => void
}

export function FieldsChoice({ tasks, workspace, run }: FieldsChoiceProps) {
  const { fields = [] } = useFieldsOf(workspace)
  const people = usePeople()
  const [isOpen, setOpen] = useState(false)
  const [key, setKey] = useState<string | null>(null)
  const [value, setValue] = useState<FieldValue>(null)
  const field = fields.find((each) => each.key === key)
  if (fields.length === 0) return null
  const choose = (next: string | null) => {
    setKey(next)
    setValue(next === null ? null : (sharedValue(tasks, next) ?? null))
  }
  const set = (given: FieldValue) => {
    if (field === undefined) return
    setOpen(false)
    const to =
      given === null
        ? t('without {name}', { name: field.name })
        : t('changed: {name} is {value}', { name: field.name, value: valueText(field, given, people) })
    run(setBulk({ custom_fields: { [field.key]: given } }, to))
  }
  return (
    <Popover
      label={t('Custom fields')}
      open={isOpen}
      onOpenChange={(open) => {
        setOpen(open)
        if (open) choose(null)
      }}
      trigger={<Button size="s">{t('Custom fields')}</Button>}
    >
      {field === undefined ? (
        <ul className="bulk-fields" aria-label={t('Custom fields')}>
          {fields.map((each) => (
            <li key={each.key}>
              <Button size="s" kind="quiet" onClick={() => choose(each.key)}>
                {each.name}
              </Button>
            </li>
          ))}
        </ul>
      ) : (
        <div className="stack bulk-field">
          <Button size="s" kind="quiet" icon={ChevronLeft} onClick={() => choose(null)}>
            {field.name}
          </Button>
          <FieldEditor key={field.key} field={field} value={value} onChange={setValue} />
          <div className="row">
            <Button
              size="s"
              disabled={value === null && field.type !== 'checkbox'}
              onClick={() => set(value ?? (field.type === 'checkbox' ? false : null))}
            >
              {rich('Set{span}', { span: <span className="unseen"> {field.name}</span> })}
            </Button>
            <Button size="s" kind="quiet" onClick={() => set(null)}>
              {rich('Clear{span}', { span: <span className="unseen"> {field.name}</span> })}
            </Button>
          </div>
        </div>
      )}
    </Popover>
  )
}

/** The value that all tasks have, if it is the same. */
function sharedValue(tasks: readonly Task[], key: string): FieldValue | undefined {
  const [first, ...others] = tasks.map(({ custom_fields }) => custom_fields[key] ?? null)
  return others.every((other) => JSON.stringify(other) === JSON.stringify(first)) ? first : undefined
}

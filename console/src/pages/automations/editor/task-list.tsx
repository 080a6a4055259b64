/** The tasks that a step creates: title and person of each, in their order. What else is set of one is kept, and said. */
import '../automations.css'
import { Plus, Trash2 } from 'lucide-react'
import { Button, Combobox, IconButton, Input } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { usePeopleOptions } from './choices.ts'
import type { SettingProps } from './setting.ts'
import { formulaOf, textOf, valueOfText } from './values.ts'

const tasks_max = 100
const none = 'none-of-them'

interface TaskDraft {
  readonly title: unknown
  readonly assignee?: unknown
  readonly [field: string]: unknown
}

export function TaskListField({ value, onChange }: SettingProps) {
  const tasks = tasksOf(value)
  const people = usePeopleOptions()
  const change = (index: number, ...next: readonly TaskDraft[]) =>
    onChange(tasks.toSpliced(index, 1, ...next).slice(0, tasks_max))
  return (
    <div className="stack">
      {tasks.map((task, i) => (
        <OneTask
          // biome-ignore lint/suspicious/noArrayIndexKey: a task has no other identity; its title is edited
          key={i}
          number={i + 1}
          task={task}
          people={people}
          onChange={(...next) => change(i, ...next)}
          onRemove={tasks.length > 1 ? () => change(i) : null}
        />
      ))}
      {tasks.length < tasks_max && (
        <Button icon={Plus} size="s" onClick={() => onChange([...tasks, { title: '' }])}>
          {t('Add task')}
        </Button>
      )}
    </div>
  )
}

function tasksOf(value: unknown): readonly TaskDraft[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'object' && each !== null) : []
}

interface OneTaskProps {
  readonly number: number
  readonly task: TaskDraft
  readonly people: ReturnType<typeof usePeopleOptions>
  /** Several tasks take the place of one when lines are pasted. */
  readonly onChange: (...next: readonly TaskDraft[]) => void
  readonly onRemove: (() => void) | null
}

function OneTask({ number, task, people, onChange, onRemove }: OneTaskProps) {
  const { title, assignee, ...others } = task
  const formula = formulaOf(title)
  const person = typeof assignee === 'string' ? [assignee] : []
  return (
    <fieldset className="form-field-row">
      <legend>{t('Task {number}', { number })}</legend>
      <div className="row">
        <Input
          className="grow"
          aria-label={t('Title of task {number}', { number })}
          placeholder={t('Title')}
          value={formula ?? textOf(title)}
          onChange={({ currentTarget }) => onChange({ ...task, title: valueOfText(currentTarget.value, true) })}
          onPaste={(event) => {
            const lines = linesOf(event.clipboardData.getData('text/plain'))
            if (lines.length < 2) return
            event.preventDefault()
            const [first = '', ...rest] = lines
            onChange({ ...task, title: valueOfText(first, true) }, ...rest.map((line) => ({ title: line })))
          }}
        />
        {onRemove !== null && (
          <IconButton icon={Trash2} label={t('Remove task {number}', { number })} onClick={onRemove} />
        )}
      </div>
      <Combobox
        label={t('Assignee of task {number}', { number })}
        placeholder={formulaOf(assignee) ?? t('Assignee')}
        options={[{ value: none, label: t('None') }, ...people]}
        value={person}
        onChange={([next]) => onChange(withAssignee(task, next === none ? undefined : next))}
      />
      {Object.keys(others).length > 0 && (
        <p className="subtle">{t('Also set: {fields}', { fields: Object.keys(others).join(', ') })}</p>
      )}
    </fieldset>
  )
}

function withAssignee({ assignee: _, ...task }: TaskDraft, person: string | undefined): TaskDraft {
  return person === undefined ? task : { ...task, assignee: person }
}

/** Lines of a list that was copied, without its bullets and check boxes. */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.replace(/^\s*(?:[-*•]\s+)?(?:\[[ xX]?\]\s+)?/, '').trim())
  return lines.filter((line) => line !== '')
}

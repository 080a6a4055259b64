/** Chooses a task, searched by key or by words of its title and description. Nothing is read before the list opens. */
import type { Task } from '@atrium/sdk'
import { type ComponentProps, useState } from 'react'
import { isKey, searchFilter } from '../../app/task-search.ts'
import { StatusMark } from '../../app/tasks/marks.tsx'
import { useList } from '../../data/index.ts'
import { Combobox } from '../../design/index.ts'
import { t } from '../../language/index.ts'

/** Results of a search. */
const shown_max = 20
const none = 'none'

interface TaskChoiceProps extends Pick<ComponentProps<typeof Combobox>, 'size' | 'trigger' | 'isFirstOpen'> {
  readonly label: string
  readonly workspace: string
  /** Only tasks of this project; a key finds any task. */
  readonly project?: string | undefined
  /** Tasks that are not offered. */
  readonly without?: readonly string[]
  /** The task that is chosen; undefined if the choice starts empty. */
  readonly value?: Pick<Task, 'id' | 'key' | 'title'> | null
  /** The name of the choice of no task, where that can be chosen. */
  readonly noneLabel?: string
  readonly onChoose: (task: Task | null) => void
}

export function TaskChoice(props: TaskChoiceProps) {
  const { label, workspace, project, without = [], value, noneLabel, onChoose, ...look } = props
  const [text, setText] = useState('')
  const [isOpened, setOpened] = useState(props.isFirstOpen ?? false)
  const words = text.trim()
  const list = useList<Task>(
    'task',
    { choose: words, workspace, project },
    (atrium) => atrium.tasks.list({ limit: shown_max, sort: '-updated', ...searchOf(words, workspace, project) }),
    { enabled: isOpened },
  )
  const rows = (list.rows ?? []).filter(({ id }) => !without.includes(id))
  const current = value && !rows.some(({ id }) => id === value.id) ? [optionOf(value)] : []
  const empty = noneLabel === undefined || words !== '' ? [] : [{ value: none, label: noneLabel }]
  return (
    <Combobox
      {...look}
      label={label}
      placeholder={noneLabel ?? t('Select a task')}
      options={[
        ...empty,
        ...(words === '' || !isOpened ? current : []),
        ...rows.map((row) => (row.id === value?.id ? optionOf(row) : shownOption(row))),
      ]}
      value={value ? [value.id] : noneLabel === undefined ? [] : [none]}
      onOpen={() => {
        setOpened(true)
        setText('')
      }}
      onSearch={setText}
      onChange={([chosen]) => {
        const task = rows.find(({ id }) => id === chosen)
        if (task !== undefined) onChoose(task)
        else if (chosen === none) onChoose(null)
      }}
    />
  )
}

/** A key finds its task in every workspace, so that a refusal can name the reason. */
export function searchOf(words: string, workspace: string, project?: string) {
  const within = project === undefined ? { workspace } : { workspace, project }
  return { ...(isKey(words) ? {} : within), ...searchFilter(words) }
}

/** As text, which the button shows, too. */
function optionOf({ id, key, title }: Pick<Task, 'id' | 'key' | 'title'>) {
  return { value: id, label: `${key} ${title}`.trim() }
}

function shownOption(task: Task) {
  const show = (
    <span className="row task-option">
      <StatusMark status={task.status} />
      <span className="task-key numbers">{task.key}</span>
      <span className="cut">{task.title}</span>
    </span>
  )
  return { ...optionOf(task), show }
}

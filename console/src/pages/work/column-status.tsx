/**
 * The statuses of a board's columns: what a new status means for the tasks that are there already, and a mapping for boards
 * whose columns have none.
 */
import type { Atrium, Column, Project } from '@atrium/sdk'
import { useState } from 'react'
import { FormDialog } from '../../app/form-dialog.tsx'
import { type Status, statusChoices } from '../../app/tasks/values.ts'
import { app, useMode, useWrite } from '../../data/index.ts'
import { Button, Checkbox, inWords, Notice, Select } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { isMapped, rememberMapped } from './column-mapping.ts'

/** The API changes at most 500 tasks at once; smaller portions keep other writes waiting less. */
const portion_tasks = 100

const no_status = 'none'
const choices = [{ value: no_status, label: t('None') }, ...statusChoices]

interface StatusChoiceProps {
  readonly label: string
  readonly value: string | null
  readonly onChange: (status: Status | null) => void
}

/** The status that tasks take in a column, or none. */
export function StatusChoice({ label, value, onChange }: StatusChoiceProps) {
  return (
    <Select
      aria-label={label}
      value={value ?? no_status}
      choices={choices}
      onChange={(next) => onChange(next === no_status ? null : (next as Status))}
    />
  )
}

function othersIn({ id, status }: Pick<Column, 'id' | 'status'>): string {
  return `column = ${id} AND status != ${status}`
}

/** The number of tasks in a column that do not have its status. */
export function useCountOthers() {
  const mode = useMode()
  return async (atrium: Atrium, column: Column): Promise<number> => {
    const filter = othersIn(column)
    const { data, has_more } = await atrium.tasks.list({ filter, limit: portion_tasks })
    return has_more ? (await app('GET tasks/count', { query: { mode, filter } })).count : data.length
  }
}

/** Gives the tasks of a column its status, in portions. Returns how many were changed. */
async function applyStatus(atrium: Atrium, column: Column): Promise<number> {
  for (let changed = 0; ; ) {
    const { data } = await atrium.tasks.list({ filter: othersIn(column), limit: portion_tasks })
    if (data.length === 0) return changed
    // The server's own value.
    const set = { status: column.status as Status }
    await atrium.tasks.bulk({ workspace: column.workspace, tasks: data.map(({ id }) => id), set })
    changed += data.length
  }
}

interface ApplyStatusProps {
  readonly column: Column
  /** How many tasks of the column have another status. */
  readonly count: number
  readonly onClose: () => void
}

/** Offers to give the tasks of a column its new status. */
export function ApplyStatus({ column, count, onClose }: ApplyStatusProps) {
  const status = inWords(column.status ?? '')
  const write = useWrite({
    write: applyStatus,
    waits: false,
    invalidates: ['task'],
    done: (changed) => t('{tasksIn} changed to {status}', { tasksIn: tasksIn(changed), status }),
    toastErrors: false,
  })
  return (
    <FormDialog
      size="s"
      title={t('Change {count, plural, one {the task} other {the tasks}} of {name}?', { count, name: column.name })}
      action={t('Change to {status}', { status })}
      write={write}
      onSubmit={async () => {
        if ((await write.run(column)) !== undefined) onClose()
      }}
      onClose={onClose}
    >
      <p>
        {t(
          '{tasksIn} in {name} {count, plural, one {is} other {are}} not {status}. Tasks that enter the column from now on take its status.',
          { tasksIn: tasksIn(count), name: column.name, count, status },
        )}
      </p>
    </FormDialog>
  )
}

function tasksIn(count: number): string {
  return t('{count, plural, one {# task} other {# tasks}}', { count })
}

const proposals: readonly (readonly [RegExp, Status])[] = [
  [/cancel|reject|won.?t|declined/i, 'canceled'],
  [/block|hold|wait|stuck/i, 'blocked'],
  [/review|\bqa\b|test|verif|approv/i, 'in_review'],
  [/done|complete|closed|shipped|released|finished|live/i, 'done'],
  [/doing|progress|wip|started|active|develop|working/i, 'in_progress'],
  [/backlog|idea|icebox|later|inbox|triage/i, 'backlog'],
  [/to.?do|open|next|planned|ready|selected|new/i, 'todo'],
]

/** The status that a column's name suggests. */
function proposeStatus(name: string): Status | null {
  return proposals.find(([pattern]) => pattern.test(name))?.[1] ?? null
}

interface MappingOfferProps {
  readonly project: Project
  readonly columns: readonly Column[]
}

/** Offers once to give statuses to the columns of a board that has none. */
export function MappingOffer({ project, columns }: MappingOfferProps) {
  const [isDone, setDone] = useState(() => isMapped(project.id))
  const [isOpen, setOpen] = useState(false)
  const isOffered = columns.length > 0 && columns.every(({ status }) => status === null) && !isDone
  const finish = () => {
    rememberMapped(project.id)
    setDone(true)
  }
  if (isOpen) return <MappingDialog columns={columns} onDone={finish} onClose={() => setOpen(false)} />
  if (!isOffered || project.status === 'archived') return null
  return (
    <Notice
      title={t('The columns of this board have no status')}
      actions={
        <>
          <Button size="s" onClick={() => setOpen(true)}>
            {t('Set statuses')}
          </Button>
          <Button size="s" kind="quiet" onClick={finish}>
            {t('Not now')}
          </Button>
        </>
      }
    >
      {t('With a status, a card that moves to Done is completed, and a task that is completed moves to Done.')}
    </Notice>
  )
}

interface MappingDialogProps {
  readonly columns: readonly Column[]
  readonly onDone: () => void
  readonly onClose: () => void
}

function MappingDialog({ columns, onDone, onClose }: MappingDialogProps) {
  const [map, setMap] = useState(() => new Map(columns.map(({ id, name }) => [id, proposeStatus(name)])))
  const [isApplied, setApplied] = useState(true)
  const write = useWrite({
    write: async (atrium: Atrium) => {
      const chosen = columns.filter(({ id }) => map.get(id))
      const updated: Column[] = []
      for (const { id } of chosen) updated.push(await atrium.columns.update(id, { status: map.get(id) ?? null }))
      if (isApplied) for (const column of updated) await applyStatus(atrium, column)
      return chosen.length
    },
    waits: false,
    invalidates: ['column', 'task'],
    done: (count) => t('{count, plural, one {# column has} other {# columns have}} a status now', { count }),
    toastErrors: false,
  })
  const save = async () => {
    if ((await write.run(undefined)) === undefined) return
    onDone()
    onClose()
  }
  return (
    <FormDialog
      size="s"
      title={t('Statuses of the columns')}
      description={t('A task takes the status of the column that it enters.')}
      action={t('Set statuses')}
      isReady={[...map.values()].some((status) => status !== null)}
      write={write}
      onSubmit={save}
      onClose={onClose}
    >
      <ul className="column-map">
        {columns.map(({ id, name }) => (
          <li key={id}>
            <span className="cut">{name}</span>
            <StatusChoice
              label={t('Status of {name}', { name })}
              value={map.get(id) ?? null}
              onChange={(status) => setMap(new Map(map).set(id, status))}
            />
          </li>
        ))}
      </ul>
      <Checkbox
        checked={isApplied}
        onChange={setApplied}
        label={t('Also change the tasks that are in these columns')}
      />
    </FormDialog>
  )
}

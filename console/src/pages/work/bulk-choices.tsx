/** Labels, dates, project and column of the selected tasks. */
import type { Task } from '@atrium/sdk'
import { useState } from 'react'
import { useColumns, useProjects } from '../../app/tasks/reads.ts'
import { startOfDay } from '../../app/tasks/values.ts'
import { isGuest } from '../../data/index.ts'
import { Button, Combobox, DateField, date, useNow } from '../../design/index.ts'
import { Popover } from '../../design/popover.tsx'
import { inSentence, rich, t } from '../../language/index.ts'
import { type Bulk, labelChange, projectBulk, setBulk } from './bulk-job.ts'

const none = 'none'

interface ChoiceProps {
  readonly run: (bulk: Bulk) => void
}

/** A label that all selected tasks have is checked. Choosing another one adds it to all, choosing it again removes it. */
export function LabelsChoice({ tasks, run }: ChoiceProps & { readonly tasks: readonly Task[] }) {
  const known = [...new Set(tasks.flatMap(({ labels }) => labels))].toSorted()
  const shared = known.filter((label) => tasks.every(({ labels }) => labels.includes(label)))
  const change = (after: readonly string[]) => {
    const bulk = labelChange(shared, after)
    if (bulk !== null) run(bulk)
  }
  const partly = known.filter((label) => !shared.includes(label))
  return (
    <Combobox
      label={t('Labels')}
      multiple
      trigger={<Button size="s">{t('Labels')}</Button>}
      options={[
        ...known.map((value) => ({ value, label: value })),
        ...partly.map((label) => ({
          value: `-${label}`,
          label: t('Remove “{label}”', { label }),
          group: t('On some tasks'),
        })),
      ]}
      value={shared}
      onChange={(values) => {
        const removed = partly.find((label) => values.includes(`-${label}`))
        if (removed === undefined) change(values)
        else run({ change: { remove_labels: [removed] }, text: t('no longer labeled {removed}', { removed }) })
      }}
      onCreate={(label) => change([...shared, label])}
    />
  )
}

export function DatesChoice({ run }: ChoiceProps) {
  const [isOpen, setOpen] = useState(false)
  const set = (bulk: Bulk) => {
    setOpen(false)
    run(bulk)
  }
  const now = useNow()
  return (
    <Popover label={t('Dates')} open={isOpen} onOpenChange={setOpen} trigger={<Button size="s">{t('Dates')}</Button>}>
      <div className="stack bulk-dates">
        <DateChoice
          label={t('Due date')}
          onChange={(due_at) =>
            set(
              setBulk(
                { due_at },
                due_at === null ? t('without due date') : t('due {due_at}', { due_at: date(due_at, now) }),
              ),
            )
          }
        />
        <DateChoice
          label={t('Start date')}
          onChange={(at) => {
            const start_at = startOfDay(at)
            set(
              setBulk(
                { start_at },
                start_at === null
                  ? t('without start date')
                  : t('starting {start_at}', { start_at: date(start_at, now) }),
              ),
            )
          }}
        />
      </div>
    </Popover>
  )
}

function DateChoice({ label, onChange }: { readonly label: string; readonly onChange: (at: number | null) => void }) {
  const [at, setAt] = useState<number | null>(null)
  return (
    <div className="stack">
      <span className="subtle">{label}</span>
      <div className="row">
        <DateField aria-label={label} value={at} onChange={setAt} />
        <Button size="s" disabled={at === null} onClick={() => onChange(at)}>
          {rich('Set{span}', { span: <span className="unseen"> {inSentence(label)}</span> })}
        </Button>
        <Button size="s" kind="quiet" onClick={() => onChange(null)}>
          {rich('Clear{span}', { span: <span className="unseen"> {inSentence(label)}</span> })}
        </Button>
      </div>
    </div>
  )
}

interface PlaceChoiceProps extends ChoiceProps {
  readonly tasks: readonly Task[]
  /** The workspace of all tasks. */
  readonly workspace: string
}

/** The project; and the column where all tasks are of one project. */
export function PlaceChoice({ tasks, workspace, run }: PlaceChoiceProps) {
  const projects = (useProjects().data ?? []).filter(
    (project) => project.workspace === workspace && project.status !== 'archived',
  )
  const shared = new Set(tasks.map(({ project }) => project))
  const [project = null] = shared.size === 1 ? shared : []
  const { columns } = useColumns(project)
  return (
    <>
      <Combobox
        label={t('Project')}
        trigger={<Button size="s">{t('Project')}</Button>}
        options={[
          ...(isGuest() ? [] : [{ value: none, label: t('No project') }]),
          ...projects.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        value={shared.size === 1 ? [project ?? none] : []}
        onChange={([chosen]) => {
          const to = projects.find(({ id }) => id === chosen)
          run(projectBulk(to, tasks.length))
        }}
      />
      {project !== null && (columns ?? []).length > 0 && (
        <Combobox
          label={t('Column')}
          trigger={<Button size="s">{t('Column')}</Button>}
          options={[
            { value: none, label: t('No column') },
            ...(columns ?? []).map(({ id, name }) => ({ value: id, label: name })),
          ]}
          value={[]}
          onChange={([chosen]) => {
            const column = columns?.find(({ id }) => id === chosen)
            run(setBulk({ column: column?.id ?? null }, t('moved to {name}', { name: column?.name ?? t('no column') })))
          }}
        />
      )}
    </>
  )
}

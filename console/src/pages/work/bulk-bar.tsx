/** Changes the selected tasks together: every property that the API changes in bulk, and deletion. */
import './bulk-bar.css'
import type { Task } from '@atrium/sdk'
import { Trash2, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useShortcut } from '../../app/shortcuts.ts'
import { PriorityMark, StatusMark } from '../../app/tasks/marks.tsx'
import { priorityChoices, statusChoices } from '../../app/tasks/values.ts'
import { useDirectory } from '../../data/index.ts'
import { Button, ConfirmDialog, IconButton, Menu, Progress } from '../../design/index.ts'
import { inSentence, rich, t, textLanguage } from '../../language/index.ts'
import { AssigneeChoice } from './assignee-choice.tsx'
import { DatesChoice, LabelsChoice, PlaceChoice } from './bulk-choices.tsx'
import { FieldsChoice } from './bulk-fields.tsx'
import { type Bulk, type BulkProgress, countTasks, parentBulk, setBulk, useBulkJob } from './bulk-job.ts'
import { TaskChoice } from './task-choice.tsx'

/** From this number of tasks on, a deletion asks to type the number. */
const typed_from = 50

interface BulkBarProps {
  readonly tasks: readonly Task[]
  readonly onClear: () => void
  /** What stands beside the number of selected tasks, such as an offer to select more. */
  readonly more?: ReactNode
}

export function BulkBar({ tasks, onClear, more }: BulkBarProps) {
  useShortcut('escape', t('Clear selection'), onClear)
  const { current, run, busy, progress, fault, stop } = useBulkJob(tasks, onClear)
  return (
    <section className="bulk" aria-label={t('Selected tasks')}>
      {fault !== null && (
        <p className="task-refusal" role="alert">
          {fault}
        </p>
      )}
      {progress === null ? (
        <div className="bulk-tools" aria-busy={busy}>
          <span className="numbers bulk-count">
            {t('{count} selected', { count: tasks.length.toLocaleString(textLanguage()) })}
          </span>
          <IconButton icon={X} label={t('Clear selection')} keys="escape" size="s" onClick={onClear} />
          {more}
          <Choices tasks={current} run={run} />
          <Deletion tasks={current} run={run} />
        </div>
      ) : (
        <Running progress={progress} onStop={stop} />
      )}
    </section>
  )
}

function Running({
  progress: { done, total },
  onStop,
}: {
  readonly progress: BulkProgress
  readonly onStop: () => void
}) {
  const [isStopping, setStopping] = useState(false)
  return (
    <div className="bulk-tools">
      <span className="numbers" role="status">
        {t('{done} of {countTasks} changed', {
          done: done.toLocaleString(textLanguage()),
          countTasks: countTasks(total),
        })}
      </span>
      <span className="bulk-progress">
        <Progress label={t('Changed tasks')} value={done / total} />
      </span>
      <Button
        size="s"
        disabled={isStopping}
        onClick={() => {
          setStopping(true)
          onStop()
        }}
      >
        {isStopping ? t('Stopping after this portion') : t('Stop')}
      </Button>
    </div>
  )
}

interface ChoicesProps {
  readonly tasks: readonly Task[]
  readonly run: (bulk: Bulk) => void
}

function Choices({ tasks, run }: ChoicesProps) {
  const { nameOf } = useDirectory()
  const workspaces = new Set(tasks.map(({ workspace }) => workspace))
  const [workspace] = workspaces
  return (
    <>
      <Menu
        label={t('Status')}
        align="start"
        side="top"
        trigger={<Button size="s">{t('Status')}</Button>}
        items={statusChoices.map(({ value, label }) => ({
          label: <StatusMark status={value} named />,
          onSelect: () => run(setBulk({ status: value }, t('changed to {label}', { label }))),
        }))}
      />
      <AssigneeChoice
        projects={tasks.map(({ project }) => project)}
        trigger={<Button size="s">{t('Assignee')}</Button>}
        onChange={(user) =>
          run(
            setBulk(
              { assignee: user },
              user === null ? t('unassigned') : t('assigned to {name}', { name: nameOf(user) }),
            ),
          )
        }
      />
      <Menu
        label={t('Priority')}
        align="start"
        side="top"
        trigger={<Button size="s">{t('Priority')}</Button>}
        items={priorityChoices.map(({ value, label }) => ({
          label: <PriorityMark priority={value} named />,
          onSelect: () => run(setBulk({ priority: value }, t('changed to {label}', { label: inSentence(label) }))),
        }))}
      />
      <LabelsChoice tasks={tasks} run={run} />
      <DatesChoice run={run} />
      {workspaces.size === 1 && workspace !== undefined && (
        <>
          <PlaceChoice tasks={tasks} workspace={workspace} run={run} />
          <FieldsChoice tasks={tasks} workspace={workspace} run={run} />
          <TaskChoice
            label={t('Parent')}
            workspace={workspace}
            without={tasks.map(({ id }) => id)}
            noneLabel={t('No parent')}
            trigger={<Button size="s">{t('Parent')}</Button>}
            onChoose={(parent) => run(parentBulk(parent, tasks.length))}
          />
        </>
      )}
    </>
  )
}

function Deletion({ tasks, run }: ChoicesProps) {
  const [isAsking, setAsking] = useState(false)
  const parents = tasks.filter(({ subtask_count }) => subtask_count > 0).length
  const count = countTasks(tasks.length)
  return (
    <>
      <IconButton icon={Trash2} label={t('Delete {count}', { count })} size="s" onClick={() => setAsking(true)} />
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title={t('Delete {count}?', { count })}
        action={t('Delete')}
        {...(tasks.length >= typed_from && { typed: String(tasks.length) })}
        onConfirm={() => {
          setAsking(false)
          run({ change: { delete: true }, text: t('deleted') })
        }}
      >
        {rich(
          'Their comments and dependencies are deleted, too. Time entries are kept.{value} This cannot be undone.',
          { value: parents > 0 && t(' Subtasks that are not selected stay, without a parent.') },
        )}
      </ConfirmDialog>
    </>
  )
}

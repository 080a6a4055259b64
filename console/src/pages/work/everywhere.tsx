/** The parts of Work on every page: the dialog for a new task, commands, and the running timer. */
import './overview.css'
import type { TimeEntry } from '@atrium/sdk'
import { Clock, ListChecks, Plus, Square } from 'lucide-react'
import { lazy, Suspense, useMemo } from 'react'
import { Link } from 'wouter'
import { type Command, useCommands } from '../../app/commands.ts'
import { useShortcut } from '../../app/shortcuts.ts'
import { provideTaskPanel } from '../../app/task-panel.ts'
import { useRunningEntry, useTask } from '../../app/tasks/reads.ts'
import { TopBarSlot } from '../../app/top-bar-slot.tsx'
import { IconButton } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { Elapsed } from './elapsed.tsx'
import { openNewTask, useNewTaskDialog } from './new-task.ts'
import { TaskActions } from './task-actions/task-actions.tsx'
import { useTimerStop } from './writes.ts'

const QuickCreate = lazy(() => import('./quick-create.tsx').then((module) => ({ default: module.QuickCreate })))

provideTaskPanel(lazy(() => import('./task-sheet.tsx').then((module) => ({ default: module.TaskSheet }))))

const group = t('Work')
const openByPriority = new URLSearchParams({
  filter: 'NOT (status = done OR status = canceled)',
  sort: '-priority,due_at',
})
const create = () => openNewTask()

export function WorkEverywhere() {
  const newTask = useNewTaskDialog()
  const running = useRunningEntry()
  const stop = useTimerStop()
  useShortcut('c', t('New task'), create, { group: t('General') })
  const stopTimer = stop.run
  useCommands(
    useMemo<readonly Command[]>(
      () => [
        {
          id: 'work.new-task',
          title: t('New task'),
          group,
          icon: Plus,
          keys: 'c',
          words: t('create add'),
          run: create,
        },
        {
          id: 'work.mine',
          title: t('Open tasks by priority'),
          group,
          icon: ListChecks,
          to: `/work/tasks?${openByPriority}`,
        },
        ...(running === undefined
          ? []
          : [{ id: 'work.stop', title: t('Stop timer'), group, icon: Square, run: () => void stopTimer(running) }]),
      ],
      [running, stopTimer],
    ),
  )
  return (
    <>
      {running && <RunningTimer entry={running} onStop={() => void stop.run(running)} />}
      <TaskActions />
      {newTask && (
        <Suspense>
          <QuickCreate proposal={newTask} />
        </Suspense>
      )}
    </>
  )
}

interface RunningTimerProps {
  readonly entry: TimeEntry
  readonly onStop: () => void
}

function RunningTimer({ entry, onStop }: RunningTimerProps) {
  const { data } = useTask(entry.task)
  return (
    <TopBarSlot>
      <div className="timer">
        <Clock aria-hidden="true" width={14} height={14} />
        <Link href={data ? `/work/tasks/${data.key}` : '/work'} className="timer-link row">
          <Elapsed from={entry.started_at} />
          <span className="cut timer-title">{data?.key}</span>
        </Link>
        <IconButton icon={Square} label={t('Stop timer')} size="s" onClick={onStop} />
      </div>
    </TopBarSlot>
  )
}

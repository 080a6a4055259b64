/** The parts of Work on every page: the dialog for a new task, commands, searches, and the running timer. */
import './overview.css'
import type { Task, TimeEntry } from '@atrium/sdk'
import { Clock, FolderKanban, ListChecks, Plus, Square, SquareCheckBig } from 'lucide-react'
import { lazy, Suspense, useCallback, useMemo } from 'react'
import { Link } from 'wouter'
import { type Command, useCommands, useSearchSource } from '../../app/commands.ts'
import { useShortcut } from '../../app/shortcuts.ts'
import { TopBarSlot } from '../../app/top-bar-slot.tsx'
import { useAtrium } from '../../data/index.ts'
import { IconButton, inWords } from '../../design/index.ts'
import { Elapsed } from './elapsed.tsx'
import { openNewTask, useNewTaskDialog } from './new-task.ts'
import { useProjects, useRunningEntry, useTask } from './reads.ts'
import { useTimerStop } from './writes.ts'

const QuickCreate = lazy(() => import('./quick-create.tsx').then((module) => ({ default: module.QuickCreate })))

const group = 'Work'
const results_max = 6
const openByPriority = new URLSearchParams({
  filter: 'NOT (status = done OR status = canceled)',
  sort: '-priority,due_at',
})
const create = () => openNewTask()

export function WorkEverywhere() {
  const newTask = useNewTaskDialog()
  const running = useRunningEntry()
  const stop = useTimerStop()
  useShortcut('c', 'New task', create, { group: 'General' })
  const stopTimer = stop.run
  useCommands(
    useMemo<readonly Command[]>(
      () => [
        { id: 'work.new-task', title: 'New task', group, icon: Plus, keys: 'c', words: 'create add', run: create },
        {
          id: 'work.mine',
          title: 'Open tasks by priority',
          group,
          icon: ListChecks,
          to: `/work/tasks?${openByPriority}`,
        },
        ...(running === undefined
          ? []
          : [{ id: 'work.stop', title: 'Stop timer', group, icon: Square, run: () => void stopTimer(running) }]),
      ],
      [running, stopTimer],
    ),
  )
  useTaskSearch()
  useProjectSearch()
  return (
    <>
      {running && <RunningTimer entry={running} onStop={() => void stop.run(running)} />}
      {newTask && (
        <Suspense>
          <QuickCreate proposal={newTask} />
        </Suspense>
      )}
    </>
  )
}

function useTaskSearch(): void {
  const atrium = useAtrium()
  useSearchSource(
    useCallback(
      async (text, signal) => {
        // Quoted, so that the filter language takes the text as a phrase.
        const filter = JSON.stringify(text)
        const { data } = await atrium.tasks.list({ filter, sort: '-updated', limit: results_max }, { signal })
        return data.map(commandOf)
      },
      [atrium],
    ),
  )
}

function commandOf({ id, key, title, status }: Task): Command {
  const hint = `${key}, ${inWords(status).toLowerCase()}`
  return { id: `task ${id}`, title, group: 'Tasks', icon: SquareCheckBig, hint, to: `/work/tasks/${key}` }
}

function useProjectSearch(): void {
  const { data } = useProjects()
  useSearchSource(
    useCallback(
      async (text) =>
        (data ?? [])
          .filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
          .slice(0, results_max)
          .map(({ id, name }) => ({
            id: `project ${id}`,
            title: name,
            group: 'Projects',
            icon: FolderKanban,
            to: `/work/projects/${id}`,
          })),
      [data],
    ),
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
        <IconButton icon={Square} label="Stop timer" size="s" onClick={onStop} />
      </div>
    </TopBarSlot>
  )
}

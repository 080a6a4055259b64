/** What the timeline writes: dates of one task or of a chain of tasks, and dependencies. All of it can be undone. */
import type { Task } from '@atrium/sdk'
import { app, inTurn, patch, useAtrium, useMode, useWrite } from '../../../data/index.ts'
import { t } from '../../../language/index.ts'
import { useTaskChange } from '../writes.ts'
import { type Dates, followersOf, type Link, movedDates, type Part } from './bars.ts'

/** Tasks that move together. */
const chain_tasks_max = 100
/** Tasks of one request for dependencies. */
const relations_max = 100
/** Undo does not wait for a connection. */
const never = new Promise<void>(() => {})

interface Moved {
  readonly task: Task
  readonly dates: Dates
}

export function useBarWrites() {
  const mode = useMode()
  const atrium = useAtrium()
  const change = useTaskChange()
  const chain = useChainWrite()
  const link = useLinkWrite()
  const unlink = useUnlinkWrite()
  const setDates = (task: Task, dates: Dates) => {
    const fields = changed(task, dates)
    if (Object.keys(fields).length > 0) void change.run({ id: task.id, fields })
  }
  /** Moves a task and, if asked to, all tasks that come after it by as many days. */
  const move = async (task: Task, part: Part, days: number, withFollowers: boolean) => {
    if (days === 0) return
    const dates = movedDates(task, part, days)
    if (!withFollowers || part !== 'whole') return setDates(task, dates)
    const ids = await readFollowers(mode, task.id)
    const tasks = await Promise.all(ids.map((id) => atrium.tasks.retrieve(id)))
    const dated = tasks.filter(({ start_at, due_at, is_archived }) => !is_archived && (start_at ?? due_at) !== null)
    if (dated.length === 0) return setDates(task, dates)
    await chain.run([task, ...dated].map((each) => ({ task: each, dates: movedDates(each, 'whole', days) })))
  }
  return { setDates, move, link, unlink }
}

function changed(task: Task, { start_at, due_at }: Dates) {
  return { ...(start_at !== task.start_at && { start_at }), ...(due_at !== task.due_at && { due_at }) }
}

function useChainWrite() {
  return useWrite({
    write: (atrium, moved: readonly Moved[], kept) =>
      inTurn(
        moved.map(
          ({ task, dates }) =>
            () =>
              atrium.tasks.update(task.id, changed(task, dates)),
        ),
        kept,
      ),
    changes: (moved) => moved.map(({ task, dates }) => patch('task', task.id, changed(task, dates))),
    invalidates: ['task'],
    done: (tasks) => t('{count} tasks moved', { count: tasks.length }),
    undo: (_, moved) => (atrium) =>
      inTurn(
        moved.map(
          ({ task }) =>
            () =>
              atrium.tasks.update(task.id, { start_at: task.start_at, due_at: task.due_at }),
        ),
        never,
      ),
  })
}

/** The tasks after one, level by level. */
async function readFollowers(mode: ReturnType<typeof useMode>, id: string): Promise<readonly string[]> {
  const links = new Map<string, readonly Link[]>()
  let ids: readonly string[] = [id]
  for (;;) {
    const asked = ids.filter((each) => !links.has(each)).slice(0, relations_max)
    if (asked.length === 0) return ids.filter((each) => each !== id)
    const { dependencies } = await app('GET tasks/relations', { query: { mode, tasks: asked.join(',') } })
    for (const each of asked)
      links.set(
        each,
        dependencies.filter(({ from }) => from === each),
      )
    ids = [id, ...followersOf(id, (each) => links.get(each) ?? [], chain_tasks_max)]
  }
}

interface NewLink {
  readonly from: Task
  readonly to: Task
}

function useLinkWrite() {
  return useWrite({
    write: (atrium, { from, to }: NewLink) =>
      atrium.tasks.dependencies.create(from.id, { workspace: from.workspace, to: to.id, kind: 'blocks' }),
    invalidates: ['dependency'],
    done: (_, { from, to }) => t('{key} blocks {key2}', { key: from.key, key2: to.key }),
    undo:
      ({ id, from }) =>
      (atrium) =>
        atrium.tasks.dependencies.delete(from, id),
  })
}

interface KnownLink {
  readonly link: Link
  readonly from: Task
}

function useUnlinkWrite() {
  return useWrite({
    write: (atrium, { link }: KnownLink) => atrium.tasks.dependencies.delete(link.from, link.id),
    invalidates: ['dependency'],
    done: () => t('Dependency removed'),
    undo:
      (_, { link, from }) =>
      (atrium) =>
        atrium.tasks.dependencies.create(link.from, {
          workspace: from.workspace,
          to: link.to,
          kind: link.kind as 'blocks' | 'precedes',
        }),
  })
}

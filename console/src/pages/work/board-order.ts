/** Places on the board: between which tasks a card is put, and the move that puts it there. */
import type { Project, Task } from '@atrium/sdk'
import type { LaneTasks } from './board-lanes.ts'
import type { Beside, TaskMove } from './writes.ts'

/** The server's distance between the positions of neighbours with much room. */
const position_step = 1024

/** A place in a lane; `index` counts the tasks of the lane without the card. */
export interface CardPlace {
  readonly lane: string
  readonly index: number
}

/** The place of a card now. */
export function placeOf(lanes: readonly LaneTasks[], id: string): CardPlace | null {
  for (const { lane, tasks = [] } of lanes) {
    const index = tasks.findIndex((task) => task.id === id)
    if (index !== -1) return { lane: lane.id, index }
  }
  return null
}

/** The tasks of a lane without a card, and the gap among them. */
export function withoutCard({ tasks = [], gap }: LaneTasks, id: string) {
  const at = tasks.findIndex((task) => task.id === id)
  if (at === -1) return { others: tasks, gap }
  return { others: tasks.toSpliced(at, 1), gap: gap !== null && at < gap ? gap - 1 : gap }
}

/** The neighbour that names a place to the server. At a gap it is the task before it, because the next one is not known. */
function besideAt(others: readonly Task[], gap: number | null, index: number): Beside | undefined {
  const [before, after] = [others[index - 1], others[index]]
  if (after !== undefined && index !== gap) return { before: after.id }
  return before === undefined ? undefined : { after: before.id }
}

/** The position that the server is going to choose, as far as the neighbours are known. */
function positionAt(others: readonly Task[], index: number): number | undefined {
  const [low, high] = [others[index - 1]?.position, others[index]?.position]
  if (low === undefined) return high === undefined ? undefined : high - position_step
  return high === undefined ? low + position_step : low + (high - low) / 2
}

/** The move of a card to a place; null if it stands there. */
export function moveTo(
  project: Project,
  lanes: readonly LaneTasks[],
  task: Task,
  { lane: id, index }: CardPlace,
): TaskMove | null {
  const target = lanes.find(({ lane }) => lane.id === id)
  const own = placeOf(lanes, task.id)
  if (target === undefined || (own?.lane === id && own.index === index)) return null
  const { others, gap } = withoutCard(target, task.id)
  const { lane } = target
  return {
    ...{ id: task.id, project: project.id, column: lane.column, to: lane.name, status: lane.status, was: task },
    beside: besideAt(others, gap, index),
    back: backOf(lanes, task.id, own),
    position: positionAt(others, index),
  }
}

/** The move of a card to the end of a lane. */
export function moveToEnd(project: Project, lanes: readonly LaneTasks[], task: Task, id: string): TaskMove | null {
  const target = lanes.find(({ lane }) => lane.id === id)
  const own = placeOf(lanes, task.id)
  if (target === undefined || own?.lane === id) return null
  const { lane, tasks = [] } = target
  return {
    ...{ id: task.id, project: project.id, column: lane.column, to: lane.name, status: lane.status, was: task },
    back: backOf(lanes, task.id, own),
    position: positionAt(tasks, tasks.length),
  }
}

function backOf(lanes: readonly LaneTasks[], id: string, own: CardPlace | null): Beside | undefined {
  const source = lanes.find(({ lane }) => lane.id === own?.lane)
  if (source === undefined || own === null) return undefined
  const { others, gap } = withoutCard(source, id)
  return besideAt(others, gap, own.index)
}

/** The tasks for which a firing of a schedule starts runs (contract/16#schedules). */
import { automation_limits } from '../../../automations/limits.ts'
import type { NodeOf } from '../../../automations/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { readFilter, resolveFilter } from '../../tasks/shared/filter.ts'
import { readTasks } from '../../tasks/shared/list.ts'

export interface QueriedFlow {
  readonly organization: string
  readonly realm: number
  readonly workspace: string
  readonly project: string | null
}

interface Options {
  /** Inside the transaction that starts the runs. */
  readonly is_uninterrupted?: boolean
}

/** The ids of the tasks that the query matches in the flow's workspace or project, oldest first. `now` is in milliseconds. */
export async function tasksOfSchedule(
  reader: Reader,
  flow: QueriedFlow,
  config: NodeOf<'trigger.schedule'>['config'],
  now: number,
  options: Options = {},
): Promise<string[]> {
  const { organization, realm, workspace, project } = flow
  const read = readFilter(config.task_query ?? '', now)
  const scope = { reader, tenant: { organization, realm }, workspace, now, me: null }
  const filter = read.ok ? await resolveFilter(read, scope) : read
  // Filters are checked with the graph. One that no longer names its objects matches nothing.
  if (!filter.ok) return []
  const count = config.max_tasks ?? automation_limits.automation_schedule_tasks_max
  const found = await readTasks(
    reader,
    realm,
    { workspace, project: project === null ? undefined : [project], filter },
    { keys: [], backwards: true, position: null, count },
    options,
  )
  return found.map((task) => task.id)
}

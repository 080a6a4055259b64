/** Whether a due trigger starts a run for a task that is due (contract/16#triggers). */
import type { Program } from '../../../automations/program.ts'
import { type StepFailure, triggerAllows } from '../../../automations/resolve.ts'
import type { NodeOf } from '../../../automations/schema.ts'
import { triggerVariables } from '../../../automations/variables.ts'
import type { TaskRow } from '../../../db/schema.ts'
import { factsOf, type Surroundings, type WatchingFlow } from './matches.ts'

const refused = { allows: false, failure: null } as const

/** `failure` says why `when` could not be evaluated. `now` is in milliseconds. */
export async function allowsDue(
  around: Surroundings,
  flow: WatchingFlow,
  program: Program,
  { id, config }: NodeOf<'trigger.due'>,
  task: TaskRow,
  now: number,
): Promise<{ readonly allows: boolean; readonly failure: StepFailure | null }> {
  if (task.deleted_at !== null || task.is_archived === 1 || task.workspace !== flow.workspace) return refused
  if (flow.project !== null && task.project !== flow.project) return refused
  if (config.only_open !== false && (task.status === 'done' || task.status === 'canceled')) return refused
  const about = { event: null, task: await around.task(task.id, program) }
  const facts = factsOf(flow, await around.org(flow.organization), about, now)
  return triggerAllows(program, id, triggerVariables(facts))
}

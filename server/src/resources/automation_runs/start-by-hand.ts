/** A run that a person starts: by the command line and the console (decisions §16). */
import type { Caller, Mode } from '../../api/caller.ts'
import { refuse } from '../../api/errors.ts'
import type { Services } from '../../api/services.ts'
import { type Author, commitSystemChange } from '../../api/system-change.ts'
import { query } from '../../db/query.ts'
import { newId } from '../../lib/ids.ts'
import { taskNoun } from '../tasks/task.ts'
import { type AutomationRun, showAutomationRun } from './automation_run.ts'
import { programOfFlow } from './programs.ts'
import { findActiveFlow } from './queries-flows.ts'
import { startRun } from './queries-start.ts'

/** By way of the realms, of which there are few, since ids are looked up within one. */
const whereIs = query((db, p) =>
  db
    .selectFrom('realms')
    .innerJoin('automation_flows as flow', (join) =>
      join.onRef('flow.realm', '=', 'realms.realm').on('flow.id', '=', p('id')),
    )
    .select(['realms.organization', 'realms.realm', 'realms.mode', 'flow.workspace']),
)

/**
 * Begins a run of the flow's manual trigger about a task (its id or key). Refused: 404 for an unknown flow, 409 for one
 * that is not active or has no manual trigger, 400 for a task that is not of its workspace (and project).
 * Without an author it is the operator's doing.
 */
export async function startByHand(
  services: Pick<Services, 'store' | 'clock' | 'committed' | 'wakeUps'>,
  id: string,
  taskReference: string,
  author?: Author,
): Promise<AutomationRun> {
  const place = await services.store.reader('system').first(whereIs, { id })
  if (place === undefined) throw refuse('resource_not_found', { param: 'id', message: `There is no flow ${id}.` })
  const { organization, realm, mode } = place
  const about = { organization, realms: [{ realm, mode: mode as Mode }], action: 'automation_runs.start', ...author }
  const run = await commitSystemChange(services, about, async (work) => {
    const flow = await work.tx.first(findActiveFlow, { realm, id })
    if (flow === undefined) throw refuse('resource_conflict', { param: 'id', message: 'The flow is not active.' })
    const program = await programOfFlow(work.tx, flow)
    const trigger = [...program.triggers.values()].find((each) => each.type === 'trigger.manual')
    if (trigger === undefined) {
      throw refuse('resource_conflict', { param: 'id', message: 'The flow has no manual trigger.' })
    }
    const task = await taskNoun.find(work.tx, { organization, realm } as Caller, taskReference)
    const usable = task !== undefined && task.deleted_at === null && task.workspace === flow.workspace
    if (!usable || (flow.project !== null && task.project !== flow.project)) {
      throw refuse('invalid_request_body', { param: 'task', message: 'task names no task that the flow is about.' })
    }
    const key = `manual:${newId('req', work.now)}`
    return await startRun(work, { flow, program, trigger: trigger.id, key, task: task.id, event: null, causes: [] })
  })
  services.wakeUps.call('automations')
  if (run === null) throw new Error('a key made just now was used before')
  return showAutomationRun(run)
}

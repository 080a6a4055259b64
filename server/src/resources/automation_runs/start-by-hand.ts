/** Starts a run for a person at the command line or in the console (contract/16#triggers). */
import type { Mode } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import type { Services } from '../../api/services.ts'
import { type Author, commitSystemChange } from '../../api/write/system-change.ts'
import { type Placeholder, query } from '../../db/query.ts'
import { newId } from '../../lib/ids.ts'
import { taskNoun } from '../tasks/task.ts'
import { type AutomationRun, showAutomationRun } from './automation_run.ts'
import { programOfFlow } from './programs.ts'
import { findActiveFlow } from './queries/flows.ts'
import { startRun } from './start-run.ts'

/** Searches realm by realm, because ids are indexed within a realm; an installation has few realms. */
const locateFlow = query((db, p: Placeholder<{ id: string }>) =>
  db
    .selectFrom('realms')
    .innerJoin('automation_flows as flow', (join) =>
      join.onRef('flow.realm', '=', 'realms.realm').on('flow.id', '=', p('id')),
    )
    .select(['realms.organization', 'realms.realm', 'realms.mode', 'flow.workspace']),
)

/**
 * Starts a run of the flow's manual trigger for a task, by id or key. Refusals: 404 for an unknown flow, 409 if it is
 * not active or has no manual trigger, 400 for a task outside its workspace or project. Without an author, the operator
 * starts it.
 */
export async function startByHand(
  services: Pick<Services, 'store' | 'clock' | 'committed' | 'wakeUps'>,
  id: string,
  taskReference: string,
  author?: Author,
): Promise<AutomationRun> {
  const place = await services.store.reader('system').first(locateFlow, { id })
  if (place === undefined) throw refuse('resource_not_found', { param: 'id', message: `There is no flow ${id}.` })
  const { organization, realm, mode } = place
  const about = { organization, realms: [{ realm, mode: mode as Mode }], action: 'automation_runs.start', ...author }
  const run = await commitSystemChange(services, about, async (transaction) => {
    const flow = await transaction.tx.first(findActiveFlow, { realm, id })
    if (flow === undefined) throw refuse('resource_conflict', { param: 'id', message: 'The flow is not active.' })
    const program = await programOfFlow(transaction.tx, flow)
    const trigger = [...program.triggers.values()].find((each) => each.type === 'trigger.manual')
    if (trigger === undefined) {
      throw refuse('resource_conflict', { param: 'id', message: 'The flow has no manual trigger.' })
    }
    const task = await taskNoun.find(transaction.tx, { organization, realm }, taskReference)
    const usable = task !== undefined && task.deleted_at === null && task.workspace === flow.workspace
    if (!usable || (flow.project !== null && task.project !== flow.project)) {
      const message = `task "${taskReference}" names no task that the flow is about.`
      throw refuse('invalid_request_body', { param: 'task', message })
    }
    const key = `manual:${newId('req', transaction.now)}`
    return await startRun(transaction, {
      flow,
      program,
      trigger: trigger.id,
      key,
      task: task.id,
      event: null,
      causes: [],
    })
  })
  services.wakeUps.call('automations')
  if (run === null) throw new Error('A new trigger key was already in use.')
  return showAutomationRun(run)
}

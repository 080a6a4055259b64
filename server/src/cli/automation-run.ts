import { command } from './command.ts'
import { withServices } from './open.ts'
import { facts } from './print.ts'

/** Starts the manual trigger of an active flow; a server's workers carry the run out. */
export const automationRun = command({
  name: 'automation run',
  group: 'Automations',
  summary: 'Start a run of a flow that has a manual trigger',
  details: 'The run is queued; the workers of a running server execute it.',
  argument: { shows: '<flow>', does: 'Id of the flow (flow_…).' },
  options: { task: { shows: '<id>', does: 'Task of the run (tsk_… or its key).', required: true } },
  examples: ['atrium automation run flow_01… --task KEP-42'],
  async run({ task }, id) {
    return await withServices(async (services) => {
      const { startByHand } = await import('../resources/automation_runs/start-by-hand.ts')
      const json = await startByHand(services, id, task)
      return { json, text: facts(json) }
    })
  },
})

import { refuse } from '../../api/errors.ts'
import { writeOperation } from '../../api/operation.ts'
import { findReference } from '../../api/references.ts'
import { Id } from '../../api/shapes.ts'
import { seconds } from '../../lib/clock.ts'
import { taskNoun } from '../tasks/task.ts'
import { automationFlowNoun } from './automation_flow.ts'
import { AutomationPreview } from './automation_preview.ts'
import { type Previewed, previewFlow } from './queries-preview.ts'
import { keepPreview } from './queries-previews.ts'

/** Shows what a run of the flow about a task would do now, step by step, and changes nothing but that it was seen. */
export const previewAutomationFlow = writeOperation({
  id: 'automation_flows.preview',
  method: 'POST',
  path: '/v1/automation_flows/{id}/preview',
  summary: 'Preview an automation flow',
  description:
    'The run is taken to begin at the first trigger whose runs have a task; a trigger of events with the latest event about ' +
    'the task that it watches. Waits and outside calls are not made. The token activates the flow, once, within 15 minutes.',
  scope: 'automations:write',
  credits: 50,
  target: automationFlowNoun,
  body: { workspace: Id, task: Id },
  returns: AutomationPreview,
  emits: [],
  sealed: true,
  example: { params: { id: '{automation_flow}' }, body: { workspace: '{workspace}', task: '{task}' } },
  async prepare({ target: flow, body, caller, reader, services, now }) {
    const task = await findReference(taskNoun, { tx: reader, caller }, body.task, 'task', flow.workspace)
    return { seen: await previewFlow({ services, caller, flow, task, now }), revision: flow.revision }
  },
  handle({ target: flow, caller, tx, now, services, prepared, note }) {
    const { seen, revision } = prepared as { readonly seen: Previewed; readonly revision: number }
    if (flow.revision !== revision) {
      throw refuse('resource_conflict', { message: 'The flow was changed meanwhile; repeat the request.' })
    }
    const { task } = seen
    const { token, expires_at } = keepPreview(tx, services.sealer, { flow, task, credential: caller.credential }, now)
    note({ target: { object: 'automation_flow', id: flow.id, workspace: flow.workspace }, unannounced: true })
    return { ...seen, preview_token: token, expires_at: seconds(expires_at) }
  },
})

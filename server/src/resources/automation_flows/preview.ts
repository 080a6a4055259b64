import Type, { type Static } from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { described, Id } from '../../api/declare/shapes.ts'
import { findReference } from '../../api/request/references.ts'
import type { AutomationFlowRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import { SentAnswers } from '../automation_runs/shared/sent-answers.ts'
import { SentInputs } from '../automation_runs/shared/sent-inputs.ts'
import { SentMail } from '../automation_runs/shared/sent-mail.ts'
import { taskNoun } from '../tasks/task.ts'
import type { Sample } from './assumed-start.ts'
import { automationFlowNoun } from './automation_flow.ts'
import { AutomationPreview } from './automation_preview.ts'
import { type Previewed, previewFlow } from './preview-flow.ts'
import { keepPreview } from './preview-tokens.ts'
import { sampleCallOf } from './samples/call.ts'
import { decisionsOf, SampleDecisions } from './samples/decisions.ts'
import { sampleFormOf } from './samples/form.ts'
import { sampleMailOf } from './samples/mail.ts'
import { SampleRequest, sampleOf } from './samples/request.ts'

/** Shows step by step what a run of the flow on a task would do now. It stores only the preview's token. */
export const previewAutomationFlow = writeOperation({
  id: 'automation_flows.preview',
  method: 'POST',
  path: '/v1/automation_flows/{id}/preview',
  summary: 'Preview an automation flow',
  description:
    'The preview starts at the first trigger whose runs have a task; an event trigger with the latest event about the task ' +
    'that it watches. It does not wait, ask people or call other servers. The token activates the flow once, within 15 minutes.',
  scope: 'automations:write',
  credits: 50,
  target: automationFlowNoun,
  body: {
    workspace: described(Id, 'Workspace of the flow and the task.'),
    task: described(Id, 'Task that the preview runs against.'),
    request: described(
      Type.Optional(SampleRequest),
      'Request to preview a `trigger.webhook` with; by default the latest one that started a run.',
    ),
    form: described(
      Type.Optional(SentAnswers),
      'Answers by key to preview a `trigger.form` with; by default the latest that started a run, or invented ones.',
    ),
    mail: described(
      Type.Optional(SentMail),
      'Mail to preview a `trigger.mail` with; fields that are left out are empty, and `from` is `name@example.com`. By default the ' +
        'latest one that started a run, or an invented one.',
    ),
    call: described(
      Type.Optional(SentInputs),
      'Inputs by name to preview a `trigger.call` with; by default those of the latest call, or invented ones.',
    ),
    decisions: described(
      Type.Optional(SampleDecisions),
      'How approvals are assumed to end, by the id of the `approval.wait`; `approved` by default.',
    ),
  },
  returns: AutomationPreview,
  emits: [],
  sealed: true,
  example: { params: { id: '{automation_flow}' }, body: { workspace: '{workspace}', task: '{task}' } },
  async prepare({ target: flow, body, caller, reader, services, now }) {
    const task = await findReference(taskNoun, { tx: reader, caller }, body.task, 'task', flow.workspace)
    const sample = sampleOfBody(body, flow)
    const decisions = decisionsOf(body.decisions ?? {}, flow)
    return {
      seen: await previewFlow({ services, caller, flow, task, sample, decisions, now }),
      revision: flow.revision,
    }
  },
  handle({ target: flow, caller, tx, now, sealer, prepared, note }) {
    const { seen, revision } = prepared as { readonly seen: Previewed; readonly revision: number }
    if (flow.revision !== revision) {
      throw refuse('resource_conflict', { message: 'The flow was changed during the preview. Repeat the request.' })
    }
    const { task } = seen
    const { token, expires_at } = keepPreview(tx, sealer, { flow, task, credential: caller.credential }, now)
    note({ target: { object: 'automation_flow', id: flow.id, workspace: flow.workspace }, unannounced: true })
    return { ...seen, preview_token: token, expires_at: seconds(expires_at) }
  },
})

interface SampleBody {
  readonly request?: Static<typeof SampleRequest>
  readonly form?: Static<typeof SentAnswers>
  readonly mail?: Static<typeof SentMail>
  readonly call?: Static<typeof SentInputs>
}

function sampleOfBody({ request, form, mail, call }: SampleBody, flow: AutomationFlowRow): Sample | null {
  const sent = Object.entries({ request, form, mail, call }).flatMap(([name, sample]) =>
    sample === undefined ? [] : [name],
  )
  const [first, second] = sent
  if (second !== undefined) {
    const message = `${second} cannot be sent with ${first}: a preview starts at one trigger.`
    throw refuse('invalid_request_body', { param: second, message })
  }
  if (mail !== undefined) return { mail: sampleMailOf(mail, flow) }
  if (call !== undefined) return { call: sampleCallOf(call, flow) }
  if (form !== undefined) return { form: sampleFormOf(form, flow) }
  return request === undefined ? null : { request: sampleOf(request, flow) }
}

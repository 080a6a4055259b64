import Type from 'typebox'
import { findReference } from '../../api/request/references.ts'
import { requireLive } from '../../api/request/target.ts'
import { formula_functions } from '../../automations/formula-functions.ts'
import { automation_limits } from '../../automations/limits.ts'
import { automationFlowNoun } from '../../resources/automation_flows/automation_flow.ts'
import { readFormula as read } from '../../resources/automation_flows/formula.ts'
import { SentInputs } from '../../resources/automation_runs/shared/sent-inputs.ts'
import { taskNoun } from '../../resources/tasks/task.ts'
import { endpoint } from '../endpoint.ts'
import { body, ModeText } from '../fields.ts'
import { console_limits } from '../limits.ts'
import { callerOfSession } from '../sessions/session.ts'

const Short = Type.String({ minLength: 1, maxLength: 160 })

/** Reads a formula of a draft: names for completion, its fault, and its value for a task and the inputs of a call. Changes nothing. */
export const readFormula = endpoint('POST automation-flows/{id}/formula', {
  needs: 'session',
  body: body({
    mode: Type.Optional(ModeText),
    graph: Type.Object({ nodes: Type.Array(Type.Unknown()), edges: Type.Array(Type.Unknown()) }),
    node: Short,
    path: Short,
    task: Type.Optional(Short),
    call: Type.Optional(SentInputs),
  }),
  body_bytes_max: automation_limits.automation_graph_bytes_max + console_limits.console_body_bytes_max,
  async handle({ services, session, params, body: sent, now }) {
    const caller = callerOfSession(session, sent.mode ?? 'live')
    const reader = services.store.reader(caller.storeScope)
    const flow = await requireLive(automationFlowNoun, reader, caller, params.id ?? '')
    const { task: id } = sent
    const task =
      id === undefined ? null : await findReference(taskNoun, { tx: reader, caller }, id, 'task', flow.workspace)
    return {
      ...(await read({ reader, caller, now }, flow, sent, { task, call: sent.call ?? {} })),
      functions: formula_functions,
    }
  },
})

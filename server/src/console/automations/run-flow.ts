import Type from 'typebox'
import { requireLive } from '../../api/request/target.ts'
import { automationFlowNoun } from '../../resources/automation_flows/automation_flow.ts'
import { startByHand } from '../../resources/automation_runs/start-by-hand.ts'
import { authorOf } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body, ModeText } from '../fields.ts'
import { callerOfSession } from '../sessions/session.ts'

/** Runs the manual trigger of an active flow for a task. */
export const runFlow = endpoint('POST automation-flows/{id}/run', {
  needs: 'session',
  body: body({ mode: Type.Optional(ModeText), task: Type.String({ minLength: 1, maxLength: 160 }) }),
  async handle(context) {
    const { services, session, params, body: sent } = context
    const caller = callerOfSession(session, sent.mode ?? 'live')
    const reader = services.store.reader(caller.storeScope)
    const { id } = await requireLive(automationFlowNoun, reader, caller, params.id ?? '')
    return await startByHand(services, id, sent.task, authorOf(context, session.user))
  },
})

import Type from 'typebox'
import type { Caller } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { described } from '../../api/declare/shapes.ts'
import { sessionOfCredential } from '../../api/request/session-credentials.ts'
import { endOfAuthority, type Holder, holderOf } from '../automation_runs/shared/authority.ts'
import { requireFlowScopes } from '../automation_runs/shared/required-scopes.ts'
import { AutomationFlow, automationFlowNoun, showAutomationFlow } from './automation_flow.ts'
import { automationFlowAuthorityRenewed } from './events.ts'
import { renewAuthority } from './shared/authority.ts'

/**
 * Lets the newest version of a flow act with the rights of the credential that asks, instead of those that it has. Steps, version and
 * state of the flow stay as they are. A credential whose valid rights the version has already changes nothing.
 */
export const renewAutomationAuthority = writeOperation({
  id: 'automation_flows.renew_authority',
  method: 'POST',
  path: '/v1/automation_flows/{id}/renew_authority',
  summary: 'Renew the authority of a flow',
  description:
    'For a flow whose authority has ended, or which another person takes over. Steps that have not begun act with the new rights, also those ' +
    'of runs in progress; runs of earlier versions keep theirs. The credential needs all scopes that the version requires.',
  scope: 'automations:write',
  credits: 10,
  extension: true,
  target: automationFlowNoun,
  body: {
    scope_acknowledged: described(
      Type.Literal(true),
      'Confirms that the flow acts with these scopes of the credential.',
    ),
  },
  returns: AutomationFlow,
  emits: [automationFlowAuthorityRenewed],
  example: { params: { id: '{others_flow}' }, body: { scope_acknowledged: true } },
  async handle({ target: flow, caller, tx, now, emit }) {
    if (flow.version === 0) {
      const message = 'The flow was never activated. Preview and activate it: that gives it your authority.'
      throw refuse('resource_conflict', { message })
    }
    const version = { realm: flow.realm, flow: flow.id, version: flow.version }
    const holder = await holderOf(tx, version)
    requireFlowScopes(caller, holder.scopes)
    const isValid = flow.authority_reason === null && (await endOfAuthority(tx, holder, now)) === null
    if (isValid && holds(holder, caller)) return showAutomationFlow(flow)
    const { credential, owner } = caller
    const renewed = renewAuthority(tx, flow, { credential, type: owner.type, id: owner.id }, now)
    const shown = showAutomationFlow(renewed)
    emit(automationFlowAuthorityRenewed, shown, showAutomationFlow(flow))
    return shown
  },
})

/** Sessions of a person have the same rights for flows: those of the membership. */
function holds({ credential, id }: Holder, caller: Caller): boolean {
  if (credential === caller.credential) return true
  return sessionOfCredential(credential) !== null && caller.kind === 'session' && id === caller.owner.id
}

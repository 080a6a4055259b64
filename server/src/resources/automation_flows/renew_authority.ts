import Type from 'typebox'
import type { Caller } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { described } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import { sessionOfCredential } from '../../api/request/session-credentials.ts'
import { endOfAuthority, type Holder, holderOf } from '../automation_runs/shared/authority.ts'
import { requireFlowScopes } from '../automation_runs/shared/required-scopes.ts'
import { AutomationFlow, automationFlowNoun, showAutomationFlow } from './automation_flow.ts'
import { automationFlowAuthorityRenewed } from './events.ts'
import { renewAuthority, renewVersion } from './shared/authority.ts'
import { unknownVersion } from './shared/queries.ts'

/**
 * Lets the newest version of a flow, or another one, act with the rights of the credential that asks, instead of those that it has. Steps, version and
 * state of the flow stay as they are. A credential whose valid rights the version has already changes nothing.
 */
export const renewAutomationAuthority = writeOperation({
  id: 'automation_flows.renew_authority',
  method: 'POST',
  path: '/v1/automation_flows/{id}/renew_authority',
  summary: 'Renew the authority of a flow',
  description:
    'For a flow whose authority has ended, or which another person takes over. Steps that have not begun act with the new rights, also those ' +
    'of runs in progress; runs of earlier versions keep theirs unless `version` names one. The credential needs all scopes that the version requires.',
  scope: 'automations:write',
  credits: 10,
  extension: true,
  target: automationFlowNoun,
  body: {
    scope_acknowledged: described(
      Type.Literal(true),
      'Confirms that the flow acts with these scopes of the credential.',
    ),
    version: described(
      Type.Optional(Type.Integer({ minimum: 1, maximum: limits.safe_integer_max })),
      'Version whose rights are renewed, for runs of it that wait; the newest by default.',
    ),
  },
  returns: AutomationFlow,
  emits: [automationFlowAuthorityRenewed],
  example: { params: { id: '{others_flow}' }, body: { scope_acknowledged: true } },
  async handle({ target: flow, body, caller, tx, now, emit, note }) {
    if (flow.version === 0) {
      const message = 'The flow was never activated. Preview and activate it: that gives it your authority.'
      throw refuse('resource_conflict', { message })
    }
    const { version: number = flow.version } = body
    if (number > flow.version) throw unknownVersion(flow, number)
    const version = { realm: flow.realm, flow: flow.id, version: number }
    const holder = await holderOf(tx, version)
    requireFlowScopes(caller, holder.scopes)
    const isNewest = number === flow.version
    const isKnownToEnd = isNewest && flow.authority_reason !== null
    const isValid = !isKnownToEnd && (await endOfAuthority(tx, holder, now)) === null
    if (isValid && holds(holder, caller)) return showAutomationFlow(flow)
    const { credential, owner } = caller
    const next = { credential, type: owner.type, id: owner.id }
    if (!isNewest) {
      renewVersion(tx, version, next, now)
      note({ reason: `Version ${number}.` })
      // The flow shows the rights of its newest version, so nothing of it changes: the event names no field.
      const shown = showAutomationFlow(flow)
      emit(automationFlowAuthorityRenewed, shown, shown)
      return shown
    }
    const renewed = renewAuthority(tx, flow, next, now)
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

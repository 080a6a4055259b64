import { eventType } from '../../api/declare/event.ts'
import { automationFlowNoun } from './automation_flow.ts'

export const automationFlowCreated = eventType('automation.flow.created', automationFlowNoun)
export const automationFlowUpdated = eventType('automation.flow.updated', automationFlowNoun)
export const automationFlowActivated = eventType('automation.flow.activated', automationFlowNoun)
export const automationFlowPaused = eventType('automation.flow.paused', automationFlowNoun)
export const automationFlowAuthorityEnded = eventType('automation.flow.authority_ended', automationFlowNoun)
export const automationFlowAuthorityRenewed = eventType('automation.flow.authority_renewed', automationFlowNoun)
export const automationFlowVersionNamed = eventType('automation.flow.version_named', automationFlowNoun)

import { eventType } from '../../api/declare/event.ts'
import { automationRunNoun } from './automation_run.ts'

export const automationRunQueued = eventType('automation.run.queued', automationRunNoun)
export const automationRunStarted = eventType('automation.run.started', automationRunNoun)
export const automationRunSucceeded = eventType('automation.run.succeeded', automationRunNoun)
export const automationRunFailed = eventType('automation.run.failed', automationRunNoun)
export const automationRunCanceled = eventType('automation.run.canceled', automationRunNoun)
export const automationRunSkipped = eventType('automation.run.skipped', automationRunNoun)

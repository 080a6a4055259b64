import { eventType } from '../../api/declare/event.ts'
import { automationApprovalNoun } from './automation_approval.ts'

export const automationApprovalRequested = eventType('automation.approval.requested', automationApprovalNoun)
export const automationApprovalApproved = eventType('automation.approval.approved', automationApprovalNoun)
export const automationApprovalRejected = eventType('automation.approval.rejected', automationApprovalNoun)
const automationApprovalTimedOut = eventType('automation.approval.timed_out', automationApprovalNoun)
export const automationApprovalCanceled = eventType('automation.approval.canceled', automationApprovalNoun)

/** The event of each way in which an approval can end. */
export const approvalEvents = {
  approved: automationApprovalApproved,
  rejected: automationApprovalRejected,
  timed_out: automationApprovalTimedOut,
  canceled: automationApprovalCanceled,
} as const

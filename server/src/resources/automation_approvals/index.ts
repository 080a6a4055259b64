import type { Operation } from '../../api/declare/operation.ts'
import { decideAutomationApproval } from './decide.ts'
import { listAutomationApprovals } from './list.ts'
import { retrieveAutomationApproval } from './retrieve.ts'

export const automationApprovals: readonly Operation[] = [
  listAutomationApprovals,
  retrieveAutomationApproval,
  decideAutomationApproval,
]

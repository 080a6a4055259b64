import type { Operation } from '../../api/declare/operation.ts'
import { showAiCalls } from './ai_calls.ts'
import { cancelAutomationRun } from './cancel.ts'
import { showRunInput } from './input.ts'
import { listAutomationRuns } from './list.ts'
import { retrieveAutomationRun } from './retrieve.ts'

export const automationRuns: readonly Operation[] = [
  listAutomationRuns,
  retrieveAutomationRun,
  showRunInput,
  showAiCalls,
  cancelAutomationRun,
]

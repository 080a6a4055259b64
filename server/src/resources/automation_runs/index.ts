import type { Operation } from '../../api/declare/operation.ts'
import { showAiCalls } from './ai_calls.ts'
import { listCalled } from './called.ts'
import { cancelAutomationRun } from './cancel.ts'
import { showRunInput } from './input.ts'
import { listAutomationRuns } from './list.ts'
import { rerunAutomationRun } from './rerun.ts'
import { listReruns } from './reruns.ts'
import { retrieveAutomationRun } from './retrieve.ts'
import { showRunSteps } from './steps.ts'

export const automationRuns: readonly Operation[] = [
  listAutomationRuns,
  retrieveAutomationRun,
  showRunInput,
  showAiCalls,
  listReruns,
  listCalled,
  rerunAutomationRun,
  showRunSteps,
  cancelAutomationRun,
]

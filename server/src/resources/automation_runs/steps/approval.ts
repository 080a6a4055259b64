/**
 * The approval.wait: it asks people, in the transaction of the step, and the run sleeps until one of them decides, the time is up, or no
 * person is left who could. The decision is a transaction of its own, which makes the run due; the step's journal entry follows from
 * it, whichever process dies in between (contract/16#approvals).
 */
import type { StepInputs } from '../../../automations/resolve.ts'
import type { ApprovalPort } from '../../../automations/sketch.ts'
import type { AutomationApprovalRow } from '../../../db/schema.ts'
import { millis, seconds } from '../../../lib/clock.ts'
import { newId } from '../../../lib/ids.ts'
import { showAutomationApproval } from '../../automation_approvals/automation_approval.ts'
import { approvalEvents, automationApprovalRequested } from '../../automation_approvals/events.ts'
import {
  approvalOfStep,
  cancelApprovals,
  closeApproval,
  whoCanDecide,
} from '../../automation_approvals/shared/approvals.ts'
import type { Change } from '../automation_run.ts'
import { changeOf } from './changes.ts'
import type { ExecutionContext, StepContext } from './context.ts'
import { continueRun, type Progress } from './continue.ts'
import type { Ending } from './journal.ts'
import { type Asked, failed, type StepFailed } from './outcome.ts'
import type { Step } from './run-state.ts'
import { auditOf, releasedUntil, saveRun } from './transaction.ts'

type ApprovalConfig = Extract<StepInputs, { type: 'approval.wait' }>['config']

/** Asks the people who can decide. Fails without such a person. In shadow mode nothing is written. */
export async function askForApproval(
  context: ExecutionContext,
  step: Step,
  { people, text, timeout_seconds }: ApprovalConfig,
): Promise<Asked | StepFailed> {
  const { tx, now, state } = context
  const { scene, run } = state
  const asked = await whoCanDecide(tx, scene.organization, people)
  if (asked.length === 0) return noPerson(people.filter((user) => user !== null))
  const approval: AutomationApprovalRow = {
    realm: scene.realm,
    id: newId('apr', now),
    created: now,
    updated: now,
    revision: 1,
    deleted_at: null,
    workspace: scene.flow.workspace,
    automation_flow: scene.flow.id,
    automation_run: run.id,
    node: step.node.id,
    path: step.path.join('.'),
    task: scene.subject,
    asked: JSON.stringify(asked),
    text,
    ...pending,
    expires_at: timeout_seconds === undefined ? null : now + millis(timeout_seconds),
  }
  if (!scene.shadow) tx.insert('automation_approvals', approval)
  return { kind: 'ask', approval, changes: [requestOf(approval)] }
}

const pending = { status: 'pending', decided_by: null, comment: null, decided_at: null }

function requestOf(approval: AutomationApprovalRow): Change {
  const after = showAutomationApproval(approval)
  return changeOf({ type: automationApprovalRequested, after, before: undefined })
}

function noPerson(people: readonly string[]): StepFailed {
  const who = people.length === 0 ? 'No person was named' : `None of ${people.join(', ')} can decide`
  return failed('no_approver', `${who}: an approval needs an active member who is no guest.`)
}

/** Records the request and puts the run to sleep. */
export function sleepUntilDecided(context: StepContext, approval: AutomationApprovalRow): Progress {
  const { journal, step, state } = context
  const shown = showAutomationApproval(approval)
  context.emit(automationApprovalRequested, shown)
  audit(context, 'automation_approvals.request', approval)
  const asleep = { status: 'sleeping', current_node: step.node.id, wake_at: approval.expires_at, attempt: 0 }
  saveRun(context, state.run, { ...asleep, steps: journal.steps, ...releasedUntil(wakeTime(context, approval)) })
  return null
}

function audit(context: StepContext, action: string, approval: AutomationApprovalRow): void {
  const after = showAutomationApproval(approval)
  const emitted = [{ type: automationApprovalRequested, after, before: undefined }]
  const { run } = context.state
  context.audit(auditOf(action, emitted, `Run ${run.id}, node ${context.step.node.id}.`))
}

/** When the engine looks at the run again unless a decision wakes it. A run always has a deadline. */
function wakeTime({ state }: StepContext, { expires_at }: AutomationApprovalRow): number {
  return Math.min(expires_at ?? Number.MAX_SAFE_INTEGER, state.run.deadline_at ?? Number.MAX_SAFE_INTEGER)
}

/** Continues a run whose approval has ended, or puts it to sleep again. A failure is the step's. */
export async function resumeAfterApproval(context: StepContext): Promise<Progress | StepFailed> {
  const { tx, now, state, step } = context
  const { run, scene } = state
  const place = { realm: run.realm, run: run.id, node: step.node.id, path: step.path }
  const approval = await approvalOfStep(tx, place)
  if (approval === undefined) throw new RangeError(`${run.id} waits for an approval that does not exist.`)
  if (approval.status !== 'pending') return await journalDecision(context, approval)
  if (approval.expires_at !== null && now >= approval.expires_at) {
    audit(context, 'automation_approvals.time_out', approval)
    return await journalDecision(context, closeApproval(context, approval, 'timed_out'))
  }
  const asked = JSON.parse(approval.asked) as string[]
  if ((await whoCanDecide(tx, scene.organization, asked)).length === 0) return noPerson(asked)
  saveRun(context, run, releasedUntil(wakeTime(context, approval)))
  return null
}

/** The journal shows what was asked, who decided and when. */
async function journalDecision(context: StepContext, decided: AutomationApprovalRow): Promise<Progress> {
  const { journal, step } = context
  const asked = { ...decided, ...pending }
  const port = decided.status as ApprovalPort
  const decision = changeOf({
    type: approvalEvents[port],
    after: showAutomationApproval(decided),
    before: showAutomationApproval(asked),
  })
  const output = approvalOutput(port, decided)
  journal.add(step, {
    status: 'succeeded',
    port,
    output,
    changes: [requestOf(asked), decision],
    started_at: decided.created,
  })
  return await continueRun(context)
}

/** What later steps see. */
function approvalOutput(
  decision: ApprovalPort,
  { decided_by, decided_at, comment }: Pick<AutomationApprovalRow, 'decided_by' | 'decided_at' | 'comment'>,
): object {
  return { decision, decided_by, decided_at: seconds(decided_at ?? 0), comment }
}

/** The output that a preview assumes: the first person who is asked decides at once, without a comment. */
export function assumedOutput(decision: ApprovalPort, { asked }: AutomationApprovalRow, now: number): object {
  const [first = null] = JSON.parse(asked) as string[]
  const decided_by = decision === 'timed_out' ? null : first
  return approvalOutput(decision, { decided_by, decided_at: now, comment: null })
}

/** The journal entry in shadow mode, in which no person is asked: the run continues as if it were approved. */
export function approvedInShadow({ approval, changes }: Asked, now: number): Ending {
  const output = assumedOutput('approved', approval, now)
  return { status: 'succeeded', port: 'approved', output, changes, reason: 'shadow' }
}

/** The approval of a step that fails while it waits is canceled. */
export async function cancelIfAsked(context: StepContext): Promise<void> {
  if (context.step.node.type === 'approval.wait') await cancelApprovals(context, context.state.run)
}

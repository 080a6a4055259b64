/** The rows of automations. Times in milliseconds, JSON as text, costs in millionths of a minor unit. */
import type { ResourceRow } from './row.ts'

/**
 * `mode` is live or shadow, `mode_of_data` is the realm's. `version` counts activations. Events up to the sequence
 * `active_after` start nothing. `last_run_at` and `consecutive_failures` are not changes of the flow: they do not raise
 * the revision. `authority_type` and `authority_id` are whose rights its newest version has since they were renewed, else
 * null; `authority_reason` says why they no longer suffice.
 */
export interface AutomationFlowRow extends ResourceRow {
  organization: string
  mode_of_data: string
  workspace: string
  project: string | null
  name: string
  graph: string
  graph_hash: string
  status: string
  mode: string
  version: number
  required_scopes: string
  uses_ai: number
  activated_at: number | null
  activated_by_type: string | null
  activated_by_id: string | null
  paused_at: number | null
  pause_reason: string | null
  pause_origin: string | null
  last_run_at: number | null
  consecutive_failures: number
  active_after: number
  authority_type: string | null
  authority_id: string | null
  authority_renewed_at: number | null
  authority_ended_at: number | null
  authority_reason: string | null
  /** Notes on its canvas, as JSON. They are not part of the graph. */
  notes: string
  /** The version that was named or lost its name last, as JSON; null before the first name. */
  last_named_version: string | null
}

/**
 * A version as activated. Only its name and its authority change: runs are pinned to the rest. `scopes` were authorized by
 * `credential`, and after a renewal by `authority_credential`.
 */
export interface AutomationVersionRow {
  realm: number
  flow: string
  version: number
  created: number
  graph: string
  graph_hash: string
  mode: string
  scopes: string
  credential: string
  activated_by_type: string
  activated_by_id: string
  name: string | null
  authority_credential: string | null
  authority_type: string | null
  authority_id: string | null
  authority_renewed_at: number | null
}

/**
 * A time trigger of an active flow. `kind` schedule: `next_at` is its next firing. `kind` due: due times up to
 * `through_at` (at that time, of tasks up to the id `through_task`) have fired; `next_at` is when to look again.
 */
export interface AutomationClockRow {
  realm: number
  flow: string
  node: string
  version: number
  organization: string
  kind: string
  next_at: number | null
  through_at: number | null
  through_task: string | null
}

/**
 * The position up to which a realm's event log was searched for starts. Realms that never had an active flow have no
 * row.
 */
export interface AutomationPositionRow {
  realm: number
  organization: string
  mode: string
  sequence: number
  /** The event at `sequence`, if it is known. */
  event: string | null
  looked_at: number
}

/** The token itself is not stored. */
export interface AutomationPreviewRow {
  realm: number
  digest: string
  flow: string
  graph_hash: string
  task: string
  credential: string
  created: number
  expires_at: number
  used_at: number | null
}

/**
 * `trigger_key` identifies what started the run and is unique per trigger and version: the event, or the firing with
 * its task. `due_at`: when a worker should process it; null while it waits for another run's slot, and after its end.
 * `holds_slot`: counts against the flow's concurrency. `epoch` rises with every claim and on cancel; a step commits
 * only under its own epoch. `steps` is the cursor: the number of journal entries. `wake_at` is the end of a sleep or of
 * the wait before a retry.
 */
export interface AutomationRunRow extends ResourceRow {
  organization: string
  mode_of_data: string
  workspace: string
  automation_flow: string
  flow_version: number
  mode: string
  task: string | null
  trigger_type: string
  trigger_node: string
  trigger_event: string | null
  trigger_key: string
  /** The event that started it, as the API shows it: the source of `event` and `before` in expressions. */
  event: string | null
  /** Ids of the flows that led to this run, outermost first, without its own. */
  causes: string
  depth: number
  /** The run that this one repeats; it may be deleted. */
  rerun_of: string | null
  /** The node from which it repeats it; null from the start. */
  rerun_from: string | null
  /** The run with the step that called this one; it may be deleted. */
  called_by: string | null
  called_by_node: string | null
  called_by_path: string | null
  /** The inputs of the call by key, as JSON; null for runs of other triggers. */
  inputs: string | null
  /** What a person corrected of its input, and who, as JSON; null if nothing was. */
  correction: string | null
  /** The corrected settings of the step from which it repeats the other run, as JSON. */
  step_input: string | null
  status: string
  status_reason: string | null
  current_node: string | null
  attempt: number
  wake_at: number | null
  started_at: number | null
  ended_at: number | null
  deadline_at: number | null
  canceled_by_type: string | null
  canceled_by_id: string | null
  failure: string | null
  steps: number
  http_requests: number
  ai_requests: number
  ai_input_tokens: number
  ai_output_tokens: number
  ai_cost_micros: number
  concurrency_key: string
  holds_slot: number
  due_at: number | null
  epoch: number
  lease_owner: string | null
  lease_until: number | null
}

/** One entry of a run's journal. `changes`: what it changed, field by field, with the events that report it. */
export interface AutomationStepRow {
  realm: number
  run: string
  number: number
  node: string
  path: string
  status: string
  port: string | null
  items: number | null
  /** As people see it: JSON without secrets, perhaps cut. */
  input: string | null
  output: string | null
  reason: string | null
  failure: string | null
  changes: string
  attempts: number
  started_at: number
  ended_at: number
  /** 1 if it was taken over from the run that this one repeats. */
  reused: number
  /** The corrected fields of its input, and who corrected them, as JSON; null if nothing was. */
  correction: string | null
}

/** An outside call, recorded before it is sent. Without `ended_at` it may have happened. */
export interface AutomationAttemptRow {
  realm: number
  run: string
  step: number
  attempt: number
  node: string
  idempotency_key: string
  sent_at: number
  ended_at: number | null
  outcome: string | null
  http_status: number | null
  error: string | null
  /** For an AI call: its highest possible cost, until it has ended. */
  cost_micros: number
  /**
   * The step's inputs as the first attempt found them; later attempts send the same. Only the first attempt has them.
   */
  inputs: string | null
  /** What a model said, cut to `ai_answer_kept_chars_max`; null of other calls, and without an answer. */
  answer: string | null
}

/** `value` is sealed. */
export interface AutomationSecretRow {
  realm: number
  name: string
  created: number
  updated: number
  value: string
}

/** The cost of a flow's AI steps on a UTC day, given as its first millisecond. */
interface AutomationAiUsageRow {
  organization: string
  day: number
  realm: number
  flow: string
  requests: number
  input_tokens: number
  output_tokens: number
  cost_micros: number
}

/** The address of a flow for webhooks, of its form, or for mail. `secret` is sealed; `mode` is the realm's. */
export interface AutomationAddressRow {
  realm: number
  flow: string
  id: string
  organization: string
  mode: string
  created: number
  updated: number
  secret: string
  digest: string
}

/** A request that started a run. `request_key` identifies it to its sender; null if the sender named none. */
export interface AutomationHookRequestRow {
  realm: number
  run: string
  flow: string
  created: number
  request_key: string | null
  request: string
}

/** A submission that started a run. `submission_key` identifies the load of the page; `answers` is JSON. */
interface AutomationSubmissionRow {
  realm: number
  run: string
  flow: string
  created: number
  submission_key: string
  answers: string
}

/** A mail that started a run. `mail_key` is the digest of its Message-ID; `mail` is JSON. */
interface AutomationMailRow {
  realm: number
  run: string
  flow: string
  created: number
  mail_key: string
  mail: string
}

/** A decision that a run waits for. `asked` is a JSON array of user ids. */
export interface AutomationApprovalRow extends ResourceRow {
  workspace: string
  automation_flow: string
  automation_run: string
  node: string
  path: string
  task: string | null
  asked: string
  text: string
  status: string
  decided_by: string | null
  comment: string | null
  decided_at: number | null
  expires_at: number | null
}

export interface AutomationTables {
  automation_approvals: AutomationApprovalRow
  automation_hooks: AutomationAddressRow
  automation_hook_requests: AutomationHookRequestRow
  automation_forms: AutomationAddressRow
  automation_submissions: AutomationSubmissionRow
  automation_mailboxes: AutomationAddressRow
  automation_mails: AutomationMailRow
  automation_flows: AutomationFlowRow
  automation_versions: AutomationVersionRow
  automation_clocks: AutomationClockRow
  automation_positions: AutomationPositionRow
  automation_previews: AutomationPreviewRow
  automation_runs: AutomationRunRow
  automation_steps: AutomationStepRow
  automation_attempts: AutomationAttemptRow
  automation_secrets: AutomationSecretRow
  automation_ai_usage: AutomationAiUsageRow
}

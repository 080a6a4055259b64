/** The limits of automations: graphs, expressions, schedules, runs, previews (contract/16). */
import { day_ms, KiB, minute_ms, second_ms } from '../lib/units.ts'

export const automation_limits = {
  // Graphs (contract/16#graph)

  automation_nodes_max: 100,
  automation_edges_max: 200,
  /** A graph as JSON in UTF-8 without spaces. */
  automation_graph_bytes_max: 256 * KiB,
  /** Steps of a run if every condition is met and every list is full; each node of a loop's body counts once per item. */
  automation_steps_max: 1000,
  /** Faults listed for one graph; real graphs have fewer. */
  automation_faults_max: 1000,
  /** Objects referenced by a graph that are looked up; no permitted graph references as many. */
  automation_references_max: 2000,
  /** Flows that may have triggered each other (contract/16#loop-guard). */
  automation_chain_max: 5,

  // Expressions (contract/16#expressions)

  /** Source of one expression. */
  automation_expression_chars_max: 1024,
  /** Names that completion offers to a formula; each step before it adds up to 30. */
  automation_formula_names_max: 4000,
  /** Operators, names, calls and literals of one expression. */
  automation_expression_nodes_max: 250,
  /** Nesting of these. */
  automation_expression_depth_max: 50,
  /** Elements of a list literal, or entries of a map literal. */
  automation_literal_items_max: 100,
  /** Expressions of one template. */
  automation_template_expressions_max: 50,
  /** Expressions of a graph, including those in templates. */
  automation_expressions_max: 500,
  /** Source of all expressions of a graph. */
  automation_expressions_chars_max: 100_000,
  /** Nesting of values in a JSON body of a graph. */
  automation_body_depth_max: 16,

  // Evaluation

  /** Work of one evaluation. A visited node, a visited value or 32 copied characters cost 1, a failure 100. */
  automation_evaluation_cost_max: 50_000,
  /** Characters of one text that an expression or a template produces. */
  automation_value_chars_max: 65_536,
  /** Values inside the result of an expression; 32 characters of text count as one. */
  automation_value_size_max: 10_000,
  /** Values inside the data that one expression reads. */
  automation_data_values_max: 40_000,
  /** Second argument of contains(), startsWith(), endsWith(), indexOf() and split(), and the separator of join(). */
  automation_search_chars_max: 128,
  /** Pattern of rematch(). */
  automation_pattern_chars_max: 256,
  /** States of its automaton. */
  automation_pattern_states_max: 200,

  // Schedules (contract/16#schedules)

  /** Minimum time between firings of a schedule. */
  automation_schedule_gap_ms: 5 * minute_ms,
  /** A schedule fires at least once within this time. */
  automation_schedule_horizon_ms: 1827 * day_ms,
  /** A firing that is later than this was missed. */
  automation_misfire_ms: minute_ms,
  /** Default number of tasks for which one firing with a query starts runs. */
  automation_schedule_tasks_max: 100,

  // Starting runs (contract/16#run-start)

  /** Active flows of a realm. */
  automation_active_flows_max: 200,
  /** Unfinished runs of a flow. */
  automation_queue_max: 1000,
  /** Window of `max_runs_per_hour`. */
  automation_rate_window_ms: 60 * minute_ms,
  /** Runs started in one transaction. */
  automation_starts_max: 200,
  /** Realms whose logs one run of the consumer reads. */
  automation_realms_max: 50,
  /** Clocks that their worker reads at a time. */
  automation_clocks_max: 500,
  /** Tasks with due dates that one transaction reads. */
  automation_due_batch_max: 500,
  /** The position of a due trigger may be up to twice this behind the clock, so that idle triggers cost no commits. */
  automation_due_grace_ms: minute_ms,

  // Incoming webhooks (contract/16#incoming-webhooks)

  automation_hook_bytes_max: 256 * KiB,
  /** Nesting of arrays and objects in a body. */
  automation_hook_depth_max: 32,
  /** Arrays and objects of a JSON body; expressions read at most `automation_data_values_max` values. */
  automation_hook_containers_max: 5000,
  /** Fields of a form, and parameters of a query. */
  automation_hook_fields_max: 1000,
  /** Headers that a trigger names. */
  automation_hook_headers_max: 20,
  /** One of these headers; what follows is cut. */
  automation_hook_header_chars_max: 2048,
  /** A key that identifies a request: `webhook-id`, `Idempotency-Key` or `X-GitHub-Delivery`. */
  automation_hook_key_chars_max: 255,
  /** Requests to one address per UTC minute… */
  automation_hook_requests_max: 120,
  /** …and to all addresses of an organization, counted apart from its credits. */
  automation_hooks_requests_max: 600,
  /** Difference between `webhook-timestamp` and the clock. */
  automation_hook_tolerance_ms: 5 * minute_ms,
  /** Signatures that one request is checked for; a sender sends several while its secret changes. */
  automation_hook_signatures_max: 10,

  // Forms (contract/16#forms)

  /** Fields of a form. */
  automation_form_fields_max: 20,
  /** Its title, and the label of a field. */
  automation_form_label_chars_max: 120,
  automation_form_introduction_chars_max: 4000,
  automation_form_hint_chars_max: 300,
  automation_form_thanks_chars_max: 1000,
  /** Options of a select, and the characters of one. */
  automation_form_options_max: 50,
  automation_form_option_chars_max: 120,
  /** Characters of an answer in one line, and of one in several lines. */
  automation_form_short_chars_max: 200,
  automation_form_long_chars_max: 5000,
  /** Body of a submission: all fields at their limits, percent-encoded, would be larger; few people write that much. */
  automation_form_bytes_max: 256 * KiB,
  /** Submissions to one form per UTC minute and per UTC day… */
  automation_form_minute_max: 60,
  automation_form_day_max: 2000,
  /** …and from one network address to one form. */
  automation_form_sender_minute_max: 10,
  automation_form_sender_day_max: 200,
  /** A form that is sent earlier after its page was loaded was filled in by a program. */
  automation_form_fill_ms: 2 * second_ms,
  /** Time after its load in which a page can be sent. Far below the retention of runs, which hold the keys of pages. */
  automation_form_page_ms: 12 * 60 * minute_ms,

  /** Versions of a flow that are shown at once, each with its graph. */
  automation_versions_shown_max: 20,
  /** How often active flows are compared with the rights that they act with, and how many are read at once. */
  automation_authority_period_ms: minute_ms,
  automation_authorities_max: 200,

  // Notes on the canvas (contract/16#notes)

  /** Notes of a flow, the characters of one, and all of them as JSON: events of a flow contain them, before and after a change. */
  automation_notes_max: 50,
  automation_note_chars_max: 2000,
  automation_notes_bytes_max: 32 * KiB,
  /** Pixels from the origin, and the sides of a note. */
  automation_note_place_max: 1_000_000,
  automation_note_size_min: 80,
  automation_note_size_max: 2000,

  // Received mail (contract/16#received-mail)

  /** Characters of an address. */
  automation_mailbox_address_chars_max: 320,
  /** Characters of a subject, of the sender's name, and of the name of an attachment; more is cut. */
  automation_mailbox_line_chars_max: 200,
  /** Characters of the text. A longer mail is refused. Below the limit of a description, so that a line more fits. */
  automation_mailbox_text_chars_max: 50_000,
  /** Attachments that are named. */
  automation_mailbox_attachments_max: 50,
  /** Mails to one flow per UTC minute and per UTC day… */
  automation_mailbox_minute_max: 60,
  automation_mailbox_day_max: 2000,
  /** …and from one address to one flow. */
  automation_mailbox_sender_minute_max: 10,
  automation_mailbox_sender_day_max: 200,

  // Approvals (contract/16#approvals)

  /** People whom one step asks. */
  automation_approvers_max: 20,
  /** What they decide on, and the comment of a decision. */
  automation_approval_chars_max: 2000,
  /** Range of `timeout_seconds`: a minute to 90 days. */
  automation_approval_seconds_min: 60,
  automation_approval_seconds_max: 90 * 86_400,

  // Calls of other flows (contract/16#calls)

  /** Inputs that a trigger.call declares, and the characters of a label. */
  automation_call_inputs_max: 20,
  automation_call_label_chars_max: 120,
  /** The inputs of a call as JSON in UTF-8, and the output that a run returns. */
  automation_call_bytes_max: 64 * KiB,
  /** Called runs that are shown with a run. */
  automation_called_shown_max: 20,
  /** Range of `timeout_seconds`: a minute to 90 days. */
  automation_call_seconds_min: 60,
  automation_call_seconds_max: 90 * 86_400,

  // Steps for many tasks (contract/16#many-tasks)

  /** Tasks that one step creates or changes: they are one transaction, and their values may each cost an evaluation. */
  automation_many_tasks_max: 100,
  /** A value in the changes of such a step; longer values are cut, so that its journal entry stays below a megabyte. */
  automation_many_change_chars_max: 200,
  /** The filter of `task.update_many` and of a schedule. */
  automation_task_query_chars_max: 1024,

  // Mail (contract/16#mail)

  /** People to whom one step sends. */
  automation_mail_recipients_max: 20,
  /** A subject, before it is cut for sending. */
  automation_mail_subject_chars_max: 1000,
  automation_mail_chars_max: 20_000,

  // Executing runs

  /** Steps shown with a run. */
  automation_run_steps_max: 200,
  /** Corrected settings of the step from which a rerun starts, as JSON. */
  automation_step_input_bytes_max: 256 * KiB,
  /** Reruns that are shown with a run. */
  automation_reruns_shown_max: 20,
  /** Steps of each run in a list of runs. */
  automation_listed_steps_max: 20,
  /** Steps shown with inputs and outputs. */
  automation_steps_shown_max: 20,
  /** Characters of an input or an output that is shown; more is cut. */
  automation_shown_chars_max: 4000,
  /** Levels of arrays and objects that are shown of a value of a run; below, a mask stands. */
  automation_shown_depth_max: 64,
  /** How far the clock may have been set back for lists by time to be complete. */
  automation_clock_back_ms: 60 * minute_ms,
  /** Tasks that block the run's task, or that it blocks, as its expressions see them. */
  automation_related_tasks_max: 100,
  /** Programs of activated versions that a process caches. */
  automation_programs_max: 500,
  /** Runs that one process executes at once; as many steps may share a commit. */
  automation_runs_held_max: 32,
  /** Runs that wait for a response from outside; they take no room from the others. */
  automation_calls_max: 64,
  /** Lease of a run; every step renews it. */
  automation_lease_ms: 15 * second_ms,
  /** Interval at which the leases of waiting runs are renewed. */
  automation_renewal_ms: 5 * second_ms,
  /** A step whose commit is uncertain is retried for this time… */
  automation_store_patience_ms: 10 * second_ms,
  /** …after a pause that begins here. */
  automation_store_pause_ms: 50,
  /** A value in the changes of a step; longer values are cut. */
  automation_change_chars_max: 2000,
  /** The message of a failure. */
  automation_failure_chars_max: 500,

  // Outside calls (contract/16#outside-calls)

  /** Default timeout of http.request, and connecting within it. */
  automation_http_ms: 10 * second_ms,
  automation_connect_ms: 5 * second_ms,
  automation_request_bytes_max: 256 * KiB,
  /** A response body that becomes output. */
  automation_response_bytes_max: 256 * KiB,
  /** Text of chat.post; Mattermost accepts 16,383 characters, Slack more. */
  automation_chat_chars_max: 16_000,
  /** A sealed secret of http.request, chat.post or trigger.webhook. */
  automation_secret_chars_max: 4096,
  /** Secrets of a realm. */
  automation_secrets_max: 200,
  /** Instructions and input of one AI request together, in UTF-8. */
  ai_prompt_bytes_max: 128 * KiB,
  /** Kept of what a model said, in UTF-16 units; an answer of 4,096 tokens has fewer. */
  ai_answer_kept_chars_max: 64 * KiB,
  /** Latest AI steps of a run whose calls are shown. */
  ai_steps_shown_max: 20,
  /** Upper bound of the tokens around a prompt's text. */
  ai_prompt_overhead_tokens: 200,

  // Previews (contract/16#preview)

  /** Lifetime of a preview token. */
  preview_token_ms: 15 * minute_ms,
  /** Time of a rehearsal, which blocks the organization's writes; steps that it does not reach stay unknown. */
  automation_preview_ms: 500,
  /** Events that a preview reads to count matches. */
  automation_matches_events_max: 2000,
  /** Age of the oldest of them. */
  automation_matches_ms: 7 * day_ms,
  /** Latest starts that are rehearsed to show the effects of a flow. */
  automation_effects_max: 50,
  /** Time of these rehearsals together; each is a transaction of its own, so writes go on in between. */
  automation_effects_ms: 5 * second_ms,

  // Retention

  /** Finished runs are kept for this time… */
  automation_run_kept_ms: 30 * day_ms,
  /** …and at most this number per flow. */
  automation_runs_kept_max: 10_000,
  /** Daily AI costs are kept for this time. */
  automation_ai_usage_kept_ms: 40 * day_ms,
} as const

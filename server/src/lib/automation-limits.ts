/** The limits of automation graphs, their expressions and their walks; part of `limits`. */

const minute_ms = 60_000
const day_ms = 24 * 60 * minute_ms

export const automation_limits = {
  /** A graph as JSON in UTF-8, without spaces. */
  automation_graph_bytes_max: 256 * 1024,
  /** Edges of a graph. */
  automation_edges_max: 200,
  /** Steps of a run when every condition is met and every list is full; each node of a body counts once an item. */
  automation_steps_max: 1000,
  /** Faults listed of one graph: all of them, unless somebody makes them for fun. */
  automation_faults_max: 1000,
  /** Objects named by a graph that are looked up: far more than a graph of permitted size names. */
  automation_references_max: 2000,

  // Expressions

  /** Source of one expression; decisions §16. */
  automation_expression_chars_max: 1024,
  /** Operators, names, calls and literals of one expression. */
  automation_expression_nodes_max: 250,
  /** Such nodes inside each other. */
  automation_expression_depth_max: 50,
  /** Elements of a list or entries of a map that an expression writes out. */
  automation_literal_items_max: 100,
  /** Expressions of one template. */
  automation_template_expressions_max: 50,
  /** Expressions of a graph, those of its templates too. */
  automation_expressions_max: 500,
  /** Source of all of them together. */
  automation_expressions_chars_max: 100_000,
  /** Values inside each other in a JSON body that a graph writes out. */
  automation_body_depth_max: 16,

  // Their evaluation

  /** Work of one evaluation: a node visited, a value looked at or 32 characters copied cost 1, a failure 100. */
  automation_evaluation_cost_max: 50_000,
  /** Characters of one text that an expression or a template makes. */
  automation_value_chars_max: 65_536,
  /** Values inside of what an expression makes; 32 characters of text count as one. */
  automation_value_size_max: 10_000,
  /** Values inside of the data that one expression reads. */
  automation_data_values_max: 40_000,
  /** What contains(), startsWith(), endsWith(), indexOf(), split() look for, and join() puts between. */
  automation_search_chars_max: 128,
  /** Pattern of rematch(). */
  automation_pattern_chars_max: 256,
  /** States of the machine that such a pattern becomes. */
  automation_pattern_states_max: 200,

  // Schedules

  /** A schedule fires no oftener. */
  automation_schedule_gap_ms: 5 * minute_ms,
  /** A schedule fires at least once within. */
  automation_schedule_horizon_ms: 1827 * day_ms,
  /** A firing that is later than this was missed. */
  automation_misfire_ms: minute_ms,
  /** Tasks that one firing with a query starts runs about, where its node says nothing. */
  automation_schedule_tasks_max: 100,

  /** Tasks that the run's task blocks, or is blocked by, as its expressions see them. */
  automation_related_tasks_max: 100,

  // Beginning runs

  /** Active flows of a realm. */
  automation_active_flows_max: 200,
  /** Runs of a flow that are not over. */
  automation_queue_max: 1000,
  /** `max_runs_per_hour` counts the runs of the last. */
  automation_rate_window_ms: 60 * minute_ms,
  /** Runs begun in one transaction. */
  automation_starts_max: 200,
  /** Realms whose logs one run of the consumer looks through. */
  automation_realms_max: 50,
  /** Clocks that their worker reads at a time. */
  automation_clocks_max: 500,
  /** Tasks with due dates that one transaction looks at. */
  automation_due_batch_max: 500,
  /** The position of a due trigger stays behind the clock by up to twice this, so that idle ones cost no commits. */
  automation_due_grace_ms: minute_ms,

  /** Events that a preview looks at to say how many would have matched. */
  automation_matches_events_max: 2000,
  /** How far back it looks for them. */
  automation_matches_ms: 7 * day_ms,
  /** Steps of each run in a list of runs. */
  automation_listed_steps_max: 20,

  // What is kept

  /** Runs that are over stay so long. */
  automation_run_kept_ms: 30 * day_ms,
  /** And so many of a flow. */
  automation_runs_kept_max: 10_000,
  /** Costs of AI steps by day stay so long. */
  automation_ai_usage_kept_ms: 40 * day_ms,
} as const

/** The limits of automation graphs, their expressions and their walks; part of `limits`. */

const minute_ms = 60_000
const day_ms = 24 * 60 * minute_ms

export const automation_limits = {
  /** Edges of a graph. */
  automation_edges_max: 200,
  /** Steps of a run when every condition is met and every list is full; each node of a body counts once an item. */
  automation_steps_max: 1000,
  /** Faults listed of one graph: all of them, unless somebody makes them for fun. */
  automation_faults_max: 1000,

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
} as const

/**
 * What expressions may name, with types: the variables of decisions §16. A field that may be null is `dyn`, so that it
 * can be compared with null; whatever is not declared here is refused when a graph is written.
 */
import { Environment } from '@marcbachmann/cel-js'
import { limits } from '../lib/limits.ts'
import { charsOf } from './shape-limits.ts'
import { ExpressionFailure } from './expression-failure.ts'
import { patternOf } from './pattern.ts'

/** The fields of an object by name: a type of CEL, or an object again. */
export interface ObjectType {
  readonly [field: string]: string | ObjectType
}

const actor = { type: 'string', id: 'string' }
const head = { id: 'string', object: 'string', created: 'int', updated: 'int' }

export const task_type = {
  ...head,
  workspace: 'string',
  number: 'int',
  key: 'string',
  project: 'dyn',
  column: 'dyn',
  title: 'string',
  description: 'dyn',
  status: 'string',
  priority: 'string',
  assignee: 'dyn',
  creator: actor,
  due_at: 'dyn',
  completed_at: 'dyn',
  is_archived: 'bool',
  labels: 'list<string>',
  custom_fields: 'map<string, dyn>',
  position: 'dyn',
  template: 'dyn',
  revision: 'int',
} satisfies ObjectType

export const event_type = {
  id: 'string',
  object: 'string',
  type: 'string',
  created: 'int',
  sequence: 'int',
  api_version: 'string',
  livemode: 'bool',
  organization: 'string',
  workspace: 'dyn',
  actor,
  request: 'dyn',
  commit: { id: 'string', index: 'int', size: 'int' },
  data: { object: 'map<string, dyn>', previous_attributes: 'dyn' },
} satisfies ObjectType

export const comment_type = {
  ...head,
  workspace: 'string',
  task: 'string',
  body: 'string',
  author: actor,
  edited_at: 'dyn',
  revision: 'int',
} satisfies ObjectType

export const dependency_type = {
  ...head,
  workspace: 'string',
  project: 'string',
  from: 'string',
  to: 'string',
  kind: 'string',
  creator: actor,
} satisfies ObjectType

export const time_entry_type = {
  ...head,
  workspace: 'string',
  task: 'dyn',
  project: 'dyn',
  user: 'dyn',
  started_at: 'dyn',
  ended_at: 'dyn',
  duration_ms: 'dyn',
  status: 'string',
  note: 'dyn',
  billable: 'bool',
  source: 'string',
  revision: 'int',
} satisfies ObjectType

const flow_type = { id: 'string', name: 'string', version: 'int', mode: 'string', workspace: 'string', project: 'dyn' }

/** `trigger` is the id of the trigger node; `depth` counts the flows that caused the event. */
const run_type = { id: 'string', trigger: 'string', started_at: 'int', depth: 'int' }

const org_type = { id: 'string', name: 'string', plan: 'string' }

/** All names but `steps`, which every graph has its own of. */
export const variable_names = ['event', 'task', 'before', 'steps', 'item', 'index', 'now', 'flow', 'run', 'org'] as const
export type VariableName = (typeof variable_names)[number]

/** Texts that rematch() reads are paid for by their length times the pattern's states. */
export type PayRematch = (cost: number) => void

/** Set while an expression is evaluated; evaluation never waits, so there is one at a time. */
let pay: PayRematch | undefined

export function whilePaying<T>(payer: PayRematch, evaluate: () => T): T {
  pay = payer
  try {
    return evaluate()
  } finally {
    pay = undefined
  }
}

function rematch(text: string, source: string): boolean {
  const pattern = patternOf(source)
  if (pay === undefined) throw new ExpressionFailure('evaluation_failed', 'rematch() is evaluated by nobody')
  pay(Math.ceil((charsOf(text) * pattern.states) / 32))
  return pattern.test(text)
}

const base = new Environment({
  homogeneousAggregateLiterals: false,
  limits: {
    maxAstNodes: 4 * limits.automation_expression_nodes_max,
    maxDepth: limits.automation_expression_depth_max,
    maxListElements: limits.automation_literal_items_max,
    maxMapEntries: limits.automation_literal_items_max,
  },
})
  .registerVariable('task', { schema: task_type })
  .registerVariable('event', { schema: event_type })
  .registerVariable('before', 'dyn')
  .registerVariable('item', 'dyn')
  .registerVariable('index', 'int')
  .registerVariable('now', 'int')
  .registerVariable('flow', { schema: flow_type })
  .registerVariable('run', { schema: run_type })
  .registerVariable('org', { schema: org_type })
  .registerFunction('rematch(string, string): bool', rematch, { async: false })

/** The names of one graph: `outputs` is what each step leaves behind, `null` for nothing. */
export function namesWith(outputs: Readonly<Record<string, string | ObjectType | null>>): Environment {
  const steps: Record<string, ObjectType> = {}
  for (const [id, output] of Object.entries(outputs)) {
    steps[id] = output === null ? { status: 'string' } : { status: 'string', output }
  }
  return Object.keys(steps).length === 0 ? base : base.clone().registerVariable('steps', { schema: steps })
}

/**
 * The variables of expressions with their types (contract/16#variables). A field that may be null is `dyn`, so that
 * expressions can compare it with null. Names that are not declared here are refused when a graph is written.
 */
import { Environment } from '@marcbachmann/cel-js'
import { automation_limits } from '../limits.ts'
import { patternOf } from '../pattern.ts'
import { charsOf } from '../shape-limits.ts'
import { ExpressionFailure } from './failure.ts'

/** The fields of an object by name: a CEL type or a nested object. */
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
  mentions: 'list<string>',
  status: 'string',
  priority: 'string',
  assignee: 'dyn',
  creator: actor,
  start_at: 'dyn',
  due_at: 'dyn',
  completed_at: 'dyn',
  is_archived: 'bool',
  labels: 'list<string>',
  attachments: 'list<string>',
  custom_fields: 'map<string, dyn>',
  parent: 'dyn',
  subtask_count: 'int',
  subtask_done_count: 'int',
  position: 'dyn',
  template: 'dyn',
  revision: 'int',
} satisfies ObjectType

/** A task in the output of a step for many tasks. */
const listed_task_type = {
  id: 'string',
  key: 'string',
  title: 'string',
  status: 'string',
  priority: 'string',
  assignee: 'dyn',
  due_at: 'dyn',
} satisfies ObjectType

/** A task at the other end of a dependency, with the number of its own open blockers. */
const related_task_type = { ...listed_task_type, open_blockers: 'int' } satisfies ObjectType

/** The run's task as the API shows it, with the tasks on both sides of its `blocks` dependencies, and the teams of its assignee. */
export const subject_type = {
  ...task_type,
  teams: 'list<string>',
  blocks: 'list<RelatedTask>',
  blocked_by: 'list<RelatedTask>',
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
  mentions: 'list<string>',
  author: actor,
  attachments: 'list<string>',
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

/** The request of an incoming webhook. `id` is the key that identifies it, or null. */
export const request_type = {
  id: 'dyn',
  body: 'dyn',
  headers: 'map<string, string>',
  query: 'map<string, dyn>',
} satisfies ObjectType

/** A received mail. */
export const mail_type = {
  from: 'string',
  name: 'string',
  subject: 'string',
  text: 'string',
  attachments: 'list<string>',
} satisfies ObjectType

export const flow_type = {
  id: 'string',
  name: 'string',
  version: 'int',
  mode: 'string',
  workspace: 'string',
  project: 'dyn',
}

/** `trigger` is the id of the trigger node; `depth` counts the flows in the chain that caused the event. */
export const run_type = { id: 'string', trigger: 'string', started_at: 'int', depth: 'int' }

export const org_type = { id: 'string', name: 'string', plan: 'string' }

/** All variables. The type of `steps` differs from graph to graph. */
export const variable_names = [
  'event',
  'task',
  'before',
  'request',
  'form',
  'mail',
  'call',
  'steps',
  'item',
  'index',
  'now',
  'flow',
  'run',
  'org',
] as const
/** Charges for a call of rematch(): the length of the text times the number of the pattern's states. */
export type PayRematch = (cost: number) => void

/** Set during an evaluation. Evaluation is synchronous, so at most one is active. */
let pay: PayRematch | undefined

export function whilePaying<T>(payer: PayRematch, evaluate: () => T): T {
  const limit = Error.stackTraceLimit
  // A comprehension may swallow hundreds of failures; capturing stacks that are never read is expensive.
  Error.stackTraceLimit = 0
  pay = payer
  try {
    return evaluate()
  } finally {
    pay = undefined
    Error.stackTraceLimit = limit
  }
}

function rematch(text: string, source: string): boolean {
  const pattern = patternOf(source)
  if (pay === undefined) throw new ExpressionFailure('evaluation_failed', 'rematch() was called outside an evaluation')
  pay(Math.ceil((charsOf(text) * pattern.states) / 32))
  return pattern.test(text)
}

/** Step outputs, by the names that outputs.ts assigns to node types. */
export const output_types = {
  condition: { result: 'bool' },
  switch: { port: 'string' },
  for_each: { count: 'int', items: 'list<dyn>' },
  wait: { woke_at: 'int' },
  approval: { decision: 'string', decided_by: 'dyn', decided_at: 'int', comment: 'dyn' },
  changed_task: { task: 'Task', changed: 'bool' },
  made_task: { task: 'Task' },
  made_tasks: { count: 'int', tasks: 'list<ListedTask>' },
  changed_tasks: { count: 'int', changed: 'int', tasks: 'list<ListedTask>' },
  comment: { comment: 'Comment' },
  dependency: { dependency: 'Dependency' },
  time_entry: { time_entry: 'TimeEntry' },
  http_status: { status: 'int' },
  http_json: { status: 'int', body: 'dyn' },
  http_text: { status: 'int', body: 'string' },
  mail: { recipients: 'list<string>' },
  call: { run: 'string', status: 'string', output: 'dyn', message: 'dyn' },
  ai_text: { text: 'string' },
  ai_label: { label: 'string' },
  ai_data: { data: 'dyn' },
} satisfies Record<string, ObjectType>

export type OutputName = keyof typeof output_types

/** The types that others name. */
export const named_types: Readonly<Record<string, ObjectType>> = {
  Task: task_type,
  Comment: comment_type,
  Dependency: dependency_type,
  TimeEntry: time_entry_type,
  RelatedTask: related_task_type,
  ListedTask: listed_task_type,
}

/**
 * The type for CEL. Objects of lists are `dyn`, because a list of a named type refuses its items when one is taken by its number;
 * `fields.ts` checks their fields.
 */
export function celType(type: string): string {
  return type.replace(/^list<[A-Z]\w*>$/, 'list<dyn>')
}

function celTypes(type: ObjectType): ObjectType {
  const fields = Object.entries(type).map(([name, each]) => [
    name,
    typeof each === 'string' ? celType(each) : celTypes(each),
  ])
  return Object.fromEntries(fields)
}

const base = new Environment({
  homogeneousAggregateLiterals: false,
  limits: {
    maxAstNodes: 4 * automation_limits.automation_expression_nodes_max,
    maxDepth: automation_limits.automation_expression_depth_max,
    maxListElements: automation_limits.automation_literal_items_max,
    maxMapEntries: automation_limits.automation_literal_items_max,
  },
})
  .registerType({ name: 'Task', schema: task_type })
  .registerType({ name: 'Subject', schema: celTypes(subject_type) })
  .registerType({ name: 'Comment', schema: comment_type })
  .registerType({ name: 'Dependency', schema: dependency_type })
  .registerType({ name: 'TimeEntry', schema: time_entry_type })
  .registerType({ name: 'Step', schema: { status: 'string' } })
  .registerVariable('task', 'Subject')
  .registerVariable('event', { schema: event_type })
  .registerVariable('before', 'dyn')
  .registerVariable('request', { schema: request_type })
  .registerVariable('mail', { schema: mail_type })
  .registerVariable('item', 'dyn')
  .registerVariable('index', 'int')
  .registerVariable('now', 'int')
  .registerVariable('flow', { schema: flow_type })
  .registerVariable('run', { schema: run_type })
  .registerVariable('org', { schema: org_type })
  .registerFunction('rematch(string, string): bool', rematch, { async: false })

for (const [name, output] of Object.entries(output_types)) {
  base.registerType({ name: `Step.${name}`, schema: { status: 'string', output: celTypes(output) } })
}

const untyped_form = base.clone().registerVariable('form', 'dyn')
const untyped = untyped_form.clone().registerVariable('call', 'dyn')

/**
 * The environment of one graph. `outputs` maps each step to its output type, or null if it has none; `form` has the type of
 * each answer of its form, `call` that of each input of its calls.
 */
export function namesWith(
  outputs: Readonly<Record<string, OutputName | null>>,
  form: Readonly<Record<string, string>> = {},
  call: Readonly<Record<string, string>> = {},
): Environment {
  const names = withCall(Object.keys(form).length > 0 ? withForm(form) : null, call)
  const steps = Object.entries(outputs).map(([id, output]) => [id, output === null ? 'Step' : `Step.${output}`])
  if (steps.length === 0) return names
  return names.clone().registerVariable('steps', { schema: Object.fromEntries(steps) })
}

function withForm(form: Readonly<Record<string, string>>): Environment {
  return base.clone().registerVariable('form', { schema: form })
}

/** `names` is null for a graph without a form. */
function withCall(names: Environment | null, call: Readonly<Record<string, string>>): Environment {
  if (Object.keys(call).length > 0) return (names ?? untyped_form).clone().registerVariable('call', { schema: call })
  return names === null ? untyped : names.clone().registerVariable('call', 'dyn')
}

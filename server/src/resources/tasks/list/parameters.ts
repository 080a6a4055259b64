/** The parameters that select tasks, shared by list and count (contract/06#task-parameters). */
import Type from 'typebox'
import { actingUser } from '../../../api/declare/caller.ts'
import { refuse } from '../../../api/declare/errors.ts'
import {
  booleanParameter,
  idParameter,
  listParameter,
  type Parameter,
  type ParameterValues,
  textParameter,
  wordListParameter,
} from '../../../api/declare/parameters.ts'
import { Seconds } from '../../../api/declare/shapes.ts'
import { limits } from '../../../api/limits.ts'
import { projectNoun } from '../../projects/project.ts'
import { workspaceNoun } from '../../workspaces/workspace.ts'
import { type Condition, isIdFor } from '../filter/check.ts'
import { filter_grammar } from '../filter/grammar.ts'
import { findNamed } from '../filter/references.ts'
import { readPeriod, time_forms } from '../filter/times.ts'
import { excerpt } from '../filter/tokens.ts'
import { type FilterContext, readTaskFilter } from '../shared/filter.ts'
import { task_statuses, taskNoun } from '../task.ts'
import type { TaskCriteria } from './queries.ts'

const due_text = textParameter(
  40,
  `Only tasks due before this time, exclusive: ${time_forms}. In a URL, encode \`+\` as \`%2B\`.`,
)

/** Only checks the text, because its meaning depends on the time of the request. */
const dueParameter: Parameter<string> = {
  ...due_text,
  schema: Type.Union([Seconds, Type.String({ minLength: 1, maxLength: 40 })]),
  read(texts, name) {
    const text = due_text.read(texts, name)
    dueBefore(text, 0, name)
    return text
  },
}

export const criteriaParameters = {
  workspace: idParameter('Only tasks of this workspace.', workspaceNoun),
  project: listParameter(
    'Only tasks of these projects, each an id or the name of exactly one project; `none` or `null` selects tasks ' +
      'without one.',
  ),
  status: wordListParameter(task_statuses, 'Only tasks with one of these statuses.'),
  assignee: listParameter(
    'Only tasks of these users, each a user id, an e-mail address, the full name of one member, or `me`; `none` or `null` ' +
      'selects unassigned tasks.',
  ),
  parent: textParameter(
    limits.id_chars_max,
    'Only tasks with this parent, an id or key; `none` selects tasks without one.',
  ),
  due_before: dueParameter,
  is_archived: booleanParameter('`true`: only tasks of archived projects; `false` (default): only others.'),
  filter: textParameter(limits.filter_chars_max, filter_grammar),
} as const

interface Criteria {
  readonly criteria: TaskCriteria
  /** The filter expression, also that of a saved filter. */
  readonly filterText: string | undefined
  /** The result depends on the caller, because the parameters contain `me`. */
  readonly is_personal: boolean
}

/** The criteria of a request, with ids in place of names. */
export async function readCriteria(
  from: Omit<FilterContext, 'workspace'>,
  query: Partial<ParameterValues<typeof criteriaParameters>>,
): Promise<Criteria> {
  const { workspace, status, is_archived } = query
  const context = { ...from, workspace }
  const seen = from.caller.guest === null ? undefined : [...from.caller.guest.projects].sort()
  const plain = {
    workspace,
    seen,
    project: amongSeen(await resolveProjects(context, query.project), seen),
    status,
    assignee: await resolveNames(context, 'assignee', query.assignee),
    parent: await resolveParent(context, query.parent),
    due_before: query.due_before === undefined ? undefined : dueBefore(query.due_before, from.now, 'due_before'),
    is_archived,
  }
  if (query.filter === undefined) return { criteria: plain, filterText: undefined, is_personal: false }
  const { text, filter, is_personal } = await readTaskFilter(context, query.filter)
  const condition = seen === undefined ? filter.condition : withSeenParents(filter.condition, seen)
  return { criteria: { ...plain, filter: { ...filter, condition } }, filterText: text, is_personal }
}

/** The projects to select. Those of a guest are named, so that their index is the access path; no project has an empty id. */
function amongSeen(sent: readonly string[] | undefined, seen: readonly string[] | undefined) {
  if (seen === undefined) return sent
  const projects = (sent ?? seen).filter((id) => id !== 'null')
  return projects.length === 0 ? [''] : projects
}

/** The condition about parents as a guest sees them: a task with a parent elsewhere has no parent. */
function withSeenParents(condition: Condition, seen: readonly string[]): Condition {
  const elsewhere = { kind: 'parent_elsewhere', projects: seen } as const
  switch (condition.kind) {
    case 'and':
    case 'or':
      return { ...condition, operands: condition.operands.map((operand) => withSeenParents(operand, seen)) }
    case 'not':
      return { kind: 'not', operand: withSeenParents(condition.operand, seen) }
    case 'null':
      return condition.column === 'parent' ? elsewhere : condition
    case 'equals':
      if (condition.column !== 'parent') return condition
      return { kind: 'and', operands: [condition, { kind: 'not', operand: elsewhere }] }
    default:
      return condition
  }
}

/** An unknown project is refused, also by its id (contract/06#unknown-objects-in-filters). */
async function resolveProjects(context: FilterContext, sent: readonly string[] | undefined) {
  const ids = await resolveNames(context, 'project', sent)
  for (const id of ids ?? []) {
    if (id === 'null') continue
    const row = await projectNoun.find(context.reader, context.caller, id)
    if (row === undefined || row.deleted_at !== null) {
      throw refuse('invalid_query_parameter', { param: 'project', message: `project "${id}" names no project.` })
    }
  }
  return ids
}

/** An unknown parent is refused, also by its id (contract/06#unknown-objects-in-filters). */
async function resolveParent(context: FilterContext, sent: string | undefined): Promise<string | undefined> {
  if (sent === undefined) return undefined
  if (sent === 'none' || sent === 'null') return 'null'
  const { reader, caller } = context
  const row = await taskNoun.find(reader, caller, sent)
  if (row !== undefined && row.deleted_at === null) return row.id
  const message = `parent ${excerpt(sent)} names no task. Use the id or key of a task, or none.`
  throw refuse('invalid_query_parameter', { param: 'parent', message })
}

/** Ids in place of names, `null` in place of `none`. `paramOf` names the value in a refusal. */
export async function resolveNames(
  { reader, caller, workspace }: Omit<FilterContext, 'now'>,
  column: 'project' | 'assignee',
  sent: readonly string[] | undefined,
  code: 'invalid_query_parameter' | 'invalid_request_body' = 'invalid_query_parameter',
  paramOf: (index: number) => string = () => column,
): Promise<readonly string[] | undefined> {
  if (sent === undefined) return undefined
  const scope = { reader, tenant: caller, workspace, me: actingUser(caller) }
  const ids: string[] = []
  for (const [i, text] of sent.entries()) {
    if (text === 'null' || text === 'none') ids.push('null')
    else if (isIdFor(column, text)) ids.push(text)
    else {
      const found = await findNamed(scope, { column, text, quoted: false })
      if ('fault' in found) throw refuse(code, { param: paramOf(i), message: `${found.fault}. ${found.advice}` })
      ids.push(found.id)
    }
  }
  return ids
}

/** In Unix seconds. An unencoded `+` of a URL arrives as a space. */
function dueBefore(text: string, now: number, param: string): number {
  const seconds = /^\d{1,16}$/.test(text) ? Number(text) : readPeriod(text.replace(' ', '+'), now)?.from
  if (seconds !== undefined && seconds <= limits.safe_integer_max) return seconds
  const message = `${param} cannot be ${excerpt(text)}. Use ${time_forms}.`
  throw refuse('invalid_query_parameter', { param, message })
}

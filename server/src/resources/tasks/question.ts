/** The parameters that tasks are chosen by, the same for list and count (contract §4.4, decisions §6). */
import type { Caller } from '../../api/caller.ts'
import {
  booleanParameter,
  idParameter,
  listParameter,
  type ParameterValues,
  secondsParameter,
  textParameter,
} from '../../api/parameters.ts'
import type { Reader } from '../../db/store.ts'
import { limits } from '../../lib/limits.ts'
import { projectNoun } from '../projects/project.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { readTaskFilter } from './queries-filter.ts'
import type { TaskQuestion } from './queries-list.ts'

export const questionParameters = {
  workspace: idParameter('Tasks of this workspace only.', workspaceNoun),
  project: listParameter('Tasks of these projects; `null` for tasks without one.', projectNoun),
  status: listParameter('Tasks with one of these statuses.'),
  assignee: listParameter('Tasks of these users; `null` for tasks of nobody.'),
  due_before: secondsParameter('Tasks due before this time (Unix seconds), exclusive.'),
  is_archived: booleanParameter('Tasks of archived projects, or of active ones. By default active ones only.'),
  filter: textParameter(limits.filter_chars_max, 'The id of a saved filter, or a filter expression.'),
} as const

/** The tasks that the parameters ask for. `filterText` is the expression, of a saved filter too. */
export async function readQuestion(
  from: { readonly reader: Reader; readonly caller: Caller },
  query: Partial<ParameterValues<typeof questionParameters>>,
): Promise<{ readonly question: TaskQuestion; readonly filterText: string | undefined }> {
  const { workspace, project, status, assignee, due_before, is_archived } = query
  const plain = { workspace, project, status, assignee, due_before, is_archived }
  if (query.filter === undefined) return { question: plain, filterText: undefined }
  const { text, filter } = await readTaskFilter(from, query.filter)
  return { question: { ...plain, filter }, filterText: text }
}

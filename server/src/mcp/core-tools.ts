/**
 * The tools that `/mcp?tools=core` and `atrium mcp --tools core` list: finding, planning and doing tasks. All tools together are about 160 kB, which
 * fills much of a small model's context. A tool outside of this set can be called all the same.
 */
import { refuse } from '../api/declare/errors.ts'
import { quoted } from '../api/declare/quoted.ts'

export const core_tools: ReadonlySet<string> = new Set([
  ...['me_retrieve', 'members_list', 'workspaces_list', 'projects_list', 'projects_create'],
  ...['columns_list', 'columns_create', 'tasks_list', 'tasks_count', 'tasks_retrieve', 'tasks_create', 'tasks_batch'],
  ...['tasks_update', 'tasks_move', 'tasks_complete', 'task_comments_list', 'task_comments_create'],
  'task_dependencies_create',
])

/** Whether a tool is listed, by the `tools` parameter of the URL. */
export function readSelection(rawQuery: string): (tool: string) => boolean {
  const selection = new URLSearchParams(rawQuery).getAll('tools')
  if (selection.length === 0) return () => true
  if (selection.length === 1 && selection[0] === 'core') return (tool) => core_tools.has(tool)
  const message = `tools cannot be ${quoted(selection.join())}. Use core, or omit it for all tools.`
  throw refuse('invalid_query_parameter', { param: 'tools', message })
}

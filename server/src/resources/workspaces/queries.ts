/** SQL of workspaces. */
import { literal, type Placeholder, query } from '../../db/query.ts'
import type { Schema } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { suggestKeys } from './workspace.ts'

const findKey = query((db, p: Placeholder<{ realm: number; key: string }>) =>
  db.selectFrom('workspaces').select('id').where('realm', '=', p('realm')).where('key', '=', p('key')),
)

/** The best unused key for a title in a realm. */
export async function freeKey(reader: Reader, realm: number, title: string): Promise<string> {
  for (const key of suggestKeys(title)) {
    if ((await reader.first(findKey, { realm, key })) === undefined) return key
  }
  throw new Error('no key is left')
}

/** The live objects of a workspace, table by table, in the words of a refusal. Each read is one step on an index. */
const contents = [
  content('projects', 'projects'),
  content('portfolios', 'portfolios'),
  content('tasks', 'tasks'),
  content('custom_fields', 'custom fields'),
  content('files', 'files'),
  content('time_entries', 'time entries'),
  content('expenses', 'expenses'),
  content('billing_rates', 'billing rates'),
  content('invoice_drafts', 'invoice drafts'),
  content('saved_filters', 'saved filters'),
  content('task_templates', 'task templates'),
  content('automation_flows', 'active automation flows'),
  content('automation_runs', 'unfinished automation runs'),
]

function content(table: keyof Schema, words: string) {
  const first = query((db, p: Placeholder<{ realm: number; workspace: string }>) => {
    const rows = db
      .selectFrom(table as 'automation_flows')
      .select('id')
      .where('realm', '=', p('realm'))
      .where('workspace', '=', p('workspace'))
      .where('deleted_at', 'is', null)
      .limit(literal(1))
    // A paused flow acts no more and, having no operation that deletes it, stays.
    if (table === 'automation_flows') return rows.where('status', '=', 'active')
    return table === 'automation_runs' ? rows.where('ended_at' as 'id', 'is', null) : rows
  })
  return { words, first }
}

/** The kinds of objects that a workspace contains, as plural nouns; none for an empty one. */
export async function contentsOf(reader: Reader, realm: number, workspace: string): Promise<string[]> {
  const found = await Promise.all(contents.map(({ first }) => reader.first(first, { realm, workspace })))
  return contents.filter((_, i) => found[i] !== undefined).map(({ words }) => words)
}

/** Finds what an unanswered request created by searching the data: after a day the server no longer knows its key. */
import type { Api } from './api.ts'
import { fetchAll } from './fetch-all.ts'
import type { Identity, Journal, Step } from './journal.ts'

type Body = Readonly<Record<string, unknown>>

/** Rows per filter: the number of comparisons in a filter is limited (contract/06#filter). */
const rows_max = 20

/**
 * The ids that the step created, or null if it created nothing: a batch is created whole or not at all
 * (contract/15#task-batch).
 */
export async function effectOf(api: Api, step: Step, journal: Journal): Promise<readonly string[] | null> {
  const body = step.body as Body
  const workspace = String(body.workspace)
  if (step.rows !== undefined) return await tasksOf(api, step.rows, journal.identity)
  const query: Record<string, string> = {
    workspace,
    ...(step.path === '/v1/columns' ? { project: String(body.project) } : {}),
  }
  const path = step.path.replace(/\/import$/, '')
  for await (const found of fetchAll(api, path, query)) {
    // Two comments of one task may be alike: the one that is known already is not this one.
    if (sameThing(path, found, body) && !journal.knows(String(found.id))) return [String(found.id)]
  }
  return null
}

function sameThing(path: string, found: Body, body: Body): boolean {
  if (path.endsWith('/comments')) return found.body === body.body
  if (path.endsWith('/dependencies')) return found.to === body.to && found.kind === body.kind
  return found.name === body.name && (path !== '/v1/projects' || found.description === body.description)
}

async function tasksOf(api: Api, rows: readonly string[], identity: Identity): Promise<readonly string[] | null> {
  const ids = new Map<string, string>()
  for (let from = 0; from < rows.length; from += rows_max) {
    const some = rows.slice(from, from + rows_max)
    const any = some.map((key) => `custom_fields.import_row = ${inFilter(key)}`).join(' OR ')
    const filter = `custom_fields.import_id = ${inFilter(identity.id)} AND (${any})`
    const query = { workspace: identity.workspace, filter, fields: 'id,custom_fields' }
    for await (const { id, custom_fields } of fetchAll(api, '/v1/tasks', query)) {
      ids.set(String((custom_fields as Body).import_row), String(id))
    }
  }
  const found = rows.map((key) => ids.get(key))
  return found.every((id) => id !== undefined) ? (found as string[]) : null
}

/** A text in a filter expression. */
export function inFilter(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

/** SQL of audit entries: a page of a realm, newest first. */
import type { Caller } from '../../api/declare/caller.ts'
import { exclusiveTimes } from '../../api/request/exclusive-times.ts'
import { isOneOf } from '../../db/dialect.ts'
import { type AnyValues, literal, shapedQuery } from '../../db/query.ts'
import type { AuditRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'

const columns = ['action', 'actor', 'target', 'room'] as const

type Filters = { readonly [K in (typeof columns)[number]]?: readonly string[] | undefined } & {
  readonly created_after?: number | undefined
  readonly created_before?: number | undefined
}

/** At most `count` entries of the caller's realm below the sequence `below`, newest first. */
export async function readEntries(
  reader: Reader,
  caller: Caller,
  filters: Filters,
  below: number | undefined,
  count: number,
): Promise<AuditRow[]> {
  const { organization, realm } = caller
  const values: Record<string, unknown> = { organization, realm, below, ...exclusiveTimes(filters) }
  const forms: string[] = []
  for (const column of columns) {
    const wanted = filters[column]
    if (wanted === undefined) continue
    forms.push(`${column}${wanted.length === 1 ? '1' : '*'}`)
    values[column] = wanted.length === 1 ? wanted[0] : JSON.stringify(wanted)
  }
  for (const bound of ['from', 'until', 'below']) if (values[bound] !== undefined) forms.push(bound)
  const given = new Set(forms)
  const entries = shapedQuery<AuditRow, AnyValues>(`audit ${forms.join()} ${count}`, (db, p, dialect) => {
    let select = db
      .selectFrom('audit_entries')
      .selectAll()
      .where('organization', '=', p('organization'))
      .where('realm', '=', p('realm'))
    for (const column of columns) {
      if (given.has(`${column}1`)) select = select.where(column, '=', p(column))
      else if (given.has(`${column}*`)) select = select.where(isOneOf(dialect, column, p(column)))
    }
    if (given.has('from')) select = select.where('created', '>=', p('from'))
    if (given.has('until')) select = select.where('created', '<', p('until'))
    if (given.has('below')) select = select.where('sequence', '<', p('below'))
    return select.orderBy('sequence', 'desc').limit(literal(count))
  })
  return await reader.all(entries, values as AnyValues)
}

/** A reader that records the plan of each query before it runs it. */
import type { AnyQuery } from '../src/db/query.ts'
import type { Reader } from '../src/db/store.ts'

/** Wraps a reader; the plan of each query is added to `plans` as one text. */
export function planRecorder(reader: Reader, plans: string[]): Reader {
  const { dialect } = reader
  const explains = dialect === 'sqlite' ? 'explain query plan' : 'explain (costs off)'
  async function all<R>(query: AnyQuery<R>, values?: unknown): Promise<R[]> {
    const statement = query.statement(dialect)
    // The rows are those of the plan, so the query has a type of its own. Under its name, a connection runs the query itself.
    const { name: _name, ...unnamed } = statement
    const explained = {
      ...unnamed,
      sql: `${explains} ${statement.sql}`,
      effect: { kind: 'reads', rows: null, within: null },
    }
    const rows = await reader.all({ statement: () => explained } as unknown as AnyQuery<object>, values as never)
    plans.push(rows.map((row) => Object.values(row).at(-1)).join('\n'))
    return await reader.all(query, values as never)
  }
  return { dialect, all, first: async <R>(query: AnyQuery<R>, values?: unknown) => (await all(query, values))[0] }
}

/** What reached the address of a flow and started a run: a request, a submission or a mail. It is kept as long as its run. */
import { sql } from 'kysely'
import { query } from '../../../db/query.ts'
import type { AutomationHookRequestRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { parseStored } from '../../../lib/strict-json.ts'

interface ArrivalKind {
  readonly table: 'automation_hook_requests' | 'automation_submissions' | 'automation_mails'
  /** The column of the key under which the sender repeats it. */
  readonly key: string
  /** The column of its content as JSON. */
  readonly content: string
}

type Flow = { readonly realm: number; readonly id: string }
type ArrivalRow = Pick<AutomationHookRequestRow, 'realm' | 'run' | 'flow' | 'created'> &
  Readonly<Record<string, unknown>>

/** The arrivals of one kind. */
export class Arrivals<Content> {
  readonly #content: string
  readonly #queries: ReturnType<typeof queriesOf>

  constructor(kind: ArrivalKind) {
    this.#content = kind.content
    this.#queries = queriesOf(kind)
  }

  /** The run that an arrival with this key started, if it is still kept. */
  async findRun(
    reader: Reader,
    flow: Flow,
    key: string,
  ): Promise<{ readonly run: string; readonly status: string } | undefined> {
    return await reader.first(this.#queries.findByKey, { realm: flow.realm, flow: flow.id, key })
  }

  /** What started a run; null for runs of other triggers. */
  async ofRun(reader: Reader, realm: number, run: string): Promise<Content | null> {
    const row = await reader.first(this.#queries.findByRun, { realm, run })
    return row === undefined ? null : this.#read(row)
  }

  /** The latest that started runs of a flow, newest first, without those of reruns. */
  async latest(
    reader: Reader,
    flow: Flow,
    since: number,
    count: number,
  ): Promise<{ readonly content: Content; readonly at: number }[]> {
    const rows = await reader.all(this.#queries.latestOfFlow, { realm: flow.realm, flow: flow.id, since, count })
    return rows.map((row) => ({ content: this.#read(row), at: row.created }))
  }

  #read(row: ArrivalRow): Content {
    return parseStored(String(row[this.#content]))
  }
}

function queriesOf({ table, key }: ArrivalKind) {
  return {
    findByKey: query<{ run: string; status: string }, { realm: number; flow: string; key: string }>((db, p) =>
      db
        .selectFrom(db.dynamic.table(table).as('arrived'))
        .innerJoin('automation_runs as run', (join) =>
          join.onRef('run.realm', '=', 'arrived.realm').onRef('run.id', '=', 'arrived.run'),
        )
        .select(['run.id as run', 'run.status'])
        .where('arrived.realm', '=', p('realm'))
        .where('arrived.flow', '=', p('flow'))
        .where(sql.ref(`arrived.${key}`), '=', p('key')),
    ),
    findByRun: query<ArrivalRow, { realm: number; run: string }>((db, p) =>
      db.selectFrom(table).selectAll().where('realm', '=', p('realm')).where('run', '=', p('run')),
    ),
    latestOfFlow: query<ArrivalRow, { realm: number; flow: string; since: number; count: number }>((db, p) =>
      db
        .selectFrom(db.dynamic.table(table).as('arrived'))
        .innerJoin('automation_runs as run', (join) =>
          join.onRef('run.realm', '=', 'arrived.realm').onRef('run.id', '=', 'arrived.run'),
        )
        .selectAll('arrived')
        .where('arrived.realm', '=', p('realm'))
        .where('arrived.flow', '=', p('flow'))
        .where('arrived.created', '>=', p('since'))
        .where('run.rerun_of', 'is', null)
        .orderBy('arrived.run', 'desc')
        .limit(p('count')),
    ),
  }
}

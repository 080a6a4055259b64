/** The addresses of flows for incoming webhooks, and the requests that started runs (contract/16#incoming-webhooks). */
import { query } from '../../../db/query.ts'
import type { AutomationHookRequestRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { randomBase62 } from '../../../lib/base62.ts'
import { parseStored } from '../../../lib/strict-json.ts'
import { FlowAddresses } from './addresses.ts'

/** A request as expressions see it. */
export interface HookRequest {
  /** The key by which the sender identifies the request; null without one. */
  readonly id: string | null
  readonly body: unknown
  /** The headers that the trigger names, in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Several values of a name are a list. */
  readonly query: Readonly<Record<string, string | readonly string[]>>
}

/** 256 random bits. */
export const newUrlSecret = () => randomBase62(43)

export const hookAddresses = new FlowAddresses({ table: 'automation_hooks', prefix: 'hook', newSecret: newUrlSecret })

const findByKey = query<{ run: string; status: string }, { realm: number; flow: string; key: string }>((db, p) =>
  db
    .selectFrom('automation_hook_requests as request')
    .innerJoin('automation_runs as run', (join) =>
      join.onRef('run.realm', '=', 'request.realm').onRef('run.id', '=', 'request.run'),
    )
    .select(['run.id as run', 'run.status'])
    .where('request.realm', '=', p('realm'))
    .where('request.flow', '=', p('flow'))
    .where('request.request_key', '=', p('key')),
)

/** The run that a request with this key started, if it is still kept. */
export async function findRunOfKey(
  reader: Reader,
  flow: { readonly realm: number; readonly id: string },
  key: string,
): Promise<{ readonly run: string; readonly status: string } | undefined> {
  return await reader.first(findByKey, { realm: flow.realm, flow: flow.id, key })
}

const findByRun = query<AutomationHookRequestRow, { realm: number; run: string }>((db, p) =>
  db.selectFrom('automation_hook_requests').selectAll().where('realm', '=', p('realm')).where('run', '=', p('run')),
)

/** The request that started a run; null for runs of other triggers. */
export async function requestOfRun(reader: Reader, realm: number, run: string): Promise<HookRequest | null> {
  const row = await reader.first(findByRun, { realm, run })
  return row === undefined ? null : readRequest(row)
}

const latestOfFlow = query<AutomationHookRequestRow, { realm: number; flow: string; since: number; count: number }>(
  (db, p) =>
    db
      .selectFrom('automation_hook_requests as received')
      .innerJoin('automation_runs as run', (join) =>
        join.onRef('run.realm', '=', 'received.realm').onRef('run.id', '=', 'received.run'),
      )
      .selectAll('received')
      .where('received.realm', '=', p('realm'))
      .where('received.flow', '=', p('flow'))
      .where('received.created', '>=', p('since'))
      .where('run.rerun_of', 'is', null)
      .orderBy('received.run', 'desc')
      .limit(p('count')),
)

/** The latest requests that started runs of a flow, newest first, without those of reruns. */
export async function latestRequests(
  reader: Reader,
  flow: { readonly realm: number; readonly id: string },
  since: number,
  count: number,
): Promise<{ readonly request: HookRequest; readonly at: number }[]> {
  const rows = await reader.all(latestOfFlow, { realm: flow.realm, flow: flow.id, since, count })
  return rows.map((row) => ({ request: readRequest(row), at: row.created }))
}

function readRequest({ request }: AutomationHookRequestRow): HookRequest {
  return parseStored(request)
}

/**
 * The addresses of flows for incoming webhooks, and the requests that started runs (contract/16#incoming-webhooks). An address
 * ends in a secret: the database finds it by its digest, and holds it sealed for those who manage the flow.
 */
import { hash } from 'node:crypto'
import { type Placeholder, query } from '../../../db/query.ts'
import type { AutomationHookRequestRow, AutomationHookRow } from '../../../db/schema.ts'
import { automationHookContext } from '../../../db/secret-key/sealed-values.ts'
import type { Reader, Tx } from '../../../db/store.ts'
import { randomBase62 } from '../../../lib/base62.ts'
import { newId } from '../../../lib/ids.ts'
import type { Sealer } from '../../../lib/seal.ts'
import { parseJson } from '../../../lib/strict-json.ts'

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

/** The secret in an address: 256 random bits. */
const secret_chars = 43

const findByDigest = query<AutomationHookRow, { digest: string }>((db, p) =>
  db.selectFrom('automation_hooks').selectAll().where('digest', '=', p('digest')),
)

const findByFlow = query<AutomationHookRow, { realm: number; flow: string }>((db, p) =>
  db.selectFrom('automation_hooks').selectAll().where('realm', '=', p('realm')).where('flow', '=', p('flow')),
)

const replaceSecret = query(
  (db, p: Placeholder<{ secret: string; digest: string; now: number; realm: number; flow: string }>) =>
    db
      .updateTable('automation_hooks')
      .set({ secret: p('secret'), digest: p('digest'), updated: p('now') })
      .where('realm', '=', p('realm'))
      .where('flow', '=', p('flow')),
)

/** The hook with this secret. Secrets are compared by their digests, so the time reveals nothing about them. */
export async function findHook(reader: Reader, secret: string): Promise<AutomationHookRow | undefined> {
  return await reader.first(findByDigest, { digest: digestOf(secret) })
}

export async function findHookOfFlow(
  reader: Reader,
  { realm, id }: { readonly realm: number; readonly id: string },
): Promise<AutomationHookRow | undefined> {
  return await reader.first(findByFlow, { realm, flow: id })
}

export function secretOfHook(sealer: Sealer, { realm, flow, secret }: AutomationHookRow): string {
  return sealer.open(secret, automationHookContext(realm, flow))
}

/** A flow that gets an address. */
export interface AddressedFlow {
  readonly realm: number
  readonly id: string
  readonly organization: string
  readonly mode_of_data: string
}

/** Gives a flow an address, unless it has one. */
export async function openHook(tx: Tx, sealer: Sealer, flow: AddressedFlow, now: number): Promise<void> {
  if ((await findHookOfFlow(tx, flow)) !== undefined) return
  const { realm, id, organization, mode_of_data: mode } = flow
  const made = newAddress(sealer, automationHookContext(realm, id))
  tx.insert('automation_hooks', {
    ...{ realm, flow: id, id: newId('hook', now), organization, mode, created: now, updated: now },
    ...made,
  })
}

/** Replaces the secret of an address; the former address stops working with the commit. */
export function replaceHook(tx: Tx, sealer: Sealer, hook: AutomationHookRow, now: number): AutomationHookRow {
  const { realm, flow } = hook
  const made = newAddress(sealer, automationHookContext(realm, flow))
  tx.write(replaceSecret, { ...made, now, realm, flow })
  return { ...hook, ...made, updated: now }
}

/** A new secret of an address: sealed for this context, and the digest by which it is found. */
export function newAddress(sealer: Sealer, context: string): { secret: string; digest: string } {
  const secret = randomBase62(secret_chars)
  return { secret: sealer.seal(secret, context), digest: digestOf(secret) }
}

export function digestOf(secret: string): string {
  return hash('sha256', secret, 'hex')
}

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
      .selectFrom('automation_hook_requests')
      .selectAll()
      .where('realm', '=', p('realm'))
      .where('flow', '=', p('flow'))
      .where('created', '>=', p('since'))
      .orderBy('run', 'desc')
      .limit(p('count')),
)

/** The latest requests that started runs of a flow, newest first. */
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
  return parseJson(request) as unknown as HookRequest
}

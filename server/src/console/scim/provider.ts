/** The identity provider of a request, by its token, and the bound on its requests. */
import type { Request } from '../../api/declare/request.ts'
import type { Services } from '../../api/services.ts'
import type { RealmMode } from '../../api/write/record.ts'
import type { ScimTokenRow } from '../../db/schema.ts'
import { BoundedMap } from '../../lib/bounded-map.ts'
import { requireRealms } from '../../resources/organizations/shared/queries.ts'
import { console_limits } from '../limits.ts'
import { ScimError } from './errors.ts'
import { findScimToken, touchScimToken } from './queries.ts'
import { isScimSecret } from './secret.ts'

export interface Provider {
  readonly token: string
  readonly organization: string
  readonly realms: readonly RealmMode[]
}

/** Requests of a token in this process since its minute began. */
interface Usage {
  since: number
  requests: number
}
const used = new BoundedMap<string, Usage>(console_limits.scim_tokens_counted_max)

/** Refuses with 401 a token that is unknown or revoked, with the same answer, and with 429 one over its rate. */
export async function requireProvider(services: Services, request: Request): Promise<Provider> {
  const secret = /^bearer +(\S+) *$/i.exec(String(request.headers.authorization ?? ''))?.[1] ?? ''
  const now = request.receivedAt
  const digest = services.sealer.digest(secret)
  const row = isScimSecret(secret) ? await services.store.reader('system').first(findScimToken, { digest }) : undefined
  if (row === undefined)
    throw new ScimError(401, 'The token is unknown or was revoked. Send `Authorization: Bearer` with a token for SCIM.')
  countRequest(row.id, now)
  await touch(services, row, now)
  return {
    token: row.id,
    organization: row.organization,
    realms: await requireRealms(services.store, row.organization),
  }
}

function countRequest(token: string, now: number): void {
  const usage = used.get(token)
  if (usage === undefined || now < usage.since || now - usage.since >= console_limits.scim_window_ms) {
    used.set(token, { since: now, requests: 1 })
    return
  }
  usage.requests++
  if (usage.requests <= console_limits.scim_requests_max) return
  const seconds = Math.ceil((usage.since + console_limits.scim_window_ms - now) / 1000)
  throw new ScimError(429, `More than ${console_limits.scim_requests_max} requests in a minute.`, null, seconds)
}

/** Writes the last use at intervals only. */
async function touch(services: Services, { id, last_used_at }: ScimTokenRow, now: number): Promise<void> {
  if (last_used_at !== null && now - last_used_at < console_limits.session_use_ms) return
  await services.store.write('system', async (tx) => tx.write(touchScimToken, { id, now }))
}

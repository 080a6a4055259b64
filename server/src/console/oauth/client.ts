/**
 * Clients and how they identify themselves. A confidential client sends its secret (RFC 6749 §2.3.1). A request with a secret
 * gets the same error for an unknown client, a wrong secret and a public client. A request without one learns about a client
 * only what its code or token already says.
 */
import type { Request } from '../../api/declare/request.ts'
import type { Services } from '../../api/services.ts'
import type { OauthClientRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { sameBytes } from '../../lib/seal.ts'
import { OauthError } from './errors.ts'
import { type Form, requireParameter } from './form.ts'
import { findClient } from './queries.ts'

/** Who a client says it is, and the client if it has proved it by a secret. */
export interface Claim {
  readonly id: string
  readonly proved: OauthClientRow | null
}

interface Sent {
  readonly id: string
  readonly secret: string | null
}

const client_failed = 'The client is unknown, or its secret is wrong.'

/** Reads the client of a request. Refuses one whose secret does not match with `invalid_client`. */
export async function identifyClient({ store, sealer }: Services, request: Request, form: Form): Promise<Claim> {
  const { id, secret } = readSent(request, form)
  if (secret === null) return { id, proved: null }
  const client = await store.reader('system').first(findClient, { id })
  // An unknown client takes the same comparison.
  const isRight = sameBytes(sealer.digest(secret), client?.digest ?? sealer.digest(''))
  if (client === undefined || client.digest === null || !isRight) throw new OauthError('invalid_client', client_failed)
  return { id, proved: client }
}

/** The client to which a code or token belongs, if the claim is about it and proves as much as the client can. */
export async function requireClient(reader: Reader, claim: Claim, id: string): Promise<OauthClientRow> {
  if (claim.id !== id) throw new OauthError('invalid_grant', grant_failed)
  const client = claim.proved ?? (await reader.first(findClient, { id }))
  if (client === undefined) throw new OauthError('invalid_grant', grant_failed)
  if (client.kind === 'confidential' && claim.proved === null) throw new OauthError('invalid_client', client_failed)
  return client
}

export const grant_failed =
  'The code or refresh token is unknown, expired, used or revoked, or was issued to another client.'

function readSent(request: Request, form: Form): Sent {
  const header = String(request.headers.authorization ?? '')
  const id = form.get('client_id')
  const secret = form.get('client_secret')
  if (header === '') return { id: id ?? requireParameter(form, 'client_id'), secret: secret ?? null }
  const basic = readBasic(header)
  if (basic === null)
    throw new OauthError('invalid_client', 'The Authorization header must be Basic with the client_id and the secret.')
  if (secret !== undefined)
    throw new OauthError('invalid_request', 'The secret is in the Authorization header and in the body. Send it once.')
  if (id !== undefined && id !== basic.id)
    throw new OauthError('invalid_request', 'The client_id in the body differs from that in the Authorization header.')
  return basic
}

/** Both parts are form-encoded before they are joined (RFC 6749 §2.3.1). */
function readBasic(header: string): Sent | null {
  if (header.slice(0, 6).toLowerCase() !== 'basic ') return null
  const text = Buffer.from(header.slice(6).trim(), 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 1) return null
  try {
    const [id = '', secret = ''] = [text.slice(0, colon), text.slice(colon + 1)].map((part) =>
      decodeURIComponent(part.replaceAll('+', ' ')),
    )
    return { id, secret }
  } catch {
    return null
  }
}

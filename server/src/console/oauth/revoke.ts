/**
 * `POST /oauth/revoke` (RFC 7009): a client ends what it got. Both of its tokens and the grant end. A token that is unknown, or
 * another client's, gets the same answer and nothing happens.
 */
import type { Request } from '../../api/declare/request.ts'
import type { Services } from '../../api/services.ts'
import type { OauthGrantRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import type { Sealer } from '../../lib/seal.ts'
import { identifyClient, requireClient } from './client.ts'
import { readFormBody, requireParameter } from './form.ts'
import { findGrant, findTokenOfGrant } from './queries.ts'
import { grantOfRefreshToken } from './secrets.ts'
import { revokeGrant } from './token.ts'

export async function answerRevocation(context: {
  readonly services: Services
  readonly request: Request
}): Promise<void> {
  const { services, request } = context
  const form = await readFormBody(request)
  const token = requireParameter(form, 'token')
  const claim = await identifyClient(services, request, form)
  const reader = services.store.reader('system')
  const grant = await findGrantOfToken(reader, services.sealer, token)
  if (grant === undefined || grant.client !== claim.id) return
  await requireClient(reader, claim, grant.client)
  await revokeGrant(context, grant)
}

async function findGrantOfToken(reader: Reader, sealer: Sealer, token: string): Promise<OauthGrantRow | undefined> {
  const id =
    grantOfRefreshToken(sealer, token) ??
    (await reader.first(findTokenOfGrant, { digest: sealer.digest(token) }))?.oauth_grant ??
    null
  return id === null ? undefined : await reader.first(findGrant, { id })
}

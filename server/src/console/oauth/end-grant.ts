import type { Mode } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import type { OauthGrantRow } from '../../db/schema.ts'
import { commitAsUser, type RequestContext } from '../author.ts'
import { type ActiveSession, realmOfSession } from '../sessions/session.ts'
import { endGrant } from './grants.ts'
import { findGrant } from './queries.ts'

/** Ends a grant of the session's organization: its tokens and open streams end at once. Refused with 404 if it has ended meanwhile. */
export async function endGrantAs(
  context: RequestContext & { readonly session: ActiveSession },
  { id, mode, credential }: OauthGrantRow,
) {
  const { services, session } = context
  const change = { action: 'oauth_grants.delete', realms: [realmOfSession(session, mode as Mode)] }
  await commitAsUser(context, change, async ({ tx, now, note }) => {
    const grant = await tx.first(findGrant, { id })
    if (grant === undefined) {
      throw refuse('resource_not_found', {
        param: 'id',
        message: `The access with the id "${id}" has ended meanwhile.`,
      })
    }
    await endGrant(tx, grant, now)
    note({ target: { object: 'oauth_grant', id } })
  })
  services.credentials.forget()
  services.streams.endOf(credential)
  return { id, object: 'oauth_grant', deleted: true } as const
}

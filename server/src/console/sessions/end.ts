/** Ends sessions of one account in any of its organizations; each organization's audit log records its own. */
import { commitSystemChange } from '../../api/write/system-change.ts'
import { requireRealms } from '../../resources/organizations/shared/queries.ts'
import { authorOf, type RequestContext } from '../author.ts'
import { endSession, evictSessions } from './lifecycle.ts'

interface EndedSession {
  readonly id: string
  readonly organization: string
  readonly user: string
}

export async function endSessions(context: RequestContext, sessions: readonly EndedSession[]): Promise<void> {
  const { services } = context
  for (const { id, organization, user } of sessions) {
    const realms = await requireRealms(services.store, organization)
    const change = { organization, realms, action: 'sessions.delete', ...authorOf(context, user) }
    await commitSystemChange(services, change, async ({ tx, now, note }) => {
      endSession(tx, id, now)
      note({ target: { object: 'session', id } })
    })
  }
  evictSessions(
    services,
    sessions.map(({ id }) => id),
  )
}

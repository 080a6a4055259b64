/** Ending sessions of one's own account, wherever they are: each organization's audit log tells of its own. */
import type { Request } from '../../api/request.ts'
import type { Services } from '../../api/services.ts'
import { commitSystemChange } from '../../api/system-change.ts'
import { requireRealms } from '../../resources/organizations/queries.ts'
import { authorOf } from '../author.ts'
import { endSession, forgetSessions } from './begin.ts'

interface Asked {
  readonly services: Services
  readonly request: Request
}

interface Ending {
  readonly id: string
  readonly organization: string
  readonly user: string
}

export async function endSessionsOf(asked: Asked, sessions: readonly Ending[]): Promise<void> {
  const { services } = asked
  for (const { id, organization, user } of sessions) {
    const realms = await requireRealms(services.store, organization)
    const about = { organization, realms, action: 'sessions.delete', ...authorOf(asked, user) }
    await commitSystemChange(services, about, async ({ tx, now, note }) => {
      endSession(tx, id, now)
      note({ target: { object: 'session', id } })
    })
  }
  forgetSessions(
    services,
    sessions.map(({ id }) => id),
  )
}

/** A change by a person: one transaction with its events and its audit entry, in the person's name. */
import { readUserAgent } from '../api/log-request.ts'
import type { Request } from '../api/request.ts'
import type { Services } from '../api/services.ts'
import { type Author, commitSystemChange, type SystemChange } from '../api/system-change.ts'
import { addressOf } from './origins.ts'
import type { OpenSession } from './sessions/session.ts'

interface Asked {
  readonly services: Services
  readonly request: Request
}

/** The person of a session, and where the request came from: what the functions that commands use take as well. */
export function authorOf({ services, request }: Asked, user: string): Author {
  const ip = addressOf(request, services.settings.publicUrl)
  return { actor: { type: 'user', id: user }, source: { ip, user_agent: readUserAgent(request) } }
}

/** Commits a change of the session's organization; both realms tell of it unless `realms` names one. */
export async function commitBy<T>(
  context: Asked & { readonly session: OpenSession },
  about: Pick<SystemChange, 'action' | 'everywhere'> & Partial<Pick<SystemChange, 'realms'>>,
  handle: Parameters<typeof commitSystemChange<T>>[2],
): Promise<T> {
  const { organization, realms, user } = context.session
  const change = { organization, realms, ...about, ...authorOf(context, user) }
  return await commitSystemChange(context.services, change, handle)
}

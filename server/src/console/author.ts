/** Changes made by the signed-in user: one transaction with its events and its audit entry. */

import type { Request } from '../api/declare/request.ts'
import { readUserAgent } from '../api/request-log/log-request.ts'
import type { Services } from '../api/services.ts'
import { type Author, commitSystemChange, type SystemChange } from '../api/write/system-change.ts'
import { addressOf } from './origins.ts'
import type { ActiveSession } from './sessions/session.ts'

export interface RequestContext {
  readonly services: Services
  readonly request: Request
}

/** The user and the source of the request, as the write functions shared with the command line take them. */
export function authorOf({ services, request }: RequestContext, user: string): Author {
  const ip = addressOf(request, services.settings)
  return { actor: { type: 'user', id: user }, source: { ip, user_agent: readUserAgent(request) } }
}

/** Commits a change in the session's organization. Both realms record its events and audit entry, unless `realms` names one. */
export async function commitAsUser<T>(
  context: RequestContext & { readonly session: ActiveSession },
  change: Pick<SystemChange, 'action' | 'everywhere'> & Partial<Pick<SystemChange, 'realms'>>,
  handle: Parameters<typeof commitSystemChange<T>>[2],
): Promise<T> {
  const { organization, realms, user } = context.session
  const full = { organization, realms, ...change, ...authorOf(context, user) }
  return await commitSystemChange(context.services, full, handle)
}

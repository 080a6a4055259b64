/**
 * The session of a guest: what a link is exchanged for. The secret stays in the fragment of the address, so that the page can be
 * opened again; browsers do not send it. The tab keeps the session, so that opening the page again is no new guest.
 */
import { app } from '../../../data/app-api.ts'
import { hasErrorCode } from '../../../data/errors.ts'
import type { AnswerOf } from '../../../data/shapes.ts'

export type BoardGuest = AnswerOf<'POST board-guests'>

const storage_key = 'board guest'

interface Kept {
  readonly secret: string
  readonly session: BoardGuest
}

export async function beginSession(secret: string, name: string): Promise<BoardGuest> {
  const session = await app('POST board-guests', { body: { secret, name } })
  sessionStorage.setItem(storage_key, JSON.stringify({ secret, session } satisfies Kept))
  return session
}

/** The session that this tab has begun by the link; null without one. */
export function keptSession(secret: string): BoardGuest | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(storage_key) ?? 'null') as Kept | null
    return kept?.secret === secret ? kept.session : null
  } catch {
    return null
  }
}

export function forgetSession(): void {
  sessionStorage.removeItem(storage_key)
}

/** Whether a link opens nothing: wrong, ended or revoked. */
export function isEnded(error: unknown): boolean {
  return hasErrorCode(error, 'link_invalid')
}

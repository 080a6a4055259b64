import { app } from '../data/app-api.ts'
import { outboxCleaner } from '../data/outbox.ts'
import { expectSessionEnd } from '../data/session-store.ts'
import { toast } from '../data/toasts.ts'
import { draftCleaner } from './drafts.ts'

/** Ends the session here and, after a sign-in by a provider, there. */
export async function signOut(): Promise<void> {
  try {
    expectSessionEnd(true)
    const clean = [outboxCleaner(), draftCleaner()]
    // The browser may be another person's next.
    await (await import('../data/push.ts')).unsubscribeHere().catch(() => {})
    const { end_session_url } = await app('DELETE session', {})
    for (const each of clean) each()
    // The provider's session would sign the next person in without a question.
    if (end_session_url !== undefined) location.assign(end_session_url)
  } catch (error) {
    expectSessionEnd(false)
    toast({ error })
  }
}

/**
 * Events that only a URL gets and no log has: the verification and the test. They look like all others, but have no
 * sequence and no commit.
 */
import type { Caller } from '../../api/declare/caller.ts'
import { actorOf } from '../../api/write/actor.ts'
import { seconds } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'

interface Cause {
  readonly caller: Caller
  readonly version: string
  readonly requestId: string
  readonly now: number
}

/** `endpoint` is null before it is created. */
export function unloggedEvent(
  { caller, version, requestId, now }: Cause,
  type: `platform.webhook_endpoint.${'verify' | 'test'}`,
  { id, url }: { readonly id: string | null; readonly url: string },
) {
  return {
    id: newId('evt', now),
    object: 'event',
    type,
    created: seconds(now),
    sequence: null,
    api_version: version,
    livemode: caller.mode === 'live',
    organization: caller.organization,
    workspace: null,
    actor: actorOf(caller),
    request: { id: requestId, idempotency_key: null },
    commit: null,
    data: { object: { id, object: 'webhook_endpoint', url }, previous_attributes: null },
  }
}

/** Finds the caller's own changes that a request for undo names. */
import type { Caller } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import { limits } from '../../api/limits.ts'
import { actorOf } from '../../api/write/actor.ts'
import type { EventRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { idTime, smallestId } from '../../lib/ids.ts'
import type { LoggedChange } from './plan.ts'
import { eventsOfCommit, firstEventOf } from './queries.ts'

interface Undoing {
  readonly tx: Reader
  readonly caller: Caller
  readonly now: number
}

/**
 * The events of the requests, newest first. Refuses with 400 a request that changed nothing, is older than
 * `limits.undo_age_ms`, belongs to another credential or person, or is unknown; all with the same message.
 */
export async function findOwnChanges(undoing: Undoing, requests: readonly string[]): Promise<EventRow[]> {
  const found: EventRow[] = []
  for (const [i, id] of requests.entries()) {
    const param = `requests[${i}]`
    if (requests.indexOf(id) < i) {
      throw refuse('invalid_request_body', { param, message: `${param} "${id}" repeats a request. Send each once.` })
    }
    found.push(...(await eventsOfRequest(undoing, id, param)))
    if (found.length > limits.undo_events_max) {
      const message = `The requests changed more than ${limits.undo_events_max} objects. Undo fewer of them together.`
      throw refuse('resource_conflict', { param, message })
    }
  }
  return found.toSorted((a, b) => b.sequence - a.sequence)
}

async function eventsOfRequest({ tx, caller, now }: Undoing, request: string, param: string): Promise<EventRow[]> {
  const { realm } = caller
  const at = timeOf(request)
  const isRecent = at !== null && at > now - limits.undo_age_ms
  const window = isRecent && {
    first: smallestId('evt', at),
    end: smallestId('evt', at + limits.undo_commit_ms),
  }
  const first = window ? await tx.first(firstEventOf, { realm, ...window, request }) : undefined
  const actor = actorOf(caller)
  if (first === undefined || first.actor_type !== actor.type || first.actor_id !== actor.id) {
    const message = `${param} "${request}" names no change that this credential made within the last day.`
    throw refuse('invalid_request_body', { param, message })
  }
  const start = first.sequence - first.commit_index
  return await tx.all(eventsOfCommit, { realm, first: start, end: start + first.commit_size })
}

/** When a request was received, in milliseconds; null if the id does not name a request. */
function timeOf(request: string): number | null {
  if (!request.startsWith('req_')) return null
  try {
    return idTime(request)
  } catch {
    return null
  }
}

export function loggedChange(row: EventRow): LoggedChange {
  const { object, previous_attributes } = JSON.parse(row.data)
  const verb = row.type.slice(row.type.lastIndexOf('.') + 1)
  return {
    id: row.object_id,
    verb: verb === 'created' || verb === 'deleted' ? verb : 'changed',
    after: object,
    previous: previous_attributes ?? {},
  }
}

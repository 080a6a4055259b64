/**
 * What a live event changes in what was read: the object itself at once, lists of its kind a moment later and together, so
 * that a batch of a hundred tasks reads a list once. While a write of a kind is under way its lists wait for it.
 */
import type { AtriumEvent } from '@atrium/sdk'
import { absorb, apply, isApiObject, remove } from './cache.ts'
import { keys } from './keys.ts'
import { queryClient } from './query-client.ts'
import type { EndpointName, Mode } from './shapes.ts'

const gathered_ms = 250
/** Lists of one kind are read again at most this often. */
const again_ms = 1500

/** Lists that every event is told in. */
const logs = ['event', 'audit_entry']

/** What the session API tells of a kind of objects. */
const endpoints_of: Readonly<Record<string, readonly EndpointName[]>> = { member: ['GET people', 'GET directory'] }

const waiting = new Map<string, ReturnType<typeof setTimeout>>()
const read_at = new Map<string, number>()
const writing = new Map<string, number>()

export function takeEvent(mode: Mode, event: AtriumEvent): void {
  const object: unknown = event.data.object
  if (!isApiObject(object)) return
  if (event.type.endsWith('.deleted') && object.object !== 'board') {
    apply(queryClient, mode, [remove(object.object, object.id)])
    void queryClient.invalidateQueries({ queryKey: keys.one(mode, object.object, object.id) })
  } else {
    absorb(queryClient, mode, object)
  }
  for (const noun of [object.object, ...logs]) refreshLists(mode, noun)
}

function refreshLists(mode: Mode, noun: string): void {
  const name = `${mode} ${noun}`
  if (waiting.has(name) || (writing.get(name) ?? 0) > 0) return
  const wait = Math.max(gathered_ms, again_ms - (Date.now() - (read_at.get(name) ?? 0)))
  const timer = setTimeout(() => {
    waiting.delete(name)
    if ((writing.get(name) ?? 0) > 0) return
    read_at.set(name, Date.now())
    void queryClient.invalidateQueries({ queryKey: keys.lists(mode, noun) })
    for (const name of endpoints_of[noun] ?? []) void queryClient.invalidateQueries({ queryKey: keys.appAll(name) })
  }, wait)
  waiting.set(name, timer)
}

export function beginWrite(mode: Mode, noun: string): void {
  const name = `${mode} ${noun}`
  writing.set(name, (writing.get(name) ?? 0) + 1)
}

export function endWrite(mode: Mode, noun: string): void {
  const name = `${mode} ${noun}`
  const left = (writing.get(name) ?? 1) - 1
  if (left > 0) writing.set(name, left)
  else writing.delete(name)
}

/** What was missed is not known: everything is read again. */
export function refreshAll(mode: Mode): void {
  void queryClient.invalidateQueries({ queryKey: [mode] })
}

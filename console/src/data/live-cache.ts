/**
 * Applies live events to the cache: the object at once, the lists of its type after a short delay, so that a batch of
 * hundreds of events reads each list once. While a write of a type is in progress, its lists are not read.
 */
import type { AtriumEvent } from '@atrium/sdk'
import { applyChanges, isApiObject, mergeObject, remove } from './cache.ts'
import { keys } from './keys.ts'
import { queryClient } from './query-client.ts'
import type { EndpointName, Mode } from './shapes.ts'

const debounce_ms = 250
/** The minimum time between two reads of the lists of one type. */
const interval_ms = 1500

/** Lists that every event changes. */
const logs = ['event', 'audit_entry']

/** Endpoints of `/app/api` that show objects of a type. */
const endpoints_of: Readonly<Record<string, readonly EndpointName[]>> = {
  member: ['GET people', 'GET directory'],
  team: ['GET teams', 'GET directory'],
  team_member: ['GET teams', 'GET directory'],
}

const timers = new Map<string, ReturnType<typeof setTimeout>>()
const read_at = new Map<string, number>()
const writes = new Map<string, number>()

export function applyEvent(mode: Mode, event: AtriumEvent): void {
  const object: unknown = event.data.object
  if (!isApiObject(object)) return
  if (event.type.endsWith('.deleted') && object.object !== 'board') {
    applyChanges(queryClient, mode, [remove(object.object, object.id)])
    void queryClient.invalidateQueries({ queryKey: keys.one(mode, object.object, object.id) })
  } else if (isHidden(object)) {
    void queryClient.invalidateQueries({ queryKey: keys.one(mode, object.object, object.id) })
  } else {
    mergeObject(queryClient, mode, object)
  }
  for (const noun of [object.object, ...logs]) refreshLists(mode, noun)
}

/** The session may not read the object without a confirmation, so its event says only which one it is. */
function isHidden(object: object): boolean {
  return Object.keys(object).length === 2
}

function refreshLists(mode: Mode, noun: string): void {
  const name = `${mode} ${noun}`
  if (timers.has(name) || (writes.get(name) ?? 0) > 0) return
  const wait = Math.max(debounce_ms, interval_ms - (Date.now() - (read_at.get(name) ?? 0)))
  const timer = setTimeout(() => {
    timers.delete(name)
    if ((writes.get(name) ?? 0) > 0) return
    read_at.set(name, Date.now())
    void queryClient.invalidateQueries({ queryKey: keys.lists(mode, noun) })
    for (const name of endpoints_of[noun] ?? []) void queryClient.invalidateQueries({ queryKey: keys.appAll(name) })
  }, wait)
  timers.set(name, timer)
}

export function beginWrite(mode: Mode, noun: string): void {
  const name = `${mode} ${noun}`
  writes.set(name, (writes.get(name) ?? 0) + 1)
}

export function endWrite(mode: Mode, noun: string): void {
  const name = `${mode} ${noun}`
  const left = (writes.get(name) ?? 1) - 1
  if (left > 0) writes.set(name, left)
  else writes.delete(name)
}

/** Whether a write is under way, whose objects a read would show as they were before. */
export function isWriting(mode: Mode): boolean {
  return [...writes.keys()].some((name) => name.startsWith(`${mode} `))
}

/** Reads everything again after events were missed. */
export function refreshAll(mode: Mode): void {
  void queryClient.invalidateQueries({ queryKey: [mode] })
}

/**
 * Writes while the server cannot be reached. They wait in the order in which they were made, also over a reload of the page,
 * and are sent once each when the connection is back: a repetition carries the idempotency key of the first attempt. A change
 * of fields that another person has changed meanwhile, that the server refuses, whose key is no longer known to the server, or
 * that alone gets no answer while others do, waits for a decision.
 */
import { Atrium } from '@atrium/sdk'
import { t } from '../language/index.ts'
import { createStore, useStore } from '../lib/store.ts'
import { connectionLost, isLost, isNetworkFailure, onBack, onLost } from './connection.ts'
import { UserCanceled } from './errors.ts'
import { queryClient } from './query-client.ts'
import { currentSession, onSessionChange, sessionOwner } from './session-store.ts'
import type { Mode } from './shapes.ts'
import { fetchWithToken } from './tokens.ts'

const attempt_ms_max = 30_000
/** The SDK's own timeout, which a waiting write must not reach. */
const waiting_ms_max = 2_000_000_000
const retry_after_s_max = 60
const entries_max = 500
/** Of one write while the server can be reached. The first repetition is made at once; then comes a pause that doubles. */
const attempts_max = 5
const attempt_pause_s = 1
/** The server knows an idempotency key for 24 hours; the rest allows for clocks that differ. */
const key_life_ms = 82_800_000
const stored_name = 'atrium-outbox'

type Fields = Readonly<Record<string, unknown>>

/** What a write changes: its object's fields before the change, as they were shown. */
interface Base {
  readonly id: string
  readonly fields: Fields
}

export interface About {
  readonly base: Base | null
  /** The object's key or name, for the list of waiting writes. */
  readonly subject: string | null
}

/** A request that waits, with all that is needed to send it from another page. */
export interface Entry extends About {
  /** The idempotency key. */
  readonly key: string
  /** The account and organization whose session may send it. */
  readonly owner: string
  readonly mode: Mode
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** Milliseconds since the epoch. */
  readonly made: number
  /** The session of the attempt that was not answered, which may know the key; null before the first attempt. */
  readonly tried: string | null
  readonly conflict: Conflict | null
}

type Conflict =
  | { readonly kind: 'changed'; readonly theirs: Fields }
  | { readonly kind: 'refused'; readonly message: string }
  /** An attempt was not answered, and the server would no longer recognize its repetition. */
  | { readonly kind: 'unknown' }
  /** Several attempts were not answered, although the server could be reached. */
  | { readonly kind: 'unanswered' }

interface Waiting {
  entry: Entry
  /** Attempts without an answer while the server could be reached. */
  failed: number
  readonly resolve: (response: Response) => void
  readonly reject: (error: unknown) => void
}

const waiting: Waiting[] = []
const attempts = new Set<AbortController>()
let isFlushing = false

/** The entries of this session, as the page shows them: first those that wait for a decision. */
const shown = createStore<readonly Entry[]>([])

export function useOutbox(): readonly Entry[] {
  return useStore(shown)
}

/** The objects that entries of this session create at a path, alone or in a batch, in the order in which they were made. */
export function useKeptObjects(path: string): readonly Fields[] {
  return useOutbox()
    .filter((entry) => entry.method === 'POST' && [path, `${path}/batch`].includes(entry.path))
    .toSorted((a, b) => a.made - b.made)
    .flatMap(({ body }) => {
      const fields = JSON.parse(body ?? '{}') as Fields
      return Array.isArray(fields.data) ? (fields.data as Fields[]) : [fields]
    })
}

/** A client whose writes wait while the server cannot be reached. `onWaiting` is called when one begins to wait. */
export function writerOf(
  mode: Mode,
  about: About,
  onWaiting: () => void,
  onAnswer: (path: string, response: Response) => void = () => {},
): Atrium {
  return new Atrium({
    apiKey: null,
    baseUrl: location.origin,
    maxRetries: 2,
    maxRetryAfter: 10,
    timeout: waiting_ms_max,
    fetch: (url, init) =>
      init?.method === 'GET'
        ? fetchWithToken(String(url), init, mode, false)
        : send(entryOf(mode, about, String(url), init), init?.signal ?? undefined, onWaiting).then((response) => {
            onAnswer(new URL(url as string).pathname, response)
            return response
          }),
  })
}

function entryOf(mode: Mode, about: About, url: string, init: RequestInit | undefined): Entry {
  const headers = Object.fromEntries(new Headers(init?.headers))
  const { pathname, search } = new URL(url)
  return {
    ...about,
    key: headers['idempotency-key'] ?? '',
    owner: sessionOwner(),
    mode,
    method: init?.method ?? 'GET',
    path: pathname + search,
    headers,
    body: init?.body as string | undefined,
    made: Date.now(),
    tried: null,
    conflict: null,
  }
}

/** The server knows idempotency keys by session. */
function sessionNow(): string {
  const current = currentSession()
  return current?.signed_in ? current.session.id : ''
}

async function send(entry: Entry, signal: AbortSignal | undefined, onWaiting: () => void): Promise<Response> {
  const isTried = waiting.length === 0 && !isLost()
  if (isTried) {
    try {
      return await attempt(entry)
    } catch (error) {
      if (signal?.aborted || !isNetworkFailure(error)) throw error
      connectionLost()
    }
  }
  onWaiting()
  const kept = isTried ? { ...entry, tried: sessionNow() } : withoutRevision(entry)
  const failed = isTried ? 1 : 0
  return await new Promise<Response>((resolve, reject) => enqueue({ entry: kept, failed, resolve, reject }))
}

/**
 * A change whose fields are compared needs no revision, which own changes before it raise. One that was tried keeps it: its
 * key stands for the same request only.
 */
function withoutRevision(entry: Entry): Entry {
  if (entry.base === null) return entry
  const { 'if-match': _, ...headers } = entry.headers
  return { ...entry, headers }
}

/** One attempt. Its failure is a network failure also when it was given up because the connection was lost. */
async function attempt({ mode, method, path, headers, body }: Entry): Promise<Response> {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), attempt_ms_max)
  attempts.add(controller)
  try {
    const init = { method, headers, signal: controller.signal, ...(body === undefined ? {} : { body }) }
    const response = await fetchWithToken(path, init, mode, false)
    if ([502, 504].includes(response.status)) throw new TypeError(t('the server is unavailable'))
    return response
  } catch (error) {
    if (controller.signal.aborted) throw new TypeError(t('no answer'), { cause: error })
    throw error
  } finally {
    clearTimeout(timer)
    attempts.delete(controller)
  }
}

function enqueue(added: Waiting): void {
  if (waiting.length >= entries_max) {
    added.reject(new TypeError(t('More than {entries_max} changes are waiting.', { entries_max })))
    return
  }
  const at = waiting.findIndex(({ entry }) => entry.made > added.entry.made)
  waiting.splice(at === -1 ? waiting.length : at, 0, added)
  keep(added.entry)
  if (!isLost()) void flush()
}

/** Sends what waits, one after the other. */
async function flush(): Promise<void> {
  if (isFlushing) return
  isFlushing = true
  try {
    for (let first = waiting[0]; first !== undefined && !isLost(); first = waiting[0]) {
      if (first.failed > 1) await pause(attempt_pause_s * 2 ** (first.failed - 2))
      // It may have been discarded meanwhile, or the connection lost.
      if (first === waiting[0] && !isLost()) await sendFirst(first)
    }
  } finally {
    isFlushing = false
  }
  if (!isLost()) void queryClient.invalidateQueries()
}

async function sendFirst(first: Waiting): Promise<void> {
  const { entry, resolve, reject } = first
  const leave = () => {
    // It may have been discarded meanwhile.
    const at = waiting.findIndex((each) => each.entry.key === entry.key)
    if (at !== -1) waiting.splice(at, 1)
  }
  try {
    const conflict = await conflictOf(entry)
    if (conflict !== null) {
      leave()
      keep({ ...entry, conflict })
      reject(new UserCanceled(t('it waits for a decision')))
      return
    }
    first.entry = { ...entry, tried: sessionNow() }
    keep(first.entry)
    const response = await attempt(entry)
    const pause_s = response.ok ? null : Number(response.headers.get('retry-after') ?? Number.NaN)
    if (pause_s !== null && pause_s > 0) return await pause(Math.min(pause_s, retry_after_s_max))
    leave()
    if (response.ok) {
      forget(entry.key)
      resolve(response)
    } else {
      keep({ ...entry, conflict: { kind: 'refused', message: await messageOf(response) } })
      reject(new UserCanceled(t('the server refused it')))
    }
  } catch (error) {
    if (isNetworkFailure(error)) return failedAgain(first, leave)
    // The session has ended. The entry stays for the next session of this account.
    leave()
    reject(error)
  }
}

/** Others must not wait for a write that alone gets no answer. */
function failedAgain(first: Waiting, leave: () => void): void {
  first.failed++
  if (first.failed === attempts_max) {
    leave()
    keep({ ...first.entry, conflict: { kind: 'unanswered' } })
    first.reject(new UserCanceled(t('it waits for a decision')))
  }
  connectionLost()
}

/** What a person must decide before an entry can be sent, or null. */
async function conflictOf(entry: Entry): Promise<Conflict | null> {
  const { tried, made } = entry
  const isKnown = tried === null || (tried === sessionNow() && Date.now() - made < key_life_ms)
  if (!isKnown) return { kind: 'unknown' }
  const theirs = await changedMeanwhile(entry)
  return theirs === null ? null : { kind: 'changed', theirs }
}

/** Their values of the fields of an entry that another person has changed since it was made, or null. */
async function changedMeanwhile({ base, mode, path, body, method }: Entry): Promise<Fields | null> {
  const at = base === null ? -1 : path.indexOf(base.id)
  if (base === null || method === 'DELETE' || at === -1) return null
  const response = await fetchWithToken(path.slice(0, at + base.id.length), {}, mode, false)
  if (!response.ok) return null // The write's own answer says what is wrong.
  const now = (await response.json()) as Fields
  const mine = JSON.parse(body ?? '{}') as Fields
  const changed = fieldsOf(mine).filter(([name, value]) => {
    const theirs = JSON.stringify(valueAt(now, name))
    return theirs !== JSON.stringify(valueAt(base.fields, name)) && theirs !== JSON.stringify(value)
  })
  const known = changed.filter(([name]) => (name.split('.')[0] as string) in base.fields)
  return known.length === 0 ? null : Object.fromEntries(known.map(([name]) => [name, valueAt(now, name)]))
}

/** The fields of a body; those of `custom_fields` one by one, because a write names only the changed ones. */
function fieldsOf(body: Fields): [string, unknown][] {
  return Object.entries(body).flatMap(([name, value]) =>
    name === 'custom_fields' && typeof value === 'object' && value !== null
      ? Object.entries(value).map(([key, each]): [string, unknown] => [`${name}.${key}`, each])
      : [[name, value]],
  )
}

function valueAt(fields: Fields, name: string): unknown {
  const [first = '', second] = name.split('.')
  const value = fields[first] ?? null
  return second === undefined ? value : ((value as Fields | null)?.[second] ?? null)
}

async function messageOf(response: Response): Promise<string> {
  const body = (await response.json().catch(() => null)) as { error?: { message?: string } } | null
  return body?.error?.message ?? t('The server answered {status}.', { status: response.status })
}

function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}

/** Sends an entry after a decision, over what is there now. */
export function sendAnyway({ conflict, ...entry }: Entry): void {
  if (conflict?.kind === 'unanswered') {
    // It may have been made: the same key makes it one write.
    enqueue({ entry: { ...entry, conflict: null }, ...alone })
    return
  }
  forget(entry.key)
  const key = crypto.randomUUID()
  const { 'if-match': __, ...headers } = entry.headers
  const own = { key, headers: { ...headers, 'idempotency-key': key }, tried: null }
  const again = { ...entry, ...own, made: Date.now(), base: null, conflict: null }
  enqueue({ entry: again, ...alone })
}

/** A write that no form waits for. */
const alone = { failed: 0, resolve: () => {}, reject: () => {} }

/** Drops an entry. What is shown is read again. */
export function discard({ key }: Entry): void {
  const at = waiting.findIndex(({ entry }) => entry.key === key)
  const [dropped] = at === -1 ? [] : waiting.splice(at, 1)
  forget(key)
  dropped?.reject(new UserCanceled('discarded'))
  void queryClient.invalidateQueries()
}

/** Sends what an earlier page of this session left. A second page may send it as well: the key makes it one write. */
export function sendKept(): void {
  for (const entry of stored()) {
    if (entry.owner !== sessionOwner() || entry.conflict !== null) continue
    if (waiting.some((each) => each.entry.key === entry.key)) continue
    enqueue({ entry, ...alone })
  }
  publish()
}

function stored(): readonly Entry[] {
  try {
    return JSON.parse(localStorage.getItem(stored_name) ?? '[]') as Entry[]
  } catch {
    return []
  }
}

/** Where nothing can be stored, entries live as long as the page. */
function store(entries: readonly Entry[]): void {
  try {
    localStorage.setItem(stored_name, JSON.stringify(entries))
  } catch {
    // Full or forbidden.
  }
  publish(entries)
}

function keep(entry: Entry): void {
  store([...stored().filter(({ key }) => key !== entry.key), entry])
}

function forget(key: string): void {
  store(stored().filter((entry) => entry.key !== key))
}

/** Drops what waits of this session. Ask for it before a person signs out, and call it afterwards. */
export function outboxCleaner(): () => void {
  const ending = sessionOwner()
  return () => store(stored().filter(({ owner }) => owner !== ending))
}

function publish(entries = stored()): void {
  const own = entries.filter(({ owner }) => owner === sessionOwner())
  shown.set(own.toSorted((a, b) => Number(a.conflict === null) - Number(b.conflict === null) || a.made - b.made))
}

// What waits is kept for the next session of the same account and organization.
onSessionChange(() => {
  for (const { reject } of waiting.splice(0)) reject(new UserCanceled(t('the session has changed')))
})
onBack((wasLost) => {
  // Nothing could be answered.
  if (wasLost) for (const each of waiting) each.failed = 0
  void flush()
})
onLost(() => {
  for (const controller of attempts) controller.abort()
})

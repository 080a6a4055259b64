/**
 * What the page has read is kept in the browser when the connection is lost and when the page is hidden, so that a page opened
 * without a connection shows it. It belongs to one account and organization and is dropped when they change. Answers that
 * needed a confirmed session, and those about the installation, are not kept.
 */
import { type DehydratedState, dehydrate, hydrate, type Query } from '@tanstack/react-query'
import { clear, createStore, del, get, set } from 'idb-keyval'
import { isLost, onLost } from './connection.ts'
import { queryClient } from './query-client.ts'
import { currentSession, onSessionChange, setSession } from './session-store.ts'
import type { SignedIn } from './shapes.ts'

const stored_name = 'reads'
/** The file and the journal of an import that is not finished; the page of imports fills it. */
const imports = createStore('atrium-import', 'kept')
const store = createStore('atrium', 'kept')
const reads_max = 300
const age_ms_max = 7 * 86_400_000
/** The pause between a change of what is shown and its storage while the connection is lost. */
const store_after_ms = 50

type Read = DehydratedState['queries'][number]

interface Kept {
  readonly session: SignedIn
  readonly reads: readonly Read[]
}

const app_reads = /^GET (?:directory|tasks|projects)(?:\/|$)/

function isKept({ state, queryKey, meta }: Query): boolean {
  if (state.data === undefined || meta?.isManaged === true || !isPlain(state.data)) return false
  const [first, name] = queryKey
  return first !== 'app' || app_reads.test(String(name))
}

/** An instance of a class would come back without its methods. */
function isPlain(data: unknown): boolean {
  return (
    typeof data !== 'object' ||
    data === null ||
    [Object.prototype, Array.prototype].includes(Object.getPrototypeOf(data))
  )
}

/** As it was read: what is shown stays true when reading it again has failed, which a lost connection does. */
function asRead(read: Read): Read {
  return {
    ...read,
    state: { ...read.state, status: 'success', error: null, fetchFailureCount: 0, fetchFailureReason: null },
  }
}

function isSame(a: SignedIn, b: SignedIn): boolean {
  return a.account.id === b.account.id && a.organization.id === b.organization.id
}

/** Stores what has been read, with what was kept before. */
async function keepReads(): Promise<void> {
  const session = currentSession()
  if (!session?.signed_in) return
  const { queries } = dehydrate(queryClient, { shouldDehydrateQuery: isKept, shouldDehydrateMutation: () => false })
  const before = await get<Kept>(stored_name, store)
  const earlier = before !== undefined && isSame(before.session, session) ? before.reads : []
  const hashes = new Set(queries.map(({ queryHash }) => queryHash))
  const least = Date.now() - age_ms_max
  const reads = [...queries.map(asRead), ...earlier.filter(({ queryHash }) => !hashes.has(queryHash))]
    .filter(({ state }) => state.dataUpdatedAt >= least)
    .toSorted((a, b) => b.state.dataUpdatedAt - a.state.dataUpdatedAt)
    .slice(0, reads_max)
  await set(stored_name, { session, reads } satisfies Kept, store)
}

/** Shows what an earlier page kept. Returns whether there was something. Call it before a session is known. */
export async function restoreReads(): Promise<boolean> {
  const kept = await get<Kept>(stored_name, store)
  if (kept === undefined) return false
  setSession(kept.session)
  hydrate(queryClient, { mutations: [], queries: [...kept.reads] })
  return true
}

/** Begins to keep what is read. Call it when the session is known. */
export async function startKeeping(): Promise<void> {
  const session = currentSession()
  const before = await get<Kept>(stored_name, store)
  if (before !== undefined && !(session?.signed_in && isSame(before.session, session))) await del(stored_name, store)
  const keep = () => void keepReads().catch(() => {})
  onSessionChange(() => {
    void del(stored_name, store).catch(() => {})
    // On a slow machine the page learns its first session after this began; that is no change.
    if (currentSession() !== undefined) void clear(imports).catch(() => {})
  })
  onLost(keep)
  document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && keep())
  let timer: ReturnType<typeof setTimeout> | undefined
  queryClient.getQueryCache().subscribe((change) => {
    if (change.type !== 'updated' || change.action.type !== 'success' || !isLost()) return
    clearTimeout(timer)
    timer = setTimeout(keep, store_after_ms)
  })
  if (isLost()) keep()
}

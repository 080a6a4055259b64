/**
 * Writes: `useWrite` for `/v1`, `useAppWrite` for `/app/api`. A write of `/v1`: 1. applies its changes to the cache,
 * 2. sends the request, which is kept while the server cannot be reached (`outbox.ts`), 3. merges the answer, or rolls the
 * changes back after an error, 4. offers Undo in a toast. A kept write is over for its form: what it changes is shown, and
 * the connection bar lists it.
 */
import type { Atrium } from '@atrium/sdk'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { type AppInput, app } from './app-api.ts'
import { applyChanges, type Change, findCached, isApiObject, mergeObject, remove } from './cache.ts'
import { UserCanceled } from './errors.ts'
import { keys } from './keys.ts'
import { beginWrite, endWrite } from './live-cache.ts'
import { useMode } from './mode.ts'
import { type About, writerOf } from './outbox.ts'
import { isGuest } from './session-store.ts'
import type { AnswerOf, EndpointName, Mode } from './shapes.ts'
import { toast } from './toasts.ts'
import { clientOf, managingClient } from './tokens.ts'
import { UndoableRequests, undoRequests } from './undo.ts'

/** The cached object before the write: `before<Task>('task', id)`. */
export type Before = <T>(noun: string, id: string) => T | undefined

export interface Writing<In, Out> {
  /** `kept` resolves when a request of the write begins to wait. Several requests are sent by `inTurn`. */
  readonly write: (atrium: Atrium, input: In, kept: Promise<void>) => PromiseLike<Out>
  /** Requires `api:manage`, so the user may have to confirm first. Such a write is never kept. */
  readonly manage?: boolean
  /** False: without a connection the write fails, because it would mean something else later. */
  readonly waits?: boolean
  /** Changes shown until the server answers. */
  readonly changes?: (input: In, before: Before) => readonly Change[]
  /** Object types whose lists are read again, besides the type of the answer. */
  readonly invalidates?: readonly string[]
  /** Object types of which everything is read again: those without lists. */
  readonly rereads?: readonly string[]
  /** The text of the toast; `null` shows none. */
  readonly done?: (output: Out, input: In) => string | null
  /** The write that undoes this one; `null` if it cannot be undone. */
  readonly undo?: (output: Out, input: In, before: Before) => ((atrium: Atrium) => PromiseLike<unknown>) | null
  /** Runs after the undo, to take back what the page did beside the write. */
  readonly undone?: (input: In) => void
  /** A further button of the toast. */
  readonly action?: (output: Out, input: In) => { readonly label: string; readonly run: () => void } | null
  /** False: the form shows the error itself. */
  readonly toastErrors?: boolean
}

export interface Writer<In, Out> {
  /**
   * Resolves with the answer; with undefined after an error, which `error` or a toast shows, and when the write is kept,
   * after a call of `onKept`.
   */
  readonly run: (input: In, onKept?: () => void) => Promise<Out | undefined>
  readonly busy: boolean
  /** Whether the latest write is kept until the server can be reached. */
  readonly isKept: boolean
  readonly error: unknown
  readonly reset: () => void
}

/** A write that succeeded waits no longer for the page to be current. */
const reread_ms_max = 3000

interface WriteContext {
  readonly client: QueryClient
  readonly mode: Mode
}

export function useWrite<In, Out>(writing: Writing<In, Out>): Writer<In, Out> {
  const client = useQueryClient()
  const mode = useMode()
  const latest = useLatest(writing)
  const job = useCallback(
    (input: In, keep: () => void) => runWrite({ client, mode }, latest.current, input, keep),
    [client, mode, latest],
  )
  return useJob(job, () => latest.current.toastErrors ?? true)
}

/** `keep` is called when the write begins to wait for the connection. */
async function runWrite<In, Out>(
  context: WriteContext,
  writing: Writing<In, Out>,
  input: In,
  keep: () => void,
): Promise<Out> {
  const { client, mode } = context
  const seen = new Map<string, unknown>()
  const before: Before = <T>(noun: string, id: string) => {
    const name = `${noun} ${id}`
    if (!seen.has(name)) seen.set(name, findCached(client, mode, noun, id))
    return seen.get(name) as T | undefined
  }
  const changes = writing.changes?.(input, before) ?? []
  for (const { noun, id } of changes) before(noun, id)
  const nouns = new Set(changes.map(({ noun }) => noun))
  await Promise.all([...nouns].map((noun) => client.cancelQueries({ queryKey: keys.noun(mode, noun) })))
  const rollback = applyChanges(client, mode, changes)
  for (const noun of nouns) beginWrite(mode, noun)
  try {
    const kept = Promise.withResolvers<void>()
    const requests = new UndoableRequests()
    const onWaiting = () => {
      kept.resolve()
      keep()
    }
    const atrium = writing.manage
      ? await managingClient(mode)
      : writing.waits === false
        ? clientOf(mode)
        : writerOf(mode, aboutOf(changes, before), onWaiting, requests.note)
    const output = await writing.write(atrium, input, kept.promise)
    applyAnswer(context, output, [...nouns, ...(writing.invalidates ?? [])])
    rereadAll(context, writing.rereads)
    notifyDone(context, writing, output, input, before, requests)
    return output
  } catch (error) {
    rollback()
    for (const noun of nouns) void client.invalidateQueries({ queryKey: keys.noun(mode, noun) })
    throw error
  } finally {
    for (const noun of nouns) endWrite(mode, noun)
  }
}

/**
 * Runs jobs one after the other and resolves with their results. When one begins to wait, the following ones start at once,
 * so that all are kept. Rejects with the first error.
 */
export async function inTurn<T>(jobs: readonly (() => PromiseLike<T>)[], kept: Promise<void>): Promise<T[]> {
  const results: PromiseLike<T>[] = []
  for (const job of jobs) {
    const result = job()
    results.push(result)
    await Promise.race([result, kept])
  }
  return await Promise.all(results)
}

/** What is changed, and how it was. */
function aboutOf(changes: readonly Change[], before: Before): About {
  const [change] = changes
  const was = change && before<Readonly<Record<string, unknown>>>(change.noun, change.id)
  if (change === undefined || was === undefined) return { base: null, subject: null }
  const subject = [was.key, was.title ?? was.name].filter(Boolean).join(' ') || null
  if (change.kind !== 'patch') return { base: null, subject }
  const fields = Object.fromEntries(Object.keys(change.fields).map((name) => [name, was[name] ?? null]))
  return { base: { id: change.id, fields }, subject }
}

function applyAnswer({ client, mode }: WriteContext, output: unknown, nouns: readonly string[]): void {
  const stale = new Set(nouns)
  if (isApiObject(output)) {
    if (output.deleted) applyChanges(client, mode, [remove(output.object, output.id)])
    else mergeObject(client, mode, output)
    stale.add(output.object)
  }
  for (const noun of stale) void client.invalidateQueries({ queryKey: keys.lists(mode, noun) })
}

function notifyDone<In, Out>(
  context: WriteContext,
  writing: Writing<In, Out>,
  output: Out,
  input: In,
  before: Before,
  requests: UndoableRequests,
): void {
  const text = writing.done?.(output, input) ?? null
  // The server's undo is not for guests.
  const undo = isGuest() ? null : (writing.undo?.(output, input, before) ?? null)
  if (text === null) return
  const action = writing.action?.(output, input) ?? null
  const more = action === null ? {} : { action }
  if (undo === null) toast({ text, tone: 'good', ...more })
  else {
    const ids = requests.ids()
    const run = async () => {
      await (ids === null ? undoWrite(context, undo) : undoRequests(context, ids))
      rereadAll(context, writing.rereads)
      writing.undone?.(input)
    }
    toast({ text, tone: 'good', undo: run, ...more })
  }
}

function rereadAll({ client, mode }: WriteContext, nouns: readonly string[] = []): void {
  for (const noun of nouns) void client.invalidateQueries({ queryKey: keys.noun(mode, noun) })
}

async function undoWrite(context: WriteContext, undo: (atrium: Atrium) => PromiseLike<unknown>): Promise<void> {
  const atrium = writerOf(context.mode, { base: null, subject: null }, () => {})
  applyAnswer(context, await undo(atrium), [])
}

/** A write of `/app/api`: `useAppWrite('POST invitations', { invalidates: ['GET invitations'] })`. */
export function useAppWrite<K extends EndpointName>(
  name: K,
  writing: {
    /** Endpoints that are read again. */
    readonly invalidates?: readonly EndpointName[]
    /** Object types of `/v1` that are read again. */
    readonly nouns?: readonly string[]
    readonly done?: (output: AnswerOf<K>, input: AppInput<K>) => string | null
    readonly toastErrors?: boolean
  } = {},
): Writer<AppInput<K>, AnswerOf<K>> {
  const client = useQueryClient()
  const mode = useMode()
  const latest = useLatest(writing)
  const job = useCallback(
    async (input: AppInput<K>) => {
      const { invalidates = [], nouns = [], done } = latest.current
      const output = await app(name, input)
      const stale = [...invalidates.map(keys.appAll), ...nouns.map((noun) => keys.noun(mode, noun))]
      // The page shows the change when the write says that it is done.
      await Promise.race([
        Promise.all(stale.map((queryKey) => client.invalidateQueries({ queryKey }))),
        limit(reread_ms_max),
      ])
      const text = done?.(output, input) ?? null
      if (text !== null) toast({ text, tone: 'good' })
      return output
    },
    [client, mode, name, latest],
  )
  return useJob(job, () => latest.current.toastErrors ?? true)
}

/** Calls `handler` when a write is kept until the server can be reached: a dialog closes, as after its answer. */
export function useKept({ isKept = false }: { readonly isKept?: boolean }, handler: () => void): void {
  const latest = useLatest(handler)
  useEffect(() => {
    if (isKept) latest.current()
  }, [isKept, latest])
}

function limit(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function useLatest<T>(value: T): { readonly current: T } {
  const latest = useRef(value)
  latest.current = value
  return latest
}

/** Tracks a job's progress and error. */
function useJob<In, Out>(
  job: (input: In, keep: () => void) => Promise<Out>,
  toastErrors: () => boolean,
): Writer<In, Out> {
  const [running, setRunning] = useState(0)
  const [error, setError] = useState<unknown>(null)
  const [isKept, setKept] = useState(false)
  const shouldToast = useLatest(toastErrors)
  const run = useCallback(
    async (input: In, onKept?: () => void) => {
      setRunning((count) => count + 1)
      setError(null)
      setKept(false)
      const kept = Promise.withResolvers<undefined>()
      let isCounted = true
      const release = () => {
        if (isCounted) setRunning((count) => count - 1)
        isCounted = false
      }
      const keep = () => {
        if (!isCounted) return
        release()
        setKept(true)
        onKept?.()
        kept.resolve(undefined)
      }
      const done = job(input, keep)
        .catch((reason: unknown) => {
          if (reason instanceof UserCanceled) return undefined
          setError(reason)
          if (shouldToast.current()) toast({ error: reason })
          return undefined
        })
        .finally(release)
      return await Promise.race([done, kept.promise])
    },
    [job, shouldToast],
  )
  return { run, busy: running > 0, isKept, error, reset: useCallback(() => setError(null), []) }
}

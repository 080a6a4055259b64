/**
 * Writing: `useWrite` for `/v1`, `useAppWrite` for the session API. A write shows its changes at once, takes them back when
 * it fails, takes over the answer when it succeeds, and can offer to undo it.
 */
import type { Atrium } from '@atrium/sdk'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useCallback, useRef, useState } from 'react'
import { type AppInput, app } from './app-api.ts'
import { absorb, apply, type Change, isApiObject, remove, shown } from './cache.ts'
import { Declined } from './errors.ts'
import { keys } from './keys.ts'
import { beginWrite, endWrite } from './live-cache.ts'
import { useMode } from './mode.ts'
import type { AnswerOf, EndpointName, Mode } from './shapes.ts'
import { toast } from './toasts.ts'
import { clientOf, managingClient } from './tokens.ts'

/** What was shown before a write: `before<Task>('task', id)`. */
export type Before = <T>(noun: string, id: string) => T | undefined

export interface Writing<In, Out> {
  readonly write: (atrium: Atrium, input: In) => PromiseLike<Out>
  /** It needs `api:manage`: the person may have to confirm first. */
  readonly manage?: boolean
  /** What is shown until the answer comes. */
  readonly changes?: (input: In, before: Before) => readonly Change[]
  /** Kinds of objects that are read again afterwards, besides that of the answer. */
  readonly touches?: readonly string[]
  /** What is said when it is done. */
  readonly done?: (output: Out, input: In) => string | null
  /** The write that takes it back; `null` where nothing can. */
  readonly undo?: (output: Out, input: In, before: Before) => ((atrium: Atrium) => PromiseLike<unknown>) | null
  /** `false`: the form shows the error itself. */
  readonly toastErrors?: boolean
}

export interface Writer<In, Out> {
  /** Resolves with the answer; with undefined when it failed, which is said elsewhere. */
  readonly run: (input: In) => Promise<Out | undefined>
  readonly busy: boolean
  readonly error: unknown
  readonly reset: () => void
}

interface Running {
  readonly client: QueryClient
  readonly mode: Mode
}

export function useWrite<In, Out>(writing: Writing<In, Out>): Writer<In, Out> {
  const client = useQueryClient()
  const mode = useMode()
  const latest = useLatest(writing)
  const job = useCallback((input: In) => carryOut({ client, mode }, latest.current, input), [client, mode, latest])
  return useJob(job, () => latest.current.toastErrors ?? true)
}

async function carryOut<In, Out>(running: Running, writing: Writing<In, Out>, input: In): Promise<Out> {
  const { client, mode } = running
  const seen = new Map<string, unknown>()
  const before: Before = <T>(noun: string, id: string) => {
    const name = `${noun} ${id}`
    if (!seen.has(name)) seen.set(name, shown(client, mode, noun, id))
    return seen.get(name) as T | undefined
  }
  const changes = writing.changes?.(input, before) ?? []
  for (const { noun, id } of changes) before(noun, id)
  const nouns = new Set(changes.map(({ noun }) => noun))
  await Promise.all([...nouns].map((noun) => client.cancelQueries({ queryKey: keys.noun(mode, noun) })))
  const rollback = apply(client, mode, changes)
  for (const noun of nouns) beginWrite(mode, noun)
  try {
    const atrium = writing.manage ? await managingClient(mode) : clientOf(mode)
    const output = await writing.write(atrium, input)
    takeOver(running, output, [...nouns, ...(writing.touches ?? [])])
    tellDone(running, writing, output, input, before)
    return output
  } catch (error) {
    rollback()
    for (const noun of nouns) void client.invalidateQueries({ queryKey: keys.noun(mode, noun) })
    throw error
  } finally {
    for (const noun of nouns) endWrite(mode, noun)
  }
}

function takeOver({ client, mode }: Running, output: unknown, nouns: readonly string[]): void {
  const stale = new Set(nouns)
  if (isApiObject(output)) {
    if (output.deleted) apply(client, mode, [remove(output.object, output.id)])
    else absorb(client, mode, output)
    stale.add(output.object)
  }
  for (const noun of stale) void client.invalidateQueries({ queryKey: keys.lists(mode, noun) })
}

function tellDone<In, Out>(running: Running, writing: Writing<In, Out>, output: Out, input: In, before: Before): void {
  const text = writing.done?.(output, input) ?? null
  const undo = writing.undo?.(output, input, before) ?? null
  if (text === null) return
  if (undo === null) toast({ text, tone: 'good' })
  else toast({ text, tone: 'good', undo: () => takeBack(running, undo) })
}

async function takeBack(running: Running, undo: (atrium: Atrium) => PromiseLike<unknown>): Promise<void> {
  takeOver(running, await undo(clientOf(running.mode)), [])
}

/** A write of the session API: `useAppWrite('POST invitations', { touches: ['GET invitations'] })`. */
export function useAppWrite<K extends EndpointName>(
  name: K,
  writing: {
    /** Endpoints that are read again afterwards. */
    readonly touches?: readonly EndpointName[]
    /** Kinds of objects of `/v1` that are read again afterwards. */
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
      const { touches = [], nouns = [], done } = latest.current
      const output = await app(name, input)
      for (const touched of touches) void client.invalidateQueries({ queryKey: keys.appAll(touched) })
      for (const noun of nouns) void client.invalidateQueries({ queryKey: keys.noun(mode, noun) })
      const text = done?.(output, input) ?? null
      if (text !== null) toast({ text, tone: 'good' })
      return output
    },
    [client, mode, name, latest],
  )
  return useJob(job, () => latest.current.toastErrors ?? true)
}

function useLatest<T>(value: T): { readonly current: T } {
  const latest = useRef(value)
  latest.current = value
  return latest
}

/** Whether it is under way, and its error. */
function useJob<In, Out>(job: (input: In) => Promise<Out>, toastErrors: () => boolean): Writer<In, Out> {
  const [running, setRunning] = useState(0)
  const [error, setError] = useState<unknown>(null)
  const says = useLatest(toastErrors)
  const run = useCallback(
    async (input: In) => {
      setRunning((count) => count + 1)
      setError(null)
      try {
        return await job(input)
      } catch (reason) {
        if (reason instanceof Declined) return undefined
        setError(reason)
        if (says.current()) toast({ error: reason })
        return undefined
      } finally {
        setRunning((count) => count - 1)
      }
    },
    [job, says],
  )
  return { run, busy: running > 0, error, reset: useCallback(() => setError(null), []) }
}

/**
 * The session API: `app('POST invitations', { body })`. Types come from the server's declarations. It sends the CSRF token
 * of the session, asks the person to confirm where the server wants that, and repeats the call then.
 */
import { ConnectionError, UnexpectedAnswerError } from '@atrium/sdk'
import { AppError } from './errors.ts'
import { csrf, sessionChannel, sessionIsOver, takeSession } from './session-store.ts'
import type { AnswerOf, BodyOf, ConsoleError, EndpointName, QueryOf, Session } from './shapes.ts'
import { stepUp } from './step-up.ts'

type Names<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never
type PathOf<K extends EndpointName> = [Names<K>] extends [never] ? object : { params: Record<Names<K>, string> }
type Given<T, Name extends string> = [T] extends [undefined] ? object : { [N in Name]: T }

export type AppInput<K extends EndpointName> = PathOf<K> &
  Given<BodyOf<K>, 'body'> &
  Partial<Given<QueryOf<K>, 'query'>>

export interface AppOptions {
  readonly signal?: AbortSignal
  /** `false`: what needs to be confirmed is refused instead of asked for. */
  readonly ask?: boolean
}

const timeout_ms = 30_000

export async function app<K extends EndpointName>(
  name: K,
  input: AppInput<K>,
  options: AppOptions = {},
): Promise<AnswerOf<K>> {
  const { params, query, body } = input as Sent
  const [method = 'GET', pattern = ''] = name.split(' ')
  const path = pattern.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(params?.[key] ?? ''))
  const search = new URLSearchParams(Object.entries(query ?? {}).flatMap(queryPairs)).toString()
  const url = `/app/api/${path}${search === '' ? '' : `?${search}`}`
  const send = () => sent(method, url, body, options.signal)
  return (await confirmed(send, options.ask ?? true)) as AnswerOf<K>
}

let loading: Promise<unknown> | undefined

/** Asks who is signed in, once at a time. */
export async function loadSession(): Promise<void> {
  loading ??= app('GET session', {}).finally(() => {
    loading = undefined
  })
  await loading
}

sessionChannel.addEventListener('message', () => void loadSession().catch(() => {}))

interface Sent {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, unknown>>
  body?: object
}

function queryPairs([name, value]: [string, unknown]): [string, string][] {
  return value === undefined || value === null ? [] : [value].flat().map((each) => [name, String(each)])
}

/** Sends, and once more where the session's CSRF token was another one or the person had to confirm. */
async function confirmed(send: () => Promise<unknown>, ask: boolean): Promise<unknown> {
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'csrf_failed') await loadSession()
    else if (error.code === 'step_up_required' && ask) await stepUp()
    else throw error
    return await send()
  }
}

async function sent(method: string, url: string, body: object | undefined, signal?: AbortSignal): Promise<unknown> {
  const headers: Record<string, string> = { accept: 'application/json' }
  if (method !== 'GET') headers['x-csrf'] = csrf()
  if (body !== undefined) headers['content-type'] = 'application/json'
  const limit = AbortSignal.timeout(timeout_ms)
  const response = await fetch(url, {
    method,
    headers,
    credentials: 'same-origin',
    signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error
    throw new ConnectionError('The connection failed.', { cause: error })
  })
  return answerOf(response, await response.text())
}

function answerOf(response: Response, text: string): unknown {
  const said = parsed(text)
  if (response.ok && said !== undefined) {
    if (isSession(said)) takeSession(said)
    return said
  }
  const { error } = (said ?? {}) as Partial<ConsoleError>
  if (typeof error?.code !== 'string') throw unexpected(response, text)
  if (error.code === 'session_required') sessionIsOver()
  const retryAfter = Number(response.headers.get('retry-after'))
  throw new AppError({ error }, response.status, retryAfter > 0 ? retryAfter : null)
}

function unexpected({ status, headers }: Response, text: string): UnexpectedAnswerError {
  const info = { requestId: null, version: null, cost: null, etag: null, replayed: false, originalRequest: null }
  return new UnexpectedAnswerError(text, { ...info, status, headers, retryAfter: null, windows: [], attempts: 1 })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isSession(said: unknown): said is Session {
  return typeof said === 'object' && said !== null && 'signed_in' in said && 'csrf' in said
}

/**
 * The client of `/app/api`: `app('POST invitations', { body })`, typed by the server's declarations. It sends the CSRF
 * token. If the token is outdated, or a step-up or the proof of a second factor is required, it resolves that and repeats the call.
 */
import { ConnectionError, UnexpectedAnswerError } from '@atrium/sdk'
import { t } from '../language/index.ts'
import { connectionLost } from './connection.ts'
import { AppError } from './errors.ts'
import { takeFirstAnswer } from './first-requests.ts'
import { sessionSettled } from './session-settled.ts'
import { csrf, currentSession, endSession, sessionChannel, setSession } from './session-store.ts'
import type { AnswerOf, BodyOf, ConsoleError, EndpointName, QueryOf, Session } from './shapes.ts'
import { proveSecondFactor, stepUp } from './step-up.ts'

type Names<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never
type PathOf<K extends EndpointName> = [Names<K>] extends [never] ? object : { params: Record<Names<K>, string> }
type Part<T, Name extends string> = [T] extends [undefined] ? object : { [N in Name]: T }

export type AppInput<K extends EndpointName> = PathOf<K> & Part<BodyOf<K>, 'body'> & Partial<Part<QueryOf<K>, 'query'>>

export interface AppOptions {
  readonly signal?: AbortSignal
  /** False: a required step-up or proof is an error instead of a dialog. */
  readonly stepUp?: boolean
}

const timeout_ms = 30_000

export async function app<K extends EndpointName>(
  name: K,
  input: AppInput<K>,
  options: AppOptions = {},
): Promise<AnswerOf<K>> {
  const { params, query, body } = input as Input
  const [method = 'GET', pattern = ''] = name.split(' ')
  const path = pattern.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(params?.[key] ?? ''))
  const search = new URLSearchParams(Object.entries(query ?? {}).flatMap(queryPairs)).toString()
  const url = `/app/api/${path}${search === '' ? '' : `?${search}`}`
  if (method === 'GET' && pattern !== 'session') await sessionSettled()
  const send = () => request(method, url, body, options.signal)
  return (await withRepeat(send, options.stepUp ?? true)) as AnswerOf<K>
}

let loading: Promise<unknown> | undefined

/** Loads the session. Concurrent calls share one request. */
export async function loadSession(): Promise<void> {
  loading ??= app('GET session', {}).finally(() => {
    loading = undefined
  })
  await loading
}

sessionChannel.addEventListener('message', () => void loadSession().catch(() => {}))

interface Input {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, unknown>>
  body?: object
}

function queryPairs([name, value]: [string, unknown]): [string, string][] {
  return value === undefined || value === null ? [] : [value].flat().map((each) => [name, String(each)])
}

/** Sends, and repeats once after each of these: a new CSRF token, the proof of a second factor, a step-up. */
async function withRepeat(send: () => Promise<unknown>, allowDialogs: boolean): Promise<unknown> {
  const resolved = new Set<string>()
  for (;;) {
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof AppError) || resolved.has(error.code)) throw error
      resolved.add(error.code)
      if (error.code === 'csrf_failed') await loadSession()
      else if (error.code === 'step_up_required' && allowDialogs) await stepUp()
      else if (error.code !== 'second_factor_required' || !allowDialogs || !(await provedSecondFactor())) throw error
    }
  }
}

/**
 * Asks for the second factor if only a change of it was refused. False where the session reaches nothing without it: the page of the
 * second factor comes now, in place of the one that asked.
 */
async function provedSecondFactor(): Promise<boolean> {
  await loadSession()
  const session = currentSession()
  if (session?.signed_in !== true || session.second_factor.need !== null) return false
  if (!session.second_factor.can_change) await proveSecondFactor()
  return true
}

async function request(method: string, url: string, body: object | undefined, signal?: AbortSignal): Promise<unknown> {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const answer = (await takeFirstAnswer(method, url, text)) ?? (await send(method, url, text, signal))
  return readAnswer(answer, await answer.text())
}

async function send(method: string, url: string, body: string | undefined, signal?: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = { accept: 'application/json' }
  if (method !== 'GET') headers['x-csrf'] = csrf()
  if (body !== undefined) headers['content-type'] = 'application/json'
  const timeout = AbortSignal.timeout(timeout_ms)
  return await fetch(url, {
    method,
    headers,
    credentials: 'same-origin',
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    ...(body === undefined ? {} : { body }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error
    connectionLost()
    throw new ConnectionError(t('The connection failed.'), { cause: error })
  })
}

function readAnswer(response: Response, text: string): unknown {
  const answer = parseJson(text)
  if (response.ok && answer !== undefined) {
    if (isSession(answer)) setSession(answer)
    return answer
  }
  const { error } = (answer ?? {}) as Partial<ConsoleError>
  if (typeof error?.code !== 'string') throw unexpectedAnswer(response, text)
  if (error.code === 'session_required') endSession()
  // Where the organization requires a second factor since the session was loaded, the session says which page comes now.
  if (error.code === 'second_factor_required') void loadSession().catch(() => {})
  const retryAfter = Number(response.headers.get('retry-after'))
  throw new AppError({ error }, response.status, retryAfter > 0 ? retryAfter : null)
}

function unexpectedAnswer({ status, headers }: Response, text: string): UnexpectedAnswerError {
  const info = { requestId: null, version: null, cost: null, etag: null, replayed: false, originalRequest: null }
  return new UnexpectedAnswerError(text, { ...info, status, headers, retryAfter: null, windows: [], attempts: 1 })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isSession(answer: unknown): answer is Session {
  return typeof answer === 'object' && answer !== null && 'signed_in' in answer && 'csrf' in answer
}

/**
 * Builds the request of an http.request and reads the answer; all calls go through egress. A secret is sent in the
 * Authorization header: as a Bearer token, or as the whole header if it contains a space (`Basic dXNlcjpwYXNz`). An
 * answer that repeats it is masked before it is stored (contract/16#secrets).
 */
import type { Services } from '../../../api/services.ts'
import { automation_limits } from '../../../automations/limits.ts'
import { isPassing } from '../../../egress/ai-provider.ts'
import type { EgressRequest, EgressResult } from '../../../egress/egress.ts'
import { millis } from '../../../lib/clock.ts'
import { retryAfter } from '../../../lib/retry-after.ts'
import { parseJson } from '../../../lib/strict-json.ts'
import { openSecret } from '../queries/secrets.ts'
import type { CallResult } from './call-result.ts'
import type { OutsideCall } from './continue.ts'
import type { OutsideInputs } from './outside-inputs.ts'

type HttpConfig = Extract<OutsideInputs, { type: 'http.request' }>['config']
/** The settings of a request whose secret, if any, has been opened. */
type RequestConfig = Omit<HttpConfig, 'secret'>
type Failed = Extract<CallResult, { ok: false }>

/** Makes the call and returns its result. Rejects only if the store does, before anything is sent. */
export async function callHttp(
  services: Pick<Services, 'store' | 'sealer' | 'egress' | 'clock'>,
  realm: number,
  call: OutsideCall,
  config: HttpConfig,
): Promise<CallResult> {
  const secret = config.secret === undefined ? null : await openSecret(services, realm, config.secret)
  if (config.secret !== undefined && secret === null) return secretMissing(config.secret)
  // A URL is the secret of a chat. Sent to another host, it would let that host post to the chat.
  if (secret !== null && /^https?:\/\//i.test(secret)) {
    return unsent('secret_refused', `The secret ${config.secret} is the URL of a chat, which only chat.post uses.`)
  }
  return await send(services, call, config, secret)
}

/** The result of a step whose secret was deleted or never set. */
export function secretMissing(name: string): CallResult {
  return unsent('secret_missing', `There is no secret ${name}. Set it with atrium secret set ${name}.`)
}

/** Sends a request and reads its answer, in which `secret` is masked. Never rejects. */
export async function send(
  services: Pick<Services, 'egress' | 'clock'>,
  call: OutsideCall,
  config: RequestConfig,
  secret: string | null,
): Promise<CallResult> {
  const checked = await services.egress.check(config.url)
  if (!checked.ok) return unsent('url_refused', checked.message)
  const body = bodyOf(config)
  if (Buffer.byteLength(body) > automation_limits.automation_request_bytes_max) {
    return unsent(
      'body_too_large',
      `The body may have at most ${automation_limits.automation_request_bytes_max} bytes.`,
    )
  }
  const answer = await services.egress.send(requestOf(config, checked.url, body, secret, call.idempotencyKey))
  return readAnswer(config, answer, secret, services.clock.now())
}

function requestOf(config: RequestConfig, url: URL, body: string, secret: string | null, key: string): EgressRequest {
  const named = new Set(Object.keys(config.headers ?? {}).map((name) => name.toLowerCase()))
  const unless = (name: string, value: string) => (named.has(name.toLowerCase()) ? {} : { [name]: value })
  const total_ms =
    config.timeout_seconds === undefined ? automation_limits.automation_http_ms : millis(config.timeout_seconds)
  return {
    url,
    method: config.method,
    headers: {
      ...unless('User-Agent', 'Atrium'),
      ...unless('Accept', 'application/json, */*;q=0.5'),
      ...(config.body === undefined ? {} : unless('Content-Type', 'application/json')),
      ...config.headers,
      ...(secret === null ? {} : { Authorization: secret.includes(' ') ? secret : `Bearer ${secret}` }),
      'Idempotency-Key': key,
    },
    body,
    total_ms,
    connect_ms: Math.min(total_ms, automation_limits.automation_connect_ms),
    response_bytes_max: keepsBody(config) ? automation_limits.automation_response_bytes_max + 1 : 0,
  }
}

/** JSON, unless the headers declare a text to be of another type. */
function bodyOf({ body, headers }: RequestConfig): string {
  if (body === undefined) return ''
  const type = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'content-type')?.[1]
  const isJson = type === undefined || /^application\/(?:[\w.-]+\+)?json\b/i.test(String(type))
  return typeof body === 'string' && !isJson ? body : JSON.stringify(body)
}

function keepsBody({ output }: RequestConfig): boolean {
  return output === 'json' || output === 'text'
}

function readAnswer(config: RequestConfig, answer: EgressResult, secret: string | null, now: number): CallResult {
  if (!answer.ok) return unanswered(answer.failure)
  const { status: http_status, headers } = answer
  const succeeded =
    config.success_statuses === undefined
      ? http_status >= 200 && http_status <= 299
      : config.success_statuses.includes(http_status)
  const read = outputOf(config, answer, secret)
  const failure: Omit<Failed, 'code' | 'message' | 'retryable'> = { ok: false, http_status, sent: true, wait_ms: 0 }
  if (!succeeded) {
    const output = 'output' in read ? { output: read.output } : { output: { status: http_status } }
    const message = `The answer has the status ${http_status}.`
    const wait_ms = retryAfter(headers['retry-after'], now)
    return { ...failure, ...output, code: 'http_status', message, retryable: isPassing(http_status), wait_ms }
  }
  if ('output' in read) return { ok: true, output: read.output, http_status }
  return { ...failure, ...read, retryable: false, output: { status: http_status } }
}

const failures = {
  unreachable: 'The address could not be reached.',
  tls: 'The TLS connection failed.',
  timeout: 'The answer did not arrive in time.',
  protocol: 'The answer was not HTTP, or broke off.',
} as const

function unanswered(failure: keyof typeof failures): Failed {
  const sent = failure === 'timeout' || failure === 'protocol'
  const message = failures[failure]
  return { ok: false, code: `http_${failure}`, message, http_status: null, retryable: true, sent, wait_ms: 0 }
}

function unsent(code: string, message: string): Failed {
  return { ok: false, code, message, http_status: null, retryable: false, sent: false, wait_ms: 0 }
}

type Read = { readonly output: unknown } | { readonly code: string; readonly message: string }

function outputOf(config: RequestConfig, answer: Extract<EgressResult, { ok: true }>, secret: string | null): Read {
  const { status, body } = answer
  if (config.output === 'none') return { output: null }
  if (!keepsBody(config)) return { output: { status } }
  if (body.length > automation_limits.automation_response_bytes_max) {
    const message = `The answer has more than ${automation_limits.automation_response_bytes_max} bytes.`
    return { code: 'response_too_large', message }
  }
  const text = masked(new TextDecoder().decode(body).replaceAll('\0', '\ufffd'), secret)
  if (config.output === 'text') return { output: { status, body: text } }
  try {
    return { output: { status, body: text.trim() === '' ? null : withoutNull(parseJson(text)) } }
  } catch {
    return { code: 'response_unreadable', message: 'The answer is not JSON.' }
  }
}

/** Text columns cannot hold U+0000, which JSON can express. */
function withoutNull(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '\ufffd').toWellFormed()
  if (Array.isArray(value)) return value.map(withoutNull)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [withoutNull(name), withoutNull(one)]))
}

const mask = '[secret]'

/** Masks the secret in its usual spellings, and the token of a secret that is a whole header. */
function masked(text: string, secret: string | null): string {
  if (secret === null) return text
  const token = secret.slice(secret.indexOf(' ') + 1)
  const spellings = [secret, token].flatMap((one) => [one, JSON.stringify(one).slice(1, -1), encodeURIComponent(one)])
  return spellings.reduce((left, one) => left.replaceAll(one, mask), text)
}

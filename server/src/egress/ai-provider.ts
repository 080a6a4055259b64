/**
 * The interface to AI providers: a request has one text of instructions and one of data, and gets one answer,
 * optionally as JSON of a given schema, within a number of tokens. Providers: none; `openai_compatible`, which speaks
 * OpenAI's chat completions at the operator's base URL, the only host that it can reach; and `echo`, which answers
 * equal requests equally, for trials and tests.
 */

import { type JsonSchema, sampleOf } from '../lib/json-schema.ts'
import { Egress, type EgressResult } from './egress.ts'
import { egress_limits } from './limits.ts'

interface AiRequest {
  /** Written by the author of the automation. */
  readonly instructions: string
  /** The data to work on, never read as instructions. */
  readonly input: string
  /** The schema of the answer; `null` for plain text. */
  readonly schema: JsonSchema | null
  readonly max_output_tokens: number
  readonly idempotencyKey: string
}

interface AiUsage {
  readonly input_tokens: number
  readonly output_tokens: number
}

export type AiResult =
  | { readonly ok: true; readonly text: string; readonly usage: AiUsage | null }
  | {
      readonly ok: false
      readonly code: 'ai_unreachable' | 'ai_timeout' | 'ai_refused' | 'ai_answer_unreadable'
      readonly message: string
      readonly http_status: number | null
      /** Another attempt may succeed. */
      readonly retryable: boolean
      /** The provider may have processed the request and charged for it. */
      readonly charged: boolean
      readonly retryAfter: string | null
    }

export interface AiProvider {
  readonly name: 'none' | 'openai_compatible' | 'echo'
  /** Never rejects. */
  complete(request: AiRequest): Promise<AiResult>
}

export interface AiProviderSettings {
  readonly provider: AiProvider['name']
  readonly baseUrl: string | null
  readonly apiKey: string | null
  readonly model: string | null
}

/** The provider that the operator configured. */
export function aiProvider(settings: AiProviderSettings): AiProvider {
  const { provider, baseUrl, apiKey, model } = settings
  if (provider === 'echo') return echo
  if (provider === 'none' || baseUrl === null || apiKey === null || model === null) return none
  return openAiCompatible(baseUrl, apiKey, model)
}

const none: AiProvider = {
  name: 'none',
  async complete() {
    return refused('ai_refused', 'This installation has no provider of AI (ATRIUM_AI_PROVIDER).')
  },
}

const echo: AiProvider = {
  name: 'echo',
  async complete({ input, schema, max_output_tokens, instructions }) {
    const chars = 4 * max_output_tokens
    const text = schema === null ? [...input].slice(0, chars).join('') : JSON.stringify(sampleOf(schema, input))
    return {
      ok: true,
      text,
      usage: { input_tokens: tokens(instructions + input), output_tokens: Math.min(max_output_tokens, tokens(text)) },
    }
  },
}

function tokens(text: string): number {
  return Math.ceil(text.length / 4)
}

function openAiCompatible(baseUrl: string, apiKey: string, model: string): AiProvider {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/chat/completions`)
  // The operator's host may be at any address; no other host can be reached.
  const egress = new Egress({
    allowedHosts: [url.hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase()],
    allowedCidrs: [],
  })
  return {
    name: 'openai_compatible',
    async complete(request) {
      const answer = await egress.send({
        url,
        method: 'POST',
        headers: {
          Authorization: `Bearer ${apiKey}`,
          'Content-Type': 'application/json',
          Accept: 'application/json',
          'User-Agent': 'Atrium',
          'Idempotency-Key': request.idempotencyKey,
        },
        body: JSON.stringify(chat(model, request)),
        total_ms: egress_limits.ai_request_ms,
        connect_ms: egress_limits.ai_connect_ms,
        response_bytes_max: egress_limits.ai_response_bytes_max,
      })
      return readAnswer(answer)
    },
  }
}

function chat(model: string, { instructions, input, schema, max_output_tokens }: AiRequest): object {
  return {
    model,
    messages: [
      { role: 'system', content: instructions },
      { role: 'user', content: input },
    ],
    max_tokens: max_output_tokens,
    ...(schema === null
      ? {}
      : { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: false } } }),
  }
}

function readAnswer(answer: EgressResult): AiResult {
  if (!answer.ok) {
    const sent = answer.failure === 'timeout' || answer.failure === 'protocol'
    const code = answer.failure === 'timeout' ? 'ai_timeout' : 'ai_unreachable'
    const message = answer.failure === 'timeout' ? 'did not answer in time' : 'could not be reached'
    return { ...refused(code, `The provider of AI ${message}.`), retryable: true, charged: sent }
  }
  const { status, headers, body } = answer
  if (status < 200 || status > 299) {
    const retryAfter = typeof headers['retry-after'] === 'string' ? headers['retry-after'] : null
    const failure = refused('ai_refused', `The provider of AI answered with status ${status}.`, status)
    return { ...failure, retryable: isPassing(status), retryAfter }
  }
  const read = readCompletion(body.toString('utf8'))
  if (read !== null) return read
  return {
    ...refused('ai_answer_unreadable', 'The answer of the provider of AI cannot be read.', status),
    retryable: true,
    charged: true,
  }
}

/** Statuses after which the same request may succeed later. */
export function isPassing(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || (status >= 500 && status !== 501)
}

interface Completion {
  readonly choices?: readonly { readonly message?: { readonly content?: unknown } }[]
  readonly usage?: { readonly prompt_tokens?: unknown; readonly completion_tokens?: unknown }
}

function readCompletion(text: string): AiResult | null {
  let read: Completion | null
  try {
    read = JSON.parse(text) as Completion | null
  } catch {
    return null
  }
  const content = read?.choices?.[0]?.message?.content
  if (typeof content !== 'string') return null
  const input_tokens = read?.usage?.prompt_tokens
  const output_tokens = read?.usage?.completion_tokens
  const isKnown = isCount(input_tokens) && isCount(output_tokens)
  return { ok: true, text: content, usage: isKnown ? { input_tokens, output_tokens } : null }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

type Refused = Extract<AiResult, { ok: false }>

function refused(code: Refused['code'], message: string, http_status: number | null = null): Refused {
  return { ok: false, code, message, http_status, retryable: false, charged: false, retryAfter: null }
}

/**
 * The server as the commands see it. A request is retried only where that can help and cannot repeat an effect: a write
 * keeps one idempotency key over all attempts, and a refusal with a reason is final (contract/02#retries).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { programVersion } from '../../lib/program-version.ts'
import { Failure } from '../command.ts'
import { cli_limits } from '../limits.ts'
import { exit } from './exit-codes.ts'
import { envelopeOf, type Reply, readReply } from './reply.ts'

export interface Target {
  /** Without a slash at its end. */
  readonly url: string
  readonly key: string | null
  readonly apiVersion: string | null
}

export interface Patience {
  /** Attempts after the first, if no answer arrived or it was a 5xx. */
  readonly retries: number
  /** Longest total wait for the times that the server names, in seconds. */
  readonly waitSeconds: number
  /** Called before waits that a person notices. */
  readonly say: (line: string) => void
}

export interface Sending {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** A Blob is the content of a file, which may take long to send. */
  readonly body?: string | Buffer<ArrayBuffer> | Blob
}

export class Client {
  readonly target: Target
  private readonly patience: Patience

  constructor(target: Target, patience: Patience) {
    this.target = target
    this.patience = patience
  }

  headers(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    const { key, apiVersion } = this.target
    return {
      'user-agent': `atrium-cli/${programVersion()}`,
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(apiVersion === null ? {} : { 'service-version': apiVersion }),
      ...more,
    }
  }

  /** The answer, whatever its status, after retries within the limits. Throws if no answer comes. */
  async send(sending: Sending): Promise<Reply> {
    let waited_seconds = 0
    for (let failed = 0; ; ) {
      const outcome = await this.attempt(sending)
      if (outcome instanceof Failure) {
        if (failed++ >= this.patience.retries) throw outcome
        await pause(failed)
        continue
      }
      const { retryAfter } = outcome
      if (waits(outcome) && retryAfter !== null) {
        if (waited_seconds + retryAfter > this.patience.waitSeconds) return outcome
        waited_seconds += retryAfter
        await this.wait(outcome, retryAfter)
      } else if (mayPass(outcome) && failed++ < this.patience.retries) await pause(failed)
      else return outcome
    }
  }

  private async wait({ status }: Reply, seconds: number): Promise<void> {
    const why = status === 429 ? 'The credits are used up' : 'The server is not ready'
    if (seconds * 1000 >= cli_limits.client_wait_reported_ms) this.patience.say(`${why}. Retrying in ${seconds} s.`)
    await sleep(seconds * 1000 + Math.random() * cli_limits.client_pause_ms)
  }

  private async attempt({ method, path, headers, body }: Sending): Promise<Reply | Failure> {
    try {
      const answer = await fetch(this.target.url + path, {
        method,
        headers: this.headers({ ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers }),
        ...(body === undefined ? {} : { body }),
        redirect: 'manual',
        signal: AbortSignal.timeout(body instanceof Blob ? cli_limits.client_upload_ms : cli_limits.client_request_ms),
      })
      return await readReply(answer)
    } catch (error) {
      return new Failure(`${this.target.url} cannot be reached: ${reasonOf(error)}.`, exit.unavailable)
    }
  }
}

/** Whether the server may ask for a retry: credits, an unavailable store, or the same request still in progress. */
function waits({ status }: Reply): boolean {
  return status === 429 || status === 503 || status === 409
}

/** Whether a 5xx without Retry-After may pass; a disabled operation does not. */
function mayPass(reply: Reply): boolean {
  return reply.status >= 500 && envelopeOf(reply)?.code !== 'endpoint_disabled'
}

async function pause(attempt: number): Promise<void> {
  const bound = cli_limits.client_pause_ms * 2 ** Math.min(attempt, 5)
  await sleep(bound / 2 + (Math.random() * bound) / 2)
}

/** The reason of a failed `fetch`, which is in the error's cause. */
export function reasonOf(error: unknown): string {
  const cause = (error as { cause?: unknown }).cause
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join('; ')
  if (cause instanceof Error) return reasonOf(cause)
  if ((error as Error).name === 'TimeoutError') return 'no answer arrived in time'
  return error instanceof Error ? error.message || String((error as { code?: unknown }).code) : String(error)
}

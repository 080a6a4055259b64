/** The API of a running server, over HTTP: what `atrium mcp` works with, so that it needs no database. */
import type { Operation } from '../api/operation.ts'
import { type Api, type ApiAnswer, type ApiRequest, Unreachable } from './api.ts'
import { agentName } from './server.ts'

export interface Sending {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** One exchange with the server, with the credential. Repeats what can be repeated; throws Unreachable. */
export type Exchange = (sending: Sending) => Promise<ApiAnswer>

export class RemoteApi implements Api {
  private readonly exchange: Exchange

  constructor(exchange: Exchange) {
    this.exchange = exchange
  }

  /** Asked anew each time: it costs a credit, and no key is believed for longer than its answer. */
  async admits(): Promise<(operation: Operation) => boolean> {
    const headers = { 'user-agent': agentName(null) }
    const answer = await this.exchange({ method: 'GET', path: '/v1/me', headers })
    const me = parsed(answer.body) as { scopes?: string[]; error?: { code: string; message: string } } | null
    const { error, scopes } = me ?? {}
    if (scopes === undefined) {
      throw new Unreachable(error === undefined ? 'What answers is not Atrium.' : `${error.message} (${error.code})`)
    }
    const held = new Set(scopes)
    return ({ scope }) => scope === null || held.has(scope)
  }

  async send({ operation, path, query, headers, body }: ApiRequest, agent: string | null): Promise<ApiAnswer> {
    return await this.exchange({
      method: operation.method,
      path: query === '' ? path : `${path}?${query}`,
      headers: { ...headers, 'user-agent': agentName(agent) },
      ...(body === null ? {} : { body }),
    })
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

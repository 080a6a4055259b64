/** Calls the API of a running server over HTTP, for `atrium mcp`, which needs no database. */
import type { Operation } from '../api/declare/operation.ts'
import { type Api, type ApiAnswer, type ApiRequest, Unreachable } from './api.ts'
import { agentName } from './server.ts'

interface Sending {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Blob
}

/** Sends a request with the credential and retries it where that is safe. Throws Unreachable. */
export type Exchange = (sending: Sending) => Promise<ApiAnswer>

export class RemoteApi implements Api {
  private readonly exchange: Exchange

  constructor(exchange: Exchange) {
    this.exchange = exchange
  }

  /** Reads the key's scopes on every call, for one credit: they are not cached. */
  async admits(): Promise<(operation: Operation) => boolean> {
    const headers = { 'user-agent': agentName(null) }
    const answer = await this.exchange({ method: 'GET', path: '/v1/me', headers })
    const me = parsed(answer.body) as { scopes?: string[]; error?: { code: string; message: string } } | null
    const { error, scopes } = me ?? {}
    if (scopes === undefined) {
      throw new Unreachable(
        error === undefined ? 'The server is not Atrium. Check the URL.' : `${error.message} (${error.code})`,
      )
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

/**
 * The API of this process: a tool call goes the way of every request, from the credential to the request log. Nothing of
 * it is left out, and nothing is decided here.
 */
import type { Caller } from '../api/caller.ts'
import type { Operation } from '../api/operation.ts'
import { answer } from '../api/pipeline.ts'
import type { Answer, Request } from '../api/request.ts'
import type { Services } from '../api/services.ts'
import { newId } from '../lib/ids.ts'
import type { Api, ApiAnswer, ApiRequest } from './api.ts'
import { agentName } from './server.ts'

export class LocalApi implements Api {
  private readonly services: Services
  /** The exchange that the tool call came in. */
  private readonly surface: Request
  private readonly caller: Caller
  private used = false

  constructor(services: Services, surface: Request, caller: Caller) {
    this.services = services
    this.surface = surface
    this.caller = caller
  }

  async admits(): Promise<(operation: Operation) => boolean> {
    const { scopes } = this.caller
    const { disabledOperations } = this.services
    return ({ id, scope }) => (scope === null || scopes.has(scope)) && !disabledOperations.has(id)
  }

  async send(sent: ApiRequest, agent: string | null): Promise<ApiAnswer> {
    const request = this.toRequest(sent, agent)
    return toAnswer(await answer(this.services, sent.operation, request, sent.params))
  }

  private toRequest(sent: ApiRequest, agent: string | null): Request {
    const { surface } = this
    const bytes = Buffer.from(sent.body ?? '')
    const { authorization, 'user-agent': client } = surface.headers
    const headers: Record<string, string> = {
      ...sent.headers,
      authorization: String(authorization),
      'user-agent': agentName(agent ?? (client as string | undefined) ?? null),
      'content-length': String(bytes.length),
    }
    return {
      id: this.nextId(),
      method: sent.operation.method,
      path: sent.path,
      rawQuery: sent.query,
      headers,
      headerValues: (name) => (headers[name] === undefined ? [] : [headers[name]]),
      body: async () => bytes,
      ip: surface.ip,
      receivedAt: this.services.clock.now(),
    }
  }

  /** The exchange's own id, so that its `X-Request-Id` is that of the log; no request has another's. */
  private nextId(): string {
    const id = this.used ? newId('req', this.services.clock.now()) : this.surface.id
    this.used = true
    return id
  }
}

function toAnswer({ status, headers, body }: Answer): ApiAnswer {
  const values = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return { status, body: body ?? '', header: (name) => values.get(name) ?? null }
}

/** Calls the API of this process: a tool call passes through the whole pipeline, from credential to request log. */
import type { Caller } from '../api/declare/caller.ts'
import type { Operation } from '../api/declare/operation.ts'
import { type Answer, piecesOf, type Request } from '../api/declare/request.ts'
import { answer } from '../api/pipeline.ts'
import type { Services } from '../api/services.ts'
import { newId } from '../lib/ids.ts'
import type { Api, ApiAnswer, ApiRequest } from './api.ts'
import { agentName } from './server.ts'

export class LocalApi implements Api {
  private readonly services: Services
  /** The HTTP request that carries the tool call. */
  private readonly carrier: Request
  private readonly caller: Caller
  private used = false

  constructor(services: Services, carrier: Request, caller: Caller) {
    this.services = services
    this.carrier = carrier
    this.caller = caller
  }

  async admits(): Promise<(operation: Operation) => boolean> {
    const { scopes } = this.caller
    const { disabledOperations } = this.services
    return ({ id, scope }) => (scope === null || scopes.has(scope)) && !disabledOperations.has(id)
  }

  async send(request: ApiRequest, agent: string | null): Promise<ApiAnswer> {
    const { operation, params } = request
    const bytes = await bytesOf(request.body)
    return toAnswer(await answer(this.services, operation, this.toRequest(request, bytes, agent), params))
  }

  private toRequest(sent: ApiRequest, bytes: Buffer<ArrayBuffer>, agent: string | null): Request {
    const { carrier } = this
    const { authorization, 'user-agent': client } = carrier.headers
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
      pieces: (bytes_max) => piecesOf(bytes, bytes_max),
      ip: carrier.ip,
      receivedAt: this.services.clock.now(),
    }
  }

  /** The carrier's id for the first call, so that its `X-Request-Id` is in the request log; a new id for each other call. */
  private nextId(): string {
    const id = this.used ? newId('req', this.services.clock.now()) : this.carrier.id
    this.used = true
    return id
  }
}

async function bytesOf(body: ApiRequest['body']): Promise<Buffer<ArrayBuffer>> {
  if (body instanceof Blob) return Buffer.from(await body.arrayBuffer())
  return Buffer.from(body ?? '')
}

function toAnswer({ status, headers, body }: Answer): ApiAnswer {
  const values = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return { status, body: body ?? '', header: (name) => values.get(name) ?? null }
}

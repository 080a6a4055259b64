/** How tools call the API: in the process (`local-api.ts`) or over HTTP (`remote-api.ts`). */
import type { Operation } from '../api/declare/operation.ts'

/** A request for an operation, with the parts of an HTTP request. */
export interface ApiRequest {
  readonly operation: Operation
  /** Decoded. */
  readonly params: Readonly<Record<string, string>>
  /** With the encoded parameters. */
  readonly path: string
  /** Without the `?`. */
  readonly query: string
  /** JSON, or the content of a file. */
  readonly body: string | Blob | null
  /** Names in lower case, without the credential. */
  readonly headers: Readonly<Record<string, string>>
}

export interface ApiAnswer {
  readonly status: number
  /** `name` is in lower case. */
  header(name: string): string | null
  readonly body: string
}

export interface Api {
  /** Whether the credential may call an operation, as far as its scopes and the operator's switches decide. */
  admits(): Promise<(operation: Operation) => boolean>
  /** `agent`: the MCP client's name for itself. Rejects with Unreachable if no answer arrives. */
  send(request: ApiRequest, agent: string | null): Promise<ApiAnswer>
}

/** No answer arrived. The message says what to check. */
export class Unreachable extends Error {}

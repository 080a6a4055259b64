/**
 * How tools reach the API. There are two ways, in the process (`local-api.ts`) and over HTTP (`remote-api.ts`); all else
 * about tools is the same for both.
 */
import type { Operation } from '../api/operation.ts'

/** One request for an operation, as HTTP would carry it. */
export interface ApiRequest {
  readonly operation: Operation
  /** Decoded. */
  readonly params: Readonly<Record<string, string>>
  /** With the parameters in their places, encoded. */
  readonly path: string
  /** Without the `?`. */
  readonly query: string
  /** JSON. */
  readonly body: string | null
  /** Names in lower case; the credential is not among them. */
  readonly headers: Readonly<Record<string, string>>
}

export interface ApiAnswer {
  readonly status: number
  /** The value of a header, by its name in lower case. */
  header(name: string): string | null
  readonly body: string
}

export interface Api {
  /** Whether the credential may use an operation, as far as this can be told before it is called. */
  admits(): Promise<(operation: Operation) => boolean>
  /** `agent`: who the MCP client says it is. Rejects with Unreachable when there is no answer. */
  send(request: ApiRequest, agent: string | null): Promise<ApiAnswer>
}

/** No answer came. The message says where to look. */
export class Unreachable extends Error {}

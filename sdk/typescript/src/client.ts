/** The client: every resource of the API, and a way to call operations that this SDK does not know. */
import type { Call } from './call.ts'
import { AtriumError } from './errors.ts'
import type { DryRun } from './generated/objects.ts'
import { Resources } from './generated/resources.ts'
import type { AtriumOptions, RevisionOptions } from './options.ts'
import { Transport } from './transport.ts'

/** A request by method and path. */
export interface PlainRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Path with `/v1`: `/v1/tasks/KEP-42`. */
  path: string
  query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>> | undefined
  body?: object | undefined
}

/** What a write would have done. New ids in it are placeholders. */
export type DryRunOf<T> = Omit<DryRun, 'answer'> & { answer: T }

/**
 * A client of one Atrium with one credential: `new Atrium({ apiKey, baseUrl })`. Methods take the ids of the path, then
 * the parameters, then options. Fields and parameters have the names of the API; times are Unix seconds.
 */
export class Atrium extends Resources {
  readonly #transport: Transport
  readonly #rehearsing: Resources

  constructor(options: AtriumOptions) {
    const transport = new Transport(options)
    super(transport)
    this.#transport = transport
    this.#rehearsing = new Resources(new Transport({ ...options, headers: { ...options.headers, prefer: 'dry-run' } }))
  }

  /** Calls an operation that this version of the SDK has no method for, with keys and retries like a method. */
  request<T = unknown>({ method, path, query, body }: PlainRequest, options?: RevisionOptions): Call<T> {
    const inQuery = Object.keys(query ?? {})
    return this.#transport.call<T>(
      { method, path, params: { ...query, ...body }, inQuery, body: method !== 'GET' },
      options,
    )
  }

  /**
   * Runs all checks of a write and returns its answer, its events and its price without changing anything: `await atrium.dryRun((atrium) => atrium.tasks.complete('KEP-42'))`. Rejects as the write would.
   */
  async dryRun<T>(write: (atrium: Resources) => Call<T>): Promise<DryRunOf<T>> {
    const { data, response } = await write(this.#rehearsing).withResponse()
    // The header says that the answer describes a dry run and is not the object.
    if (response.headers.get('preference-applied') === 'dry-run') return data as T & DryRunOf<T>
    throw new AtriumError(
      'The server did not perform a dry run. Either the call was a read, or the server does not support dry runs and performed the write.',
    )
  }
}

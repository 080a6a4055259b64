/** What the developer area's endpoints take and answer; see `shapes.ts`. */
import type { Deleted, ListOf, Mode } from './shapes-words.ts'

/** An entry of the request log, as `GET /v1/request_logs/{id}` shows it. */
export interface LoggedRequest {
  readonly id: string
  readonly object: 'request_log'
  readonly created: number
  readonly method: string
  readonly route: string
  readonly path: string
  readonly query_parameters: readonly string[]
  readonly operation: string
  readonly status: number
  readonly error_code: string | null
  readonly error_param: string | null
  readonly credential: string
  readonly owner: { readonly type: string; readonly id: string }
  readonly mode: Mode
  readonly api_version: string
  readonly cost: number
  readonly charged: number
  readonly duration_ms: number
  readonly dry_run: boolean
  readonly idempotency_replayed: boolean
  readonly original_request: string | null
  readonly ip: string
  readonly user_agent: string | null
  readonly request_bytes: number
  readonly response_bytes: number
  readonly events: readonly string[]
  readonly expires_at: number
}

export interface LoggedRequests {
  readonly data: readonly LoggedRequest[]
  /** Where the next page begins, also when this one is not full: so far was looked. `null` at the log's end. */
  readonly next_cursor: string | null
}

export type LogWindow = '1h' | '24h' | '7d'

/** The log of a while, added up. */
export interface LogSummary {
  readonly window: LogWindow
  readonly from: number
  readonly to: number
  /** False: there was more than is looked at; then `from` says how far back this reaches. */
  readonly complete: boolean
  readonly requests: number
  readonly errors: number
  /** Of equal length, the earliest first. */
  readonly buckets: readonly { readonly at: number; readonly requests: number; readonly errors: number }[]
  /** The busiest first. */
  readonly operations: readonly {
    readonly operation: string
    readonly requests: number
    readonly errors: number
    readonly p50_ms: number
    readonly p99_ms: number
  }[]
  /** The most frequent first. */
  readonly errors_by_code: readonly {
    readonly code: string
    readonly operation: string
    readonly status: number
    readonly count: number
    readonly last_at: number
    readonly last_request: string
    /** The parameter that was named last, if any. */
    readonly param: string | null
  }[]
  /** `hours` are requests in each of the last 24 hours, the earliest first; all 0 where the window is shorter. */
  readonly credentials: readonly {
    readonly credential: string
    readonly requests: number
    readonly errors: number
    readonly last_at: number
    readonly hours: readonly number[]
  }[]
}

/** What an id stands for, and where it is shown. */
export interface OpenedId {
  readonly id: string
  readonly object: string
  /** The console's path. */
  readonly url: string
  /** The path of the API; `null` where it has none. */
  readonly api_path: string | null
}

export interface EndpointAttempt {
  readonly delivery: string
  readonly event: string
  readonly event_type: string | null
  readonly number: number
  readonly created: number
  readonly duration_ms: number
  readonly http_status: number | null
  readonly error_category: string | null
  readonly response_excerpt: string | null
  readonly trigger: string
  readonly succeeded: boolean
}

export interface EndpointHealth {
  /** Of the attempts below; `null` without any. */
  readonly success_rate: number | null
  readonly p50_ms: number | null
  readonly pending: number
  readonly attempts: readonly EndpointAttempt[]
}

export interface ExampleSent {
  readonly type: string
  readonly duration_ms: number
  readonly http_status: number | null
  /** Why nothing was answered. */
  readonly error_category: string | null
  readonly response_excerpt: string | null
  /** What was sent, headers with their signatures and body. */
  readonly request: { readonly headers: Readonly<Record<string, string>>; readonly body: string }
}

export interface Application {
  readonly id: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly mode: Mode
  readonly created: number
  readonly tokens: number
}

export interface ApplicationToken {
  readonly id: string
  readonly created: number
  readonly expires_at: number | null
  readonly last_used_at: number | null
  readonly hint: string
}

export interface AuditVerdictShown {
  readonly ok: boolean
  readonly entries: number | null
  /** What is wrong, and where. */
  readonly message: string | null
  readonly sequence: number | null
  readonly checked_at: number
}

export interface ApiVersion {
  readonly date: string
  readonly is_newest: boolean
  /** Keys that speak it unless a request says otherwise. */
  readonly keys: number
}

export interface DevelopersApi {
  'GET request-logs': {
    query: {
      mode?: Mode
      cursor?: string
      operation?: string
      status?: string
      code?: string
      credential?: string
      before?: number
      after?: number
    }
    answer: LoggedRequests
  }
  'GET request-logs/summary': { query: { mode?: Mode; window?: LogWindow }; answer: LogSummary }
  'GET open/{id}': { query: { mode?: Mode }; answer: OpenedId }
  'GET endpoints/{id}/health': { query: { mode?: Mode }; answer: EndpointHealth }
  'POST endpoints/{id}/example': { body: { mode?: Mode; type: string }; answer: ExampleSent }
  'GET applications': { query: { mode?: Mode }; answer: ListOf<Application> }
  'POST applications': { body: { mode?: Mode; name: string; scopes: readonly string[] }; answer: Application }
  'DELETE applications/{id}': { body: { mode?: Mode } | undefined; answer: Deleted }
  'GET applications/{id}/tokens': { query: { mode?: Mode }; answer: ListOf<ApplicationToken> }
  'POST applications/{id}/tokens': {
    body: { mode?: Mode; expires_in?: number }
    answer: { readonly id: string /** Shown this once. */; readonly secret: string; readonly expires_at: number }
  }
  'DELETE tokens/{id}': { body: { mode?: Mode } | undefined; answer: Deleted }
  'GET event-types': { answer: ListOf<{ readonly type: string; readonly object: string }> }
  'GET audit/verify': { answer: AuditVerdictShown }
  'GET versions': { query: { mode?: Mode }; answer: ListOf<ApiVersion> }
}

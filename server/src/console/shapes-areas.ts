/** What the endpoints of work, boards, automations, money and operation take and answer; see `shapes.ts`. */
import type { Deleted, Mode } from './shapes-words.ts'

/** Objects as `/v1` shows them. */
export type ShownObject = Readonly<Record<string, unknown>> & { readonly id: string; readonly object: string }

export interface FilterFields {
  readonly name: string
  readonly description?: string | null
  readonly filter: string
  readonly sort?: string | null
}

export interface TemplateFields {
  readonly name: string
  readonly description?: string | null
  readonly defaults: object
  readonly overridable?: readonly string[]
}

export interface WorkApi {
  'GET tasks/count': { query: { mode?: Mode; filter?: string }; answer: { readonly count: number } }
  'GET tasks/places': {
    query: { mode?: Mode; filter?: string; sort?: string }
    answer: {
      /** Tasks of a page. */
      readonly page: number
      /** Behind which the second page begins, the third and so on. */
      readonly places: readonly string[]
    }
  }
  'POST saved-filters': {
    body: FilterFields & { mode?: Mode; workspace: string; project?: string | null }
    answer: ShownObject
  }
  'PATCH saved-filters/{id}': { body: Partial<FilterFields> & { mode?: Mode }; answer: ShownObject }
  'DELETE saved-filters/{id}': { body: { mode?: Mode }; answer: Deleted }
  'POST task-templates': {
    body: TemplateFields & { mode?: Mode; workspace: string; project?: string | null }
    answer: ShownObject
  }
  'PATCH task-templates/{id}': { body: Partial<TemplateFields> & { mode?: Mode }; answer: ShownObject }
  'DELETE task-templates/{id}': { body: { mode?: Mode }; answer: Deleted }
}

export type ExpenseStatusName = 'draft' | 'submitted' | 'approved' | 'rejected' | 'reimbursed'

export interface OtherAreasApi {
  'POST expenses/{id}/status': { body: { mode?: Mode; status: ExpenseStatusName }; answer: ShownObject }
  'POST boards/{id}/restore': { body: { mode?: Mode }; answer: ShownObject }
  /** `scene` is the drawing's text; `board` publishes on one that is there, `name` makes a new one. */
  'POST boards/import': {
    body: { mode?: Mode; scene: string; name?: string; board?: string }
    answer: ShownObject
  }
  'POST automation-flows/{id}/run': { body: { mode?: Mode; task: string }; answer: ShownObject }
  'GET operator': { answer: OperatorReport }
}

export interface WorkerReport {
  readonly name: string
  readonly does: string
  readonly period_seconds: number
  readonly state: 'ok' | 'running' | 'failing' | 'late' | 'never'
  readonly last_started_at: number | null
  readonly last_ended_at: number | null
  readonly done: number
  readonly failed: number
  readonly lag_seconds: number | null
  readonly last_error: string | null
}

/** How the installation fares. Figures of all organizations together; names of none. */
export interface OperatorReport {
  readonly at: number
  readonly program: { readonly version: string; readonly node: string; readonly started_at: number }
  readonly process: {
    readonly resident_bytes: number
    readonly cpu_seconds: number
    readonly open_streams: number
    readonly lost_log_entries: number
  }
  readonly database: {
    readonly engine: string
    readonly version: string
    readonly settings: Readonly<Record<string, string>>
    readonly organizations: number
    readonly pending_migrations: readonly string[]
    /** `null` where the engine keeps it elsewhere. */
    readonly bytes: number | null
    readonly wal_bytes: number | null
  }
  readonly disk: { readonly path: string; readonly free_bytes: number; readonly size_bytes: number } | null
  readonly workers: readonly WorkerReport[]
  /** What waits to be done. */
  readonly queues: readonly { readonly name: string; readonly waiting: number; readonly oldest_at: number | null }[]
}

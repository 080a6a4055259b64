/** Builders of wrong requests: one list of cases per operation and place. */

export interface Wrong {
  readonly operation: string
  readonly place: 'body' | 'query' | 'params'
  readonly set: Readonly<Record<string, unknown>>
  readonly code: string
  /** The `param` of the refusal; `null`: none, `undefined`: any. */
  readonly param: string | null | undefined
}

/** The values to set (`undefined` omits a field), the `param` of the refusal, and its code if not the usual one. */
export type Case = readonly [set: Readonly<Record<string, unknown>>, param?: string | null, code?: string]

function wrong(place: Wrong['place'], usual: string, operation: string, cases: readonly Case[]): Wrong[] {
  return cases.map(([set, param, code]) => ({ operation, place, set, param, code: code ?? usual }))
}

/** Wrong body fields. */
export const body = (operation: string, ...cases: Case[]) => wrong('body', 'invalid_request_body', operation, cases)
/** Wrong query parameters. */
export const query = (operation: string, ...cases: Case[]) =>
  wrong('query', 'invalid_query_parameter', operation, cases)
/** Wrong path ids. */
export const path = (operation: string, ...cases: Case[]) => wrong('params', 'resource_not_found', operation, cases)

export const chars = (count: number) => 'x'.repeat(count)
export const times = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i))
export const conflict = 'resource_conflict'
export const deleted = 'resource_deleted'
export const mismatch = 'cursor_filter_mismatch'

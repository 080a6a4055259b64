/** How wrong requests are written down: one list of cases for each operation and place. */

export interface Wrong {
  readonly operation: string
  readonly place: 'body' | 'query' | 'params'
  readonly set: Readonly<Record<string, unknown>>
  readonly code: string
  /** `null`: none; `undefined`: any. */
  readonly param: string | null | undefined
}

/** What to set (`undefined` leaves a field out), the parameter at fault and, where it is not the usual one, the code. */
export type Case = readonly [set: Readonly<Record<string, unknown>>, param?: string | null, code?: string]

function wrong(place: Wrong['place'], usual: string, operation: string, cases: readonly Case[]): Wrong[] {
  return cases.map(([set, param, code]) => ({ operation, place, set, param, code: code ?? usual }))
}

/** Fields of the body, refused as an invalid body. */
export const body = (operation: string, ...cases: Case[]) => wrong('body', 'invalid_request_body', operation, cases)
/** Parameters of the query, refused as invalid ones. */
export const query = (operation: string, ...cases: Case[]) =>
  wrong('query', 'invalid_query_parameter', operation, cases)
/** Parts of the path, refused as things that are not there. */
export const path = (operation: string, ...cases: Case[]) => wrong('params', 'resource_not_found', operation, cases)

export const chars = (count: number) => 'x'.repeat(count)
export const times = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i))
export const conflict = 'resource_conflict'
export const deleted = 'resource_deleted'
export const mismatch = 'cursor_filter_mismatch'

/** A call as a request: URL, headers and body. */
import { AtriumError } from './errors.ts'

export interface Outgoing {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** From `/v1` on, its ids encoded. */
  readonly path: string
  readonly params?: object | undefined
  /** `false`: all parameters stand in the query. */
  readonly body?: boolean
  /** Of a request with a body: the parameters that stand in the query nevertheless. */
  readonly inQuery?: readonly string[]
  /** Parameters of the query whose values are joined with commas. */
  readonly commas?: readonly string[]
  /** Parameters of the query that are called `name[]`. */
  readonly brackets?: readonly string[]
}

/** A path with ids put in. An id that would lead to another path is refused before anything is sent. */
export function path(parts: TemplateStringsArray, ...ids: readonly string[]): string {
  return ids.reduce((text, id, i) => text + checked(id) + parts[i + 1], parts[0] as string)
}

function checked(id: unknown): string {
  if (typeof id === 'string' && id !== '' && id !== '.' && id !== '..') return encodeURIComponent(id)
  throw new AtriumError(`An id must be a text that is not empty; this is ${JSON.stringify(id)}.`)
}

/** Path and query. */
export function target(outgoing: Outgoing): string {
  const { path, params = {}, body = true, inQuery = [], commas = [], brackets = [] } = outgoing
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined || (body && !inQuery.includes(name))) continue
    if (commas.includes(name)) query.append(name, [value].flat().join(','))
    else for (const each of [value].flat()) query.append(brackets.includes(name) ? `${name}[]` : name, String(each))
  }
  const text = query.toString()
  return text === '' ? path : `${path}?${text}`
}

/** The body's text; nothing where nothing is to be said. */
export function payload({ method, params, body = true, inQuery = [] }: Outgoing): string | undefined {
  if (!body || method === 'GET' || params === undefined) return undefined
  const entries = Object.entries(params).filter(([name]) => !inQuery.includes(name))
  return entries.length === 0 ? undefined : JSON.stringify(Object.fromEntries(entries))
}

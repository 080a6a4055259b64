/**
 * Pages through a list with the cursor of its kind, until the list ends or the limit is reached
 * (contract/06#id-cursors, contract/06#opaque-cursors).
 */
import type { Operation } from '../../api/declare/operation.ts'
import { limits } from '../../api/limits.ts'
import { quoted } from '../../lib/quoted.ts'
import { exit, failureOf } from '../client/exit-codes.ts'
import type { Client } from '../client/http.ts'
import type { Reply } from '../client/reply.ts'
import { Failure } from '../command.ts'
import { type ApiRequest, sendingOf } from './request.ts'

export interface ListPage {
  readonly object: 'list'
  readonly url: string
  readonly has_more: boolean
  readonly next_cursor: string | null
  readonly data: readonly Record<string, unknown>[]
  /** What only some lists have, such as `indexed_sequence` of a search. */
  readonly [more: string]: unknown
}

export interface Walk {
  /** How many objects; `null`: the server's page, Infinity: all. */
  readonly count: number | null
  readonly fields: string | undefined
  /** Called with every answer. */
  readonly seen: (reply: Reply) => void
}

/** The parameter that continues a list: a list read backwards continues backwards. */
function cursorName(operation: Operation, request: ApiRequest): string {
  if (operation.paging === 'opaque') return 'cursor'
  return request.query.some(([name]) => name === 'ending_before') ? 'ending_before' : 'starting_after'
}

export async function* pagesOf(
  client: Client,
  operation: Operation,
  request: ApiRequest,
  walk: Walk,
): AsyncGenerator<ListPage> {
  const name = cursorName(operation, request)
  const more: [string, string][] = walk.fields === undefined ? [] : [['fields', walk.fields]]
  let cursor: string | null = null
  for (let left = walk.count ?? 0; ; ) {
    const size: [string, string][] =
      walk.count === null ? [] : [['limit', String(Math.min(left, limits.page_limit_max))]]
    const page = await pageOf(client, continued(request, name, cursor), [...more, ...size], walk)
    left -= page.data.length
    yield page
    if (walk.count === null || left <= 0 || !page.has_more || page.next_cursor === null) return
    if (page.next_cursor === cursor)
      throw new Failure(`The server returned the cursor ${quoted(cursor)} twice.`, exit.unavailable)
    cursor = page.next_cursor
  }
}

function continued(request: ApiRequest, name: string, cursor: string | null): ApiRequest {
  if (cursor === null) return request
  return { ...request, query: [...request.query.filter(([each]) => each !== name), [name, cursor]] }
}

async function pageOf(client: Client, request: ApiRequest, more: [string, string][], walk: Walk): Promise<ListPage> {
  const reply = await client.send(sendingOf(request, more))
  walk.seen(reply)
  const page = reply.body as ListPage | undefined
  if (reply.status !== 200 || page?.object !== 'list' || !Array.isArray(page.data)) throw failureOf(reply)
  return page
}

/** A list of the API with its path and required parameters filled in, to be read by page or as a whole. */
import assert from 'node:assert/strict'
import type { Operation } from '../../src/api/declare/operation.ts'
import type { Reply } from '../call.ts'
import { makers } from '../makers.ts'
import type { Things } from '../things.ts'

type Query = Readonly<Record<string, string | number>>

export class List {
  readonly operation: Operation
  readonly things: Things
  /** Path and required parameters. */
  path = ''
  required: Record<string, string> = {}

  constructor(operation: Operation, things: Things) {
    this.operation = operation
    this.things = things
  }

  /** Creates an item of the list; for logs of writes any write does. */
  async add(): Promise<string> {
    const { lists } = this.operation
    return await this.things.fresh(
      makers[lists?.object as string] === undefined ? 'workspace' : (lists?.object as string),
    )
  }

  /** Fills in path and required parameters from a valid call. Call it first. */
  async open(): Promise<void> {
    const call = await this.things.call(this.operation)
    // Reading the request log adds to it, so only writes are listed.
    if (this.operation.id === 'request_logs.list') this.required.method = 'POST'
    this.path = this.operation.path.replaceAll(/\{(\w+)\}/g, (_all, name) => call.params[name] as string)
    for (const [name, parameter] of Object.entries(this.operation.query)) {
      if (parameter.required) this.required[name] = call.query[name] as string
    }
  }

  /** Sends one request and returns any answer. */
  ask(query: Query | string = {}): Promise<Reply> {
    const search =
      typeof query === 'string' ? query : String(new URLSearchParams({ ...this.required, ...query } as never))
    return this.things.send('GET', search === '' ? this.path : `${this.path}?${search}`)
  }

  /** The body of a page; fails unless the answer is 200. */
  async page(query: Query = {}): Promise<Reply['body']> {
    const reply = await this.ask(query)
    assert.equal(reply.status, 200, `${this.path} ${JSON.stringify(query)}: ${reply.text}`)
    return reply.body
  }

  /** All items, in pages of 100. */
  async whole(): Promise<{ id: string }[]> {
    const pages = await this.walk(this.operation.paging === 'opaque' ? 'cursor' : 'starting_after', 100)
    return pages.flatMap((page) => page.data)
  }

  /** All pages in the direction of the parameter. */
  async walk(param: string, limit: number, start?: string, between?: () => Promise<unknown>): Promise<Reply['body'][]> {
    const pages = []
    let cursor = start
    do {
      const page = await this.page({ limit, ...(cursor === undefined ? {} : { [param]: cursor }) })
      assert.equal(page.next_cursor === null, !page.has_more)
      if (page.has_more) assert.equal(page.data.length, limit)
      cursor = page.next_cursor
      pages.push(page)
      await between?.()
    } while (cursor)
    return pages
  }
}

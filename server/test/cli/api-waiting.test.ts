/** `atrium api` when the server does not answer at once, or not as it should. */
import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { Client } from './client.ts'

/** A server with prepared answers that records its requests. */
class Scripted {
  readonly asked: { headers: IncomingHttpHeaders; url: string; body: string }[] = []
  private readonly server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      this.asked.push({ headers: request.headers, url: String(request.url), body: Buffer.concat(chunks).toString() })
      const answer = this.answers.shift() as (response: ServerResponse) => void
      answer(response)
    })
  })
  private readonly answers: ((response: ServerResponse) => void)[]

  constructor(answers: ((response: ServerResponse) => void)[]) {
    this.answers = answers
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  close(): void {
    this.server.close()
    this.server.closeAllConnections()
  }
}

const json =
  (status: number, body: object, headers: Record<string, string> = {}) =>
  (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }
const error = (code: string) => ({ error: { type: 'api_error', code, message: 'No.', request_id: 'req_1' } })

describe('atrium api, when the server does not answer at once', () => {
  it('repeats a write with the same key after a cut connection, a 5xx and a Retry-After', async () => {
    const made = { id: 'wsp_1', object: 'workspace', title: 'x' }
    const server = new Scripted([
      (response) => response.destroy(),
      json(500, error('internal_error')),
      json(429, error('rate_limit_exceeded'), { 'retry-after': '0' }),
      json(503, error('rate_limit_unavailable'), { 'retry-after': '0' }),
      json(200, made),
    ])
    const client = new Client(await server.open(), 'atr_live_x')
    try {
      assert.deepEqual(await client.json('api', 'workspaces.create', '--title', 'x'), made)
      assert.equal(server.asked.length, 5)
      assert.equal(new Set(server.asked.map(({ headers }) => headers['idempotency-key'])).size, 1)
      assert.deepEqual(new Set(server.asked.map(({ body }) => body)), new Set(['{"title":"x"}']))
      assert.equal(server.asked[0]?.headers.authorization, 'Bearer atr_live_x')
    } finally {
      server.close()
      client.remove()
    }
  })

  it('does not wait longer than it may, does not repeat what is refused, and names the key of a write that stays open', async () => {
    const server = new Scripted([
      json(429, error('rate_limit_exceeded'), { 'retry-after': '3600' }),
      json(503, error('endpoint_disabled')),
      json(404, error('resource_not_found')),
      (response) => response.destroy(),
      json(302, {}, { location: 'http://127.0.0.1:1/' }),
      json(200, { id: 'tsk_1', object: 'task' }),
    ])
    const client = new Client(await server.open(), 'atr_live_x')
    try {
      assert.deepEqual((await client.run(['api', 'me.retrieve'])).code, 6)
      assert.deepEqual((await client.run(['api', 'me.retrieve'])).code, 7)
      assert.deepEqual((await client.run(['api', 'me.retrieve'])).code, 3)
      const open = await client.run(['api', 'workspaces.create', '--title', 'x', '--retries', '0', '--json'])
      assert.deepEqual(
        [open.code, JSON.parse(open.err).error.idempotency_key],
        [7, server.asked[3]?.headers['idempotency-key']],
      )
      assert.equal((await client.run(['api', 'me.retrieve'])).code, 7)
      const unheard = await client.run(['api', 'tasks.complete', 'KEP-1', '--dry-run'])
      assert.deepEqual([unheard.code, unheard.out], [7, ''])
      assert.match(unheard.err, /the change WAS MADE/)
      assert.equal(server.asked.length, 6)
    } finally {
      server.close()
      client.remove()
    }
  })

  it('a list that breaks off is still one document, which says where to go on', async () => {
    const page = {
      object: 'list',
      url: '/v1/tasks',
      has_more: true,
      next_cursor: 'tsk_2',
      data: [{ id: 'tsk_1' }, { id: 'tsk_2' }],
    }
    const server = new Scripted([json(200, page), json(404, error('resource_not_found'))])
    const client = new Client(await server.open(), 'atr_live_x')
    try {
      const { code, out } = await client.run(['api', 'tasks.list', '--all', '--json'])
      assert.deepEqual([code, JSON.parse(out)], [3, page])
      assert.equal(server.asked[1]?.url, '/v1/tasks?starting_after=tsk_2&limit=100')
    } finally {
      server.close()
      client.remove()
    }
  })
})

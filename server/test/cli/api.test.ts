/** `atrium api` against a server: what is sent, what is printed, what it ends with. */
import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { onEveryEngine } from '../engines.ts'
import { openWorld, type World } from '../world.ts'
import { Client } from './client.ts'

onEveryEngine('atrium api', (engine) => {
  let world: World
  let client: Client
  let workspace: string
  before(async () => {
    world = await openWorld(engine)
    client = Client.of(world)
    workspace = (await client.json('api', 'workspaces.create', '--title', 'Kepler')).id
    const data = Array.from({ length: 100 }, (_, i) => ({ title: `Task ${i}` }))
    for (const _ of [1, 2, 3]) await world.make('/v1/tasks/batch', { workspace, data })
  })
  after(async () => {
    client.remove()
    await world.close()
  })

  it('sends each flag as its field is declared: texts, times, lists, objects, null, files, standard input', async () => {
    const notes = client.file('notes.md', '# Why\n"quoted"\n')
    const words = ['api', 'tasks.create', '--workspace', workspace, '--title=@@home', '--description', `@${notes}`]
    const more = ['--labels', 'a', '--labels', 'b, c', '--due_at', '2026-08-04T12:00+02:00', '--assignee', 'null']
    const { id } = await client.json(...words, ...more, '--custom-fields', '{"effort":3,"ok":true}')
    const { body } = await world.get(`/v1/tasks/${id}`)
    const { title, description, labels, due_at, assignee, custom_fields } = body
    assert.deepEqual(
      [title, description, labels, due_at, assignee, custom_fields],
      [
        ...['@home', '# Why\n"quoted"\n', ['a', 'b, c'], Date.parse('2026-08-04T10:00Z') / 1000, null],
        { effort: 3, ok: true },
      ],
    )
    const cleared = await client.json('api', 'tasks.update', body.key, '--labels', '[]', '--due-at', 'null')
    assert.deepEqual([cleared.labels, cleared.due_at, cleared.revision], [[], null, 2])
    const piped = await client.run(['api', 'tasks.create', '-', '--title', 'Overridden', '--json'], {
      input: JSON.stringify({ workspace, title: 'Piped', priority: 'high' }),
    })
    assert.deepEqual(
      [piped.code, JSON.parse(piped.out).title, JSON.parse(piped.out).priority],
      [0, 'Overridden', 'high'],
    )
  })

  it('takes the ids of the path as flags or bare, and a field called like a flag of the command', async () => {
    const task = (await world.make('/v1/tasks', { workspace, title: 'Talk' })).id
    const comment = await client.json(
      'api',
      'task_comments.create',
      '--task-id',
      task,
      '--workspace',
      workspace,
      '--body',
      'Hi',
    )
    const found = await client.json('api', 'task_comments.retrieve', task, comment.id)
    assert.deepEqual([found.body, found.task], ['Hi', task])
    const hook = ['webhook_endpoints.create', '--url', 'https://localhost/x', '--event-types', '*']
    const refused = await client.refused('api', '--url', world.server.url, ...hook)
    assert.deepEqual([refused.code, refused.exit, refused.param], ['invalid_webhook_url', undefined, 'url'])
  })

  it('walks lists of both kinds of cursor to the end or to the limit, each object once', async () => {
    const all = await client.json(
      'api',
      'tasks.list',
      '--workspace',
      workspace,
      '--all',
      '--fields',
      'id',
      '--filter',
      'title:Task',
    )
    assert.deepEqual([all.data.length, new Set(all.data.map(({ id }: { id: string }) => id)).size], [300, 300])
    assert.deepEqual([all.object, all.url, all.has_more, all.next_cursor], ['list', '/v1/tasks', false, null])
    assert.deepEqual(Object.keys(all.data[0]), ['id'])
    const some = await client.json('api', 'tasks.list', '--workspace', workspace, '--limit', '130')
    assert.deepEqual([some.data.length, some.has_more, some.next_cursor], [130, true, some.data[129].id])
    const page = await client.json('api', 'tasks.list', '--workspace', workspace)
    assert.equal(page.data.length, 20)
    const back = ['--ending-before', some.data[129].id, '--limit', '129', '--workspace', workspace]
    const before = await client.json('api', 'tasks.list', ...back)
    assert.deepEqual(
      new Set(before.data.map(({ id }: { id: string }) => id)),
      new Set(some.data.slice(0, 129).map(({ id }: { id: string }) => id)),
    )
    const events = await client.json('api', 'events.list', '--all')
    const newest = events.data[0].sequence
    assert.deepEqual(
      events.data.map(({ sequence }: { sequence: number }) => sequence),
      Array.from({ length: newest }, (_, i) => newest - i),
    )
  })

  it('prints a line for each object, CSV of the declared columns, or a table', async () => {
    const words = ['api', 'tasks.list', '--workspace', workspace, '--filter', 'title = "Task 7"', '--limit', '2']
    const lines = await client.run([...words, '--output', 'jsonl', '--fields', 'title,status'])
    assert.deepEqual([lines.code, lines.out], [0, '{"title":"Task 7","status":"todo"}\n'.repeat(2)])
    const csv = await client.run([...words, '--output', 'csv', '--fields', 'title,labels,due_at'])
    assert.equal(csv.out, `title,labels,due_at\r\n${'Task 7,[],\r\n'.repeat(2)}`)
    const table = await client.run([...words, '--output', 'table'])
    assert.match(
      table.out,
      /^KEY +ID +TITLE +STATUS +PRIORITY +ASSIGNEE +DUE AT\nKEP-\d+ +tsk_\w+ +Task 7 +todo +none +- +-\n/,
    )
    const nothing = await client.run(['api', 'teams.list', '--output', 'table'])
    assert.deepEqual(nothing, { code: 0, out: '', err: 'There is nothing in this list.\n' })
    const one = await client.run(['api', 'workspaces.retrieve', workspace, '--output', 'csv', '--fields', 'title,key'])
    assert.equal(one.out, 'title,key\r\nKepler,KEP\r\n')
  })

  it('a write is done once for one idempotency key, and its revision is asked for with --if-match', async () => {
    const words = ['api', 'workspaces.create', '--title', 'Once', '--idempotency-key', `once-${engine}`]
    assert.deepEqual(await client.json(...words), await client.json(...words))
    const again = await client.refused(
      'api',
      'workspaces.create',
      '--title',
      'Twice',
      '--idempotency-key',
      `once-${engine}`,
    )
    assert.deepEqual([again.code, again.type], ['idempotency_key_reused', 'idempotency_error'])
    const conflict = await client.refused('api', 'workspaces.update', workspace, '--title', 'x', '--if-match', '9')
    assert.equal(conflict.code, 'resource_conflict')
  })

  it('a dry run tells what would happen and changes nothing', async () => {
    await world.markWritten()
    const dry = await client.json('api', 'tasks.create', '--workspace', workspace, '--title', 'Never', '--dry-run')
    assert.deepEqual([dry.object, dry.operation, dry.answer.title], ['dry_run', 'tasks.create', 'Never'])
    await world.assertWritten({ events: [], audit: [] })
  })

  it('shows the status and headers on standard error, so that the document stays one', async () => {
    const { code, out, err } = await client.run(['api', 'me.retrieve', '--include', '--json'])
    assert.deepEqual([code, JSON.parse(out).object], [0, 'api_identity'])
    assert.match(err, /^HTTP 200\n[^]*\nx-request-id: req_\w+\n/)
  })

  it('tells what the server refused, with code, param and request, and ends with the code of its kind', async () => {
    const title = ['--title', 'x']
    const ended: [string[], number, string][] = [
      [['tasks.create', '--workspace', workspace, '--title', ''], 1, 'invalid_request_body'],
      [['tasks.list', '--filter', '('], 1, 'invalid_query_parameter'],
      [['tasks.retrieve', 'tsk_none'], 3, 'resource_not_found'],
      [['workspaces.update', workspace, ...title, '--if-match', '99'], 5, 'resource_conflict'],
    ]
    for (const [words, exit, code] of ended) {
      const ran = await client.run(['api', ...words, '--json'])
      const { error } = JSON.parse(ran.err)
      assert.deepEqual([ran.code, ran.out, error.code], [exit, '', code])
      assert.match(error.request_id, /^req_/)
    }
    const text = await client.run(['api', 'tasks.list', '--filter', '('])
    assert.match(text.err, /^atrium api: [^\n]+ \(invalid_query_parameter, filter, req_\w+\)\n$/)
    const narrow = await world.key({ scopes: ['tasks:read'] })
    const forbidden = await client.run(['api', 'workspaces.list'], { environment: { ATRIUM_KEY: narrow.secret } })
    assert.equal(forbidden.code, 4)
    const foreign = await client.run(['api', 'workspaces.list'], { environment: { ATRIUM_KEY: 'atr_live_wrong' } })
    assert.deepEqual([foreign.code, foreign.err.includes('atr_live_wrong')], [4, false])
  })
})

/** A server that answers as it is told, and remembers what it was asked. */
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
  it('repeats a write with the same key after a cut connection, a 5xx and where it is told to come back', async () => {
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

describe('atrium api, called wrongly', () => {
  const secret = `atr_live_${'s'.repeat(36)}`
  let client: Client
  before(() => {
    // Nobody listens there: whatever is sent shows as exit 7.
    client = new Client('http://127.0.0.1:9', secret)
  })
  after(() => client.remove())

  it('says so in one line that names the flag and the one that was meant, exit 2, and sends nothing', async () => {
    const wrong: [string[], string | undefined, RegExp][] = [
      [['tasks.lst'], undefined, /did you mean tasks\.list\?/],
      [['--frobnicate', 'x'], 'frobnicate', /no flag/],
      [['tasks.list', '--asignee', 'x'], 'asignee', /did you mean --assignee\?/],
      [['tasks.list', '--status'], 'status', /needs a value/],
      [['tasks.list', '--limit', '0'], 'limit', /whole number/],
      [['tasks.list', '--limit', '5', '--all'], 'limit', /not both/],
      [['tasks.list', '--due-before', 'soon'], 'due_before', /Unix seconds or a date/],
      [['tasks.list', '--is-archived', 'maybe'], undefined, /what is maybe/],
      [['tasks.list', '--fields', 'titel'], 'fields', /did you mean title\?/],
      [['tasks.list', '--output', 'xml'], 'output', /must be one of/],
      [['tasks.list', '--output', 'csv', '--json'], 'output', /not both/],
      [['tasks.list', '--dry-run'], 'dryRun', /only reads/],
      [['tasks.list', '-x'], undefined, /two dashes/],
      [['tasks.create', '--title', 'x'], 'workspace', /needs --workspace/],
      [['tasks.create', '--workspace', 'w', '--title', 'x', '--title', 'y'], 'title', /twice/],
      [
        ['tasks.create', '--workspace', 'w', '--title', 'x', '--custom-fields', '{"a":1,"a":2}'],
        'custom_fields',
        /JSON/,
      ],
      [['tasks.create', '--workspace', 'w', '--input', client.file('list.json', '[1]')], 'input', /JSON object/],
      [['tasks.retrieve'], 'id', /needs --id/],
      [['tasks.retrieve', 'a', 'b'], undefined, /what is b/],
      [['tasks.retrieve', '..'], 'id', /no id/],
      [['tasks.retrieve', 'a', '--all'], 'limit', /no list/],
      [['tasks.retrieve', 'a', '--url', 'ftp://x'], 'url', /http/],
      [['tasks.retrieve', 'a', '--url', 'http://me:pw@x'], 'url', /credentials/],
      [
        ['columns.create', '--workspace', 'w', '--project', 'p', '--name', 'n', '--position', 'left'],
        'position',
        /number/,
      ],
    ]
    for (const [words, param, message] of wrong) {
      const { code, out, err } = await client.run(['api', ...words, '--json'])
      assert.deepEqual([code, out], [2, ''], `${words.join(' ')}: ${err}`)
      const { error } = JSON.parse(err)
      assert.equal(error.param, param, err)
      assert.match(error.message, message)
    }
  })

  it('takes no key from the command line and shows none, whatever goes wrong', async () => {
    for (const flag of ['--key', '--api-key', '--token']) {
      const { code, out, err } = await client.run(['api', 'me.retrieve', flag, secret])
      assert.deepEqual([code, out], [2, ''])
      assert.match(err, /ATRIUM_KEY or give --key-file/)
      assert.ok(!err.includes(secret))
    }
    const unreached = await client.run(['api', 'me.retrieve', '--include', '--retries', '0'])
    assert.equal(unreached.code, 7)
    assert.ok(!(unreached.out + unreached.err).includes(secret))
    const none = await client.run(['api', 'me.retrieve'], { environment: { ATRIUM_KEY: '' } })
    assert.deepEqual([none.code, none.out], [4, ''])
    assert.match(none.err, /set ATRIUM_KEY/)
  })

  it('reads the key from a file, and refuses what is no key', async () => {
    const keyless = { environment: { ATRIUM_KEY: '' } }
    const good = await client.run(
      ['api', 'me.retrieve', '--retries', '0', '--key-file', client.file('key', `${secret}\n`)],
      keyless,
    )
    assert.equal(good.code, 7, 'it was used')
    for (const content of ['', 'two words', 'x'.repeat(5000)]) {
      const { code, err } = await client.run(['api', 'me.retrieve', '--key-file', client.file('bad', content)], keyless)
      assert.deepEqual([code, err.includes('two words')], [1, false], content)
    }
  })

  it('helps: the operations, and of each its flags, scope, credits and an example', async () => {
    const all = await client.run(['api', '--help'])
    assert.deepEqual([all.code, all.err], [0, ''])
    assert.match(all.out, /^ {2}tasks\.create +Create a task$/m)
    const one = await client.run(['api', 'tasks.batch', '--help'])
    assert.match(one.out, /^Usage: atrium api tasks\.batch \[flags\]\n/)
    assert.match(one.out, /POST \/v1\/tasks\/batch\n {2}scope: tasks:write; credits: 25\n/)
    assert.match(one.out, /^ {2}--workspace <text> +\(required\)$/m)
    assert.match(one.out, /^Example:\n {2}atrium api tasks\.batch --workspace /m)
  })
})

/** `atrium api` against a server: what is sent, what is printed, what it ends with. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { csvLine } from '../../src/cli/api/output.ts'
import { onOneEngine } from '../engines.ts'
import { openWorld, type World } from '../world.ts'
import { Calls } from './calls.ts'
import { Client } from './client.ts'

onOneEngine('atrium api', (engine) => {
  let world: World
  let client: Client
  let calls: Calls
  let workspace: string
  before(async () => {
    world = await openWorld(engine)
    client = Client.of(world)
    calls = new Calls(client.environment)
    workspace = (await calls.json('workspaces.create', '--title', 'Kepler')).id
    const data = Array.from({ length: 100 }, (_, i) => ({ title: `Task ${i}` }))
    for (const _ of [1, 2, 3]) await world.make('/v1/tasks/batch', { workspace, data })
  })
  after(async () => {
    client.remove()
    await calls.end()
    await world.close()
  })

  it('sends each flag as its field is declared: texts, times, lists, objects, null, files, standard input', async () => {
    const notes = client.file('notes.md', '# Why\n"quoted"\n')
    const words = ['tasks.create', '--workspace', workspace, '--title=@@home', '--description', `@${notes}`]
    const more = ['--labels', 'a', '--labels', 'b, c', '--due_at', '2026-08-04T12:00+02:00', '--assignee', 'null']
    const { id } = await calls.json(...words, ...more, '--custom-fields', '{"effort":3,"ok":true}')
    const { body } = await world.get(`/v1/tasks/${id}`)
    const { title, description, labels, due_at, assignee, custom_fields } = body
    assert.deepEqual(
      [title, description, labels, due_at, assignee, custom_fields],
      [
        ...['@home', '# Why\n"quoted"\n', ['a', 'b, c'], Date.parse('2026-08-04T10:00Z') / 1000, null],
        { effort: 3, ok: true },
      ],
    )
    const cleared = await calls.json('tasks.update', body.key, '--labels', '[]', '--due-at', 'null')
    assert.deepEqual([cleared.labels, cleared.due_at, cleared.revision], [[], null, 2])
    const piped = await client.run(['api', 'tasks.create', '-', '--title', 'Overridden', '--json'], {
      input: JSON.stringify({ workspace, title: 'Piped', priority: 'high' }),
    })
    assert.deepEqual(
      [piped.code, JSON.parse(piped.out).title, JSON.parse(piped.out).priority],
      [0, 'Overridden', 'high'],
    )
  })

  it('uploads a file byte for byte under its own name or another, and what standard input holds', async () => {
    const bytes = Buffer.from([0, 255, 13, 10, 137, 80])
    const path = client.file('map.bin', bytes)
    const upload = ['files.create', '--workspace', workspace, '--input']
    const contentOf = async ({ url }: { url: string }) => Buffer.from(await (await fetch(url)).arrayBuffer())
    const own = await calls.json(...upload, path)
    assert.deepEqual([own.name, own.bytes, await contentOf(own as never)], ['map.bin', 6, bytes])
    const named = await calls.json(...upload, path, '--name', 'chart.bin')
    assert.deepEqual([named.name, named.sha256], ['chart.bin', own.sha256])
    const piped = await client.run(['api', ...upload, '-', '--name', 'log.txt', '--json'], { input: 'over\n' })
    assert.deepEqual([piped.code, JSON.parse(piped.out).bytes], [0, 5])
    const rehearsed = await calls.json(...upload, path, '--dry-run')
    assert.equal(rehearsed.object, 'dry_run')
  })

  it('refuses an upload without a file, of a folder, or of standard input without a name', async () => {
    const upload = ['files.create', '--workspace', workspace]
    const messages = []
    for (const words of [[], ['--input', client.folder], ['--input', `${client.folder}/none`], ['--input', '-']]) {
      messages.push((await calls.refused(...upload, ...words)).message)
    }
    assert.deepEqual(messages, [
      'files.create needs --input, the file to upload.',
      `${client.folder} cannot be read: it is not a file.`,
      `${client.folder}/none cannot be read: ENOENT: no such file or directory, stat '${client.folder}/none'.`,
      'files.create needs --name. See atrium api files.create --help.',
    ])
  })

  it('takes the ids of the path as flags or bare, and a field called like a flag of the command', async () => {
    const task = (await world.make('/v1/tasks', { workspace, title: 'Talk' })).id
    const comment = await calls.json(
      'task_comments.create',
      '--task-id',
      task,
      '--workspace',
      workspace,
      '--body',
      'Hi',
    )
    const found = await calls.json('task_comments.retrieve', task, comment.id)
    assert.deepEqual([found.body, found.task], ['Hi', task])
    const hook = ['webhook_endpoints.create', '--url', 'https://localhost/x', '--event-types', '*']
    const refused = await calls.refused('--url', world.server.url, ...hook)
    assert.deepEqual([refused.code, refused.param], ['webhook_target_unavailable', 'url'])
  })

  it('walks lists of both kinds of cursor to the end or to the limit, each object once', async () => {
    const all = await calls.json(
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
    const some = await calls.json('tasks.list', '--workspace', workspace, '--limit', '130')
    assert.deepEqual([some.data.length, some.has_more, some.next_cursor], [130, true, some.data[129].id])
    const page = await calls.json('tasks.list', '--workspace', workspace)
    assert.equal(page.data.length, 20)
    const back = ['--ending-before', some.data[129].id, '--limit', '129', '--workspace', workspace]
    const before = await calls.json('tasks.list', ...back)
    assert.deepEqual(
      new Set(before.data.map(({ id }: { id: string }) => id)),
      new Set(some.data.slice(0, 129).map(({ id }: { id: string }) => id)),
    )
    const events = await calls.json('events.list', '--all')
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
    assert.deepEqual(nothing, { code: 0, out: '', err: 'This list is empty.\n' })
    const one = await client.run(['api', 'workspaces.retrieve', workspace, '--output', 'csv', '--fields', 'title,key'])
    assert.equal(one.out, 'title,key\r\nKepler,KEP\r\n')
  })

  it('CSV holds no text that a spreadsheet reads as a formula', async () => {
    const title = '=HYPERLINK("http://x.example","y")'
    const words = ['api', 'tasks.create', '--workspace', workspace, '--title', title, '--description=-2+3']
    const made = await client.run([...words, '--output', 'csv', '--fields', 'title,description,due_at'])
    assert.equal(made.out, `title,description,due_at\r\n"'=HYPERLINK(""http://x.example"",""y"")",'-2+3,\r\n`)
    for (const start of ['=', '+', '-', '@', '\t', '\r', '\n']) {
      assert.match(csvLine([`${start}1`]), /^"?'/, JSON.stringify(start))
    }
    assert.equal(csvLine([-1, 'a=b', '', null, [-1]]), '-1,a=b,,,[-1]\r\n')
  })

  it('a write is done once for one idempotency key, and its revision is asked for with --if-match', async () => {
    const words = ['workspaces.create', '--title', 'Once', '--idempotency-key', `once-${engine}`]
    assert.deepEqual(await calls.json(...words), await calls.json(...words))
    const again = await calls.refused('workspaces.create', '--title', 'Twice', '--idempotency-key', `once-${engine}`)
    assert.deepEqual([again.code, again.type], ['idempotency_key_reused', 'idempotency_error'])
    const conflict = await calls.refused('workspaces.update', workspace, '--title', 'x', '--if-match', '9')
    assert.equal(conflict.code, 'resource_conflict')
  })

  it('a dry run tells what would happen and changes nothing', async () => {
    await world.markWritten()
    const dry = await calls.json('tasks.create', '--workspace', workspace, '--title', 'Never', '--dry-run')
    assert.deepEqual([dry.object, dry.operation, dry.answer.title], ['dry_run', 'tasks.create', 'Never'])
    await world.assertWritten({ events: [], audit: [] })
  })

  it('shows the status and headers on standard error, so that the document stays one', async () => {
    const { code, out, err } = await client.run(['api', 'me.retrieve', '--include', '--json'])
    assert.deepEqual([code, JSON.parse(out).object], [0, 'api_identity'])
    assert.match(err, /^HTTP 200\n(.*\n)*x-request-id: req_\w+\n/)
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

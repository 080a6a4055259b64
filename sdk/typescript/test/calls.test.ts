/** Calls against a real server: requests, answers, errors. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, beforeEach, it } from 'node:test'
import { inspect } from 'node:util'
import { onOneEngine } from '../../../server/test/engines.ts'
import { openWorld, worldOf } from '../../../server/test/world.ts'
import {
  ApiError,
  Atrium,
  AtriumError,
  type AtriumOptions,
  AuthenticationError,
  IdempotencyError,
  InvalidRequestError,
  PermissionError,
} from '../src/index.ts'

interface Sent {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: string | null
}

onOneEngine('the SDK', (engine) => {
  const world = worldOf(engine)
  let atrium: Atrium
  let workspace: string
  const sent: Sent[] = []
  const recorded: typeof fetch = (url, init) => {
    const { method = 'GET', headers, body } = init ?? {}
    sent.push({
      url: new URL(String(url)),
      method,
      headers: new Headers(headers),
      body: (body ?? null) as string | null,
    })
    return fetch(url, init)
  }
  const client = (options: Partial<AtriumOptions> = {}) =>
    new Atrium({ apiKey: world.acme.key, baseUrl: world.server.url, fetch: recorded, ...options })
  const last = () => sent.at(-1) as Sent
  const failure = async (call: PromiseLike<unknown>) => {
    try {
      await call
    } catch (error) {
      return error
    }
    return assert.fail('it was not refused')
  }

  before(async () => {
    atrium = client()
    workspace = (await world.make('/v1/workspaces', { title: 'Calls' })).id
  })
  beforeEach(() => {
    sent.length = 0
  })

  it('accepts a base URL with and without /v1 and a slash', async () => {
    for (const ending of ['', '/', '/v1', '/v1/', '//']) {
      await client({ baseUrl: `${world.server.url}${ending}` }).me.retrieve()
      assert.equal(last().url.pathname, '/v1/me', ending)
    }
  })

  it('sends parameters of writes in the body and those of reads in the query', async () => {
    const task = await atrium.tasks.create({
      workspace,
      title: 'Ship it',
      labels: ['a', 'b'],
      assignee: null,
      priority: undefined,
    })
    assert.deepEqual((await world.get(`/v1/tasks/${task.id}`)).body, task)
    assert.deepEqual([task.labels, task.assignee, task.priority], [['a', 'b'], null, 'none'])
    assert.equal(last().body, JSON.stringify({ workspace, title: 'Ship it', labels: ['a', 'b'], assignee: null }))
    const found = await atrium.tasks.list({
      workspace,
      status: ['todo', 'done'],
      is_archived: false,
      limit: 2,
      fields: ['id', 'title'],
    })
    assert.deepEqual(found.data, [{ id: task.id, title: 'Ship it' }])
    assert.equal(
      last().url.search,
      `?workspace=${workspace}&status=todo&status=done&is_archived=false&limit=2&fields=id%2Ctitle`,
    )
    assert.deepEqual((await atrium.tasks.list({ workspace, status: 'done' })).data, [])
    assert.deepEqual([last().method, last().body], ['GET', null])
  })

  it('calls nested resources with the ids of the path first', async () => {
    const task = await atrium.tasks.create({ workspace, title: 'Outer' })
    const comment = await atrium.tasks.comments.create(task.id, { workspace, body: 'Hello' })
    assert.deepEqual(await atrium.tasks.comments.retrieve(task.key, comment.id), comment)
    const deleted = await atrium.tasks.comments.delete(task.id, comment.id, { workspace })
    assert.deepEqual(deleted, { id: comment.id, object: 'comment', deleted: true })
    assert.deepEqual([last().method, last().url.search, last().body], ['DELETE', `?workspace=${workspace}`, null])
    const board = await atrium.boards.create({ name: 'Sketches' })
    assert.equal((await atrium.boards.members.list(board.id)).data.length, 1)
  })

  it('refuses an id that would change the path', async () => {
    for (const id of ['', '.', '..', undefined, null]) {
      assert.throws(() => atrium.tasks.retrieve(id as string), AtriumError, String(id))
    }
    assert.deepEqual(sent, [])
    await assert.rejects(atrium.tasks.retrieve('../me?x=1'), InvalidRequestError)
    assert.equal(last().url.pathname, '/v1/tasks/..%2Fme%3Fx%3D1')
  })

  it('returns objects instead of ids with expand', async () => {
    const project = await atrium.projects.create({ workspace, name: 'Expanded' })
    const { id } = await atrium.tasks.create({ workspace, project: project.id, title: 'Inner' })
    const task = await atrium.tasks.retrieve(id, { expand: ['project', 'assignee'] })
    assert.ok(typeof task.project === 'object' && task.project !== null && 'name' in task.project)
    assert.equal(task.project.name, 'Expanded')
    const plain: string | null = (await atrium.tasks.retrieve(id)).project
    assert.equal(plain, project.id)
  })

  it('performs a write only on the revision that the caller has', async () => {
    const task = await atrium.tasks.create({ workspace, title: 'Guarded' })
    const renamed = await atrium.tasks.update(task.id, { title: 'Renamed' }, { ifMatch: task })
    assert.equal(last().headers.get('if-match'), '"1"')
    const error = await failure(atrium.tasks.update(task.id, { title: 'Late' }, { ifMatch: task }))
    assert.ok(error instanceof InvalidRequestError)
    assert.deepEqual([error.code, error.status, error.param], ['resource_conflict', 409, 'If-Match'])
    const { response } = await atrium.tasks.retrieve(task.id).withResponse()
    for (const ifMatch of [2, '"2"', response.etag as string, '*']) {
      assert.deepEqual(await atrium.tasks.update(task.id, { title: 'Renamed' }, { ifMatch }), renamed)
    }
    await atrium.tasks.delete(task.id, {}, { ifMatch: renamed })
  })

  it('throws errors in the class of their type, with all details of the API', async () => {
    const missing = await failure(atrium.tasks.retrieve('KEP-404'))
    assert.ok(missing instanceof InvalidRequestError && missing instanceof ApiError && missing instanceof AtriumError)
    const { status, type, code, request_id, response, message, name } = missing
    assert.deepEqual(
      [status, type, code, name],
      [404, 'invalid_request_error', 'resource_not_found', 'InvalidRequestError'],
    )
    assert.deepEqual([response.requestId, message], [request_id, 'No such task.'])
    const wrong = await failure(atrium.tasks.batch({ workspace, data: [{ title: 'x' }, { title: '' }] }))
    assert.ok(wrong instanceof InvalidRequestError)
    assert.deepEqual([wrong.code, wrong.param], ['invalid_request_body', 'data[1].title'])
    const several = await failure(atrium.tasks.create({ workspace, title: '', priority: 'x' as 'low' }))
    assert.ok(several instanceof InvalidRequestError)
    assert.deepEqual(several.details.map(({ param }) => param).sort(), ['priority', 'title'])
    assert.ok((await failure(client({ apiKey: 'atr_live_no' }).me.retrieve())) instanceof AuthenticationError)
    const { secret } = await world.key({ scopes: ['tasks:read'] })
    assert.ok((await failure(client({ apiKey: secret }).teams.list())) instanceof PermissionError)
    await atrium.workspaces.create({ title: 'One' }, { idempotencyKey: 'taken' })
    const taken = await failure(atrium.workspaces.create({ title: 'Two' }, { idempotencyKey: 'taken' }))
    assert.ok(taken instanceof IdempotencyError)
    assert.equal(taken.code, 'idempotency_key_reused')
  })

  it('returns the metadata of an answer', async () => {
    const limited = await openWorld(engine, {
      environment: { ATRIUM_CREDITS_PER_MINUTE: '1000', ATRIUM_CREDITS_PER_DAY: '5000' },
    })
    try {
      const small = client({ apiKey: limited.acme.key, baseUrl: limited.server.url })
      const { data, response } = await small.workspaces.create({ title: 'Told' }).withResponse()
      assert.equal(data.title, 'Told')
      assert.match(response.requestId as string, /^req_/)
      assert.deepEqual(
        [response.status, response.cost, response.version, response.replayed],
        [200, 10, '2026-08-03', false],
      )
      assert.deepEqual(response.windows, [
        { name: 'minute', limit: 1000, seconds: 60, remaining: 990, resets_in: 60 },
        { name: 'day', limit: 5000, seconds: 86400, remaining: 4990, resets_in: 43200 },
      ])
      const page = await small.workspaces.list()
      assert.deepEqual([page.response.cost, page.response.headers.get('cache-control')], [5, 'private, no-cache'])
    } finally {
      await limited.close()
    }
  })

  it('uses the version of its types, or the configured one', async () => {
    await atrium.api.retrieve()
    assert.equal(last().headers.get('service-version'), '2026-08-03')
    const error = await failure(client({ version: '2020-01-01' }).tasks.list())
    assert.ok(error instanceof InvalidRequestError)
    assert.deepEqual([error.code, error.param], ['invalid_query_parameter', 'Service-Version'])
  })

  it('requests cached answers conditionally: same answer, no credits', async () => {
    const cached = client({ cache: 2 })
    const { id } = await cached.tasks.create({ workspace, title: 'Kept' })
    const first = await cached.tasks.retrieve(id).withResponse()
    const again = await cached.tasks.retrieve(id).withResponse()
    assert.deepEqual([again.response.status, again.response.cost, again.data], [304, null, first.data])
    again.data.title = 'changed by the caller'
    assert.deepEqual(await cached.tasks.retrieve(id), first.data)
    await cached.tasks.update(id, { title: 'New' })
    assert.equal((await cached.tasks.retrieve(id)).title, 'New')
    await cached.me.retrieve()
    await cached.usage.retrieve() // the third: the task's answer goes
    await cached.tasks.retrieve(id)
    assert.equal(last().headers.get('if-none-match'), null)
  })

  it('tries a write without changes, and throws if the server performed it', async () => {
    const task = await atrium.tasks.create({ workspace, title: 'Tried' })
    await world.markWritten()
    const plan = await atrium.dryRun((atrium) => atrium.tasks.complete(task.id))
    assert.deepEqual([plan.operation, plan.answer.status, plan.credits], ['tasks.complete', 'done', 10])
    assert.deepEqual(
      plan.events.map(({ type }) => type),
      ['workflow.task.completed'],
    )
    await world.assertWritten({ events: [], audit: [] })
    assert.deepEqual(await atrium.tasks.retrieve(task.id), task)
    const refusal = await failure(atrium.dryRun((atrium) => atrium.tasks.complete('KEP-404')))
    assert.ok(refusal instanceof InvalidRequestError)
    assert.match(
      String(await failure(atrium.dryRun((atrium) => atrium.tasks.retrieve(task.id)))),
      /did not perform a dry run/,
    )
  })

  it('calls operations that it has no method for', async () => {
    const query = { workspace, status: ['todo', 'done'], limit: 1 }
    const page = await atrium.request<{ data: object[] }>({ method: 'GET', path: '/v1/tasks', query })
    assert.equal(page.data.length, 1)
    const made = await atrium
      .request({ method: 'POST', path: '/v1/tasks', body: { workspace, title: 'Plain' } })
      .withResponse()
    assert.deepEqual([made.response.status, made.response.cost], [200, 10])
  })

  it('sends the credential only in Authorization and never reveals it', async () => {
    const key = world.acme.key
    const asked = client({ apiKey: async () => key, headers: { 'x-trace': '7' } })
    await asked.me.retrieve()
    const { headers, url } = last()
    assert.deepEqual([headers.get('authorization'), headers.get('x-trace')], [`Bearer ${key}`, '7'])
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))
    assert.equal(headers.get('user-agent'), `atrium-sdk-typescript/${version}`)
    assert.ok(!url.href.includes(key))
    assert.ok(!inspect(client(), { depth: 9, showHidden: true }).includes(key))
    const broken = await failure(client({ apiKey: `${key}\n` }).me.retrieve())
    assert.ok(broken instanceof AtriumError && !inspect(broken, { depth: 9 }).includes(key))
    const none = await failure(client({ apiKey: null }).me.retrieve())
    assert.ok(none instanceof AuthenticationError)
    assert.equal(none.code, 'missing_api_key')
  })
})

/** The conformance suite on a sound server: it passes every rule, ends, and leaves little behind. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { catalogue } from '../../src/catalogue.ts'
import { conforms } from '../../src/conform/report.ts'
import { rules } from '../../src/conform/rules/index.ts'
import { Unfit } from '../../src/conform/run.ts'
import { verifyAudit } from '../../src/resources/audit_logs/verify.ts'
import { onEveryEngine } from '../engines.ts'
import type { Answer, Fault } from './faulty-server.ts'
import { openTried, type Tried, violations } from './server.ts'

/** The only cells that are not tried on a server that has everything. */
const not_tried = [
  ...['api.retrieve', 'me.retrieve'].map((id) => `foreign of ${id}: its call names no object`),
  // A second person would have to be a member.
  'paging of team_members.list: the list has fewer than two objects',
  'foreign of api_keys.create: its call names no object',
  'etag-changes of api_keys.update: no operation reads its target',
  'etag of usage.retrieve: its answer differs from read to read',
  'foreign of usage.retrieve: its call names no object',
  'etag of request_logs.list: its answer differs from read to read',
  // The worker that indexes does not run here.
  'paging of search.list: the list has fewer than two objects',
  'foreign of boards.create: its call names no object',
  'etag-changes of board_members.update: no operation reads its target',
  'foreign of workspaces.create: its call names no object',
  // Each field is created in a workspace of its own.
  'paging of custom_fields.list: the list has fewer than two objects',
  ...['undo.create', 'notifications.count', 'notifications.read_all'].map(
    (id) => `foreign of ${id}: its call names no object`,
  ),
  'foreign of webhook_endpoints.create: its call names no object',
  'paging of deliveries.list: the list has fewer than two objects',
  'foreign of events.stream: its call names no object',
]

/** They judge a request before any row is read, by the same code on every engine, so they are tried on SQLite only. */
const rules_of_requests: ReadonlySet<string> = new Set([
  ...['credential-in-url', 'method', 'version', 'unknown-parameter', 'repeated-parameter', 'idempotency-key'],
  ...['unknown-field', 'missing-field', 'wrong-type', 'malformed', 'body'],
])

/** Answers 429 to this many requests for teams. */
function refuse(retryAfter: string, times: number): Fault {
  let left = times
  return {
    reply: (answer: Answer, { url }) =>
      url.startsWith('/v1/teams') && left-- > 0
        ? { status: 429, headers: { ...answer.headers, 'retry-after': retryAfter }, body: '{}' }
        : answer,
  }
}

onEveryEngine('atrium conform', (engine) => {
  let tried: Tried
  before(async () => {
    tried = await openTried(engine)
  })
  after(() => tried.close())

  const count = async (path: string) => {
    const { world } = tried
    return (await world.get(`${path}?limit=100`, { key: world.acme.testKey })).body.data.length
  }

  it('passes this server: every rule is tried on every operation, and what it creates is deleted', async () => {
    const lists = ['/v1/projects', '/v1/tasks', '/v1/portfolios', '/v1/api_keys', '/v1/webhook_endpoints', '/v1/boards']
    const before = await Promise.all(lists.map(count))
    const tries = rules.filter(({ name }) => engine === 'sqlite' || !rules_of_requests.has(name))
    const report = await tried.run({ only: tries.map(({ name }) => name) })
    assert.deepEqual(violations(report), [])
    assert.deepEqual([report.stopped, conforms(report)], [null, true])
    const skipped = report.cells.filter(({ status }) => status === 'skipped')
    assert.deepEqual(
      skipped.map(({ rule, operation, messages }) => `${rule} of ${operation}: ${messages}`),
      not_tried,
    )
    const expected = catalogue.flatMap((operation) =>
      tries.filter(({ applies }) => applies(operation)).map(({ name }) => `${name} of ${operation.id}`),
    )
    assert.deepEqual(
      report.cells.map(({ rule, operation }) => `${rule} of ${operation}`),
      expected,
    )
    assert.deepEqual(await Promise.all(lists.map(count)), before)
    const left = new Set(report.left.map((each) => each.split(' ')[0]))
    const flows = ['automation_flow', 'automation_form', 'automation_hook', 'automation_mailbox', 'automation_run']
    assert.deepEqual([...left].sort(), [...flows, 'export_job'])
    assert.equal((await verifyAudit(tried.world.services.store, tried.world.acme.id)).ok, true)
  })

  // The suite itself only speaks HTTP, which is the same on both engines.
  if (engine !== 'sqlite') return

  it('waits as a 429 asks, and ends where that would take too long', async () => {
    const said: string[] = []
    const options = {
      ...{ url: tried.faulty.url, only: ['version'], operations: ['teams.list', 'workspaces.list'] },
      say: (line: string) => said.push(line),
    }
    tried.faulty.plant(refuse('1', 1))
    const waited = await tried.run(options)
    assert.equal(conforms(waited), true)
    assert.deepEqual(said.slice(1), ['Waiting 1 s after a 429.'])
    tried.faulty.plant(refuse('3600', 1))
    const stopped = await tried.run(options)
    tried.faulty.plant({})
    assert.match(String(stopped.stopped), /answered 429 with Retry-After 3600$/)
    assert.equal(conforms(stopped), false)
    assert.deepEqual(
      stopped.cells.map(({ status, messages }) => [status, messages]),
      stopped.cells.map(() => ['skipped', [stopped.stopped]]),
    )
  })

  it('refuses to begin with a live key, a key without every scope, and an unknown key', async () => {
    const { world, run } = tried
    const only = { only: ['method'], operations: ['usage.retrieve'] }
    const before = await world.get('/v1/workspaces')
    await assert.rejects(run({ ...only, key: world.acme.key }), Unfit)
    assert.equal((await world.get('/v1/workspaces')).text, before.text)
    assert.equal(conforms(await run({ ...only, key: world.acme.key, live: true })), true)
    const narrow = await world.key({ mode: 'test', scopes: ['tasks:read'] })
    await assert.rejects(run({ ...only, key: narrow.secret }), /^Error: The key lacks the scopes api:read, .*\.$/)
    await assert.rejects(run({ ...only, key: 'atr_test_x' }), /GET \/v1\/me answered 401 invalid_api_key\./)
  })

  it('works in the workspace that it is given, and creates no other for itself', async () => {
    const { world, run } = tried
    const key = world.acme.testKey
    const workspace = (await world.make('/v1/workspaces', { title: 'Given' }, { key })).id
    const before = (await world.get(`/v1/workspaces/${workspace}`, { key })).text
    const report = await run({ workspace, operations: ['tasks.create', 'workspaces.retrieve'] })
    assert.deepEqual([violations(report), report.left], [[], []])
    assert.equal((await world.get(`/v1/workspaces/${workspace}`, { key })).text, before)
  })
})

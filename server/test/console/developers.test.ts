/** The developer area: request log, summaries, examples, applications and tokens. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { console_limits } from '../../src/console/limits.ts'
import { signatureHeaders } from '../../src/resources/webhook_endpoints/signature.ts'
import { openReceiver } from '../receiver.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { join, ownerOf, refusal, type Visitor } from './visitor.ts'

interface Entry {
  readonly id: string
  readonly status: number
  readonly operation: string
  readonly error_code: string | null
}

const lowered = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

onEveryWorld('The developer area', (world) => {
  const owner = openFirst(() => ownerOf(world))
  let member: Visitor
  let stranger: Visitor
  let workspace: string

  before(async () => {
    member = await join(owner, 'bo@acme.example', 'member')
    stranger = await ownerOf(world, world.globex)
    workspace = (await world.make('/v1/workspaces', { title: 'Kepler' })).id
  })

  const walk = async (path: string): Promise<Entry[]> => {
    const entries: Entry[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { data: Entry[]; next_cursor: string | null } = await owner.must('GET', `${path}${cursor}`)
      entries.push(...page.data)
      cursor = page.next_cursor === null ? null : `${path.includes('?') ? '&' : '?'}cursor=${page.next_cursor}`
    }
    return entries
  }

  it('lists every request of the mode exactly once over all pages, newest first', async () => {
    const made: string[] = []
    for (let i = 0; i < console_limits.console_page + 5; i++) {
      made.unshift((await world.get(`/v1/workspaces/${workspace}`)).headers['x-request-id'] as string)
      if (i % 20 === 0) await world.services.requestLog.flush()
    }
    const listed = (await walk('request-logs')).map(({ id }) => id)
    assert.deepEqual(listed.slice(0, made.length), made)
    assert.equal(new Set(listed).size, listed.length)
    assert.deepEqual(listed, [...listed].sort().reverse())
    assert.deepEqual((await owner.must('GET', 'request-logs?mode=test')).data, [])
  })

  it('filters requests by status, error code, operation and credential', async () => {
    const wrong = await world.get('/v1/tasks?limit=0')
    const gone = await world.get('/v1/tasks/tsk_01AAAAAAAAAAAAAAAAAAAAAAAA')
    const [first] = await walk('request-logs?status=400')
    assert.deepEqual([first?.id, first?.error_code], [wrong.headers['x-request-id'], 'invalid_query_parameter'])
    assert.deepEqual(
      (await walk('request-logs?code=resource_not_found')).map(({ id }) => id),
      [gone.headers['x-request-id']],
    )
    assert.ok((await walk('request-logs?status=4xx')).every(({ status }) => status >= 400 && status < 500))
    assert.ok((await walk('request-logs?operation=tasks.list')).every(({ operation }) => operation === 'tasks.list'))
    assert.deepEqual(await walk(`request-logs?credential=${world.globex.keyId}`), [])
    assert.deepEqual(refusal(await owner.get('request-logs?status=600')), [400, 'invalid_query_parameter', 'status'])
    assert.deepEqual(refusal(await owner.get('request-logs?cursor=x')), [400, 'cursor_invalid', 'cursor'])
  })

  it('shows the request log only to admins and owners of its organization', async () => {
    assert.deepEqual(refusal(await member.get('request-logs')), [403, 'role_required'])
    const theirs = await stranger.must('GET', 'request-logs')
    assert.deepEqual(theirs, { data: [], next_cursor: null })
  })

  it('summarizes the log by time, operation, error and credential', async () => {
    const entries = await walk('request-logs')
    const summary = await owner.must('GET', 'request-logs/summary?window=1h')
    const errors = entries.filter(({ status }) => status >= 400)
    assert.deepEqual([summary.requests, summary.errors, summary.complete], [entries.length, errors.length, true])
    const sum = (list: { requests: number }[]) => list.reduce((all, { requests }) => all + requests, 0)
    assert.equal(sum(summary.buckets), entries.length)
    assert.equal(sum(summary.operations), entries.length)
    assert.deepEqual(
      summary.errors_by_code.map(({ code, count }: { code: string; count: number }) => [code, count]).sort(),
      [
        ['invalid_query_parameter', 1],
        ['resource_not_found', 1],
      ],
    )
    const [busiest] = summary.credentials
    assert.equal(busiest.credential, world.acme.keyId)
    assert.equal(busiest.hours.at(-1), busiest.requests)
  })

  it('resolves ids of its organization and no others', async () => {
    const task = await world.make('/v1/tasks', { workspace, title: 'Find me' })
    const expected = { id: task.id, object: 'task', url: `/work/tasks/${task.id}`, api_path: `/v1/tasks/${task.id}` }
    assert.deepEqual(await owner.must('GET', `open/${task.id}`), expected)
    assert.deepEqual(await owner.must('GET', `open/${task.key}`), expected)
    const comment = await world.make(`/v1/tasks/${task.id}/comments`, { workspace, body: 'Here' })
    assert.equal((await owner.must('GET', `open/${comment.id}`)).url, `/work/tasks/${task.id}#${comment.id}`)
    assert.equal((await owner.must('GET', `open/${world.acme.keyId}`)).object, 'api_key')
    const field = await world.make('/v1/custom_fields', { workspace, key: 'size', name: 'Size', type: 'number' })
    assert.equal((await owner.must('GET', `open/${field.id}`)).url, `/work/fields/${workspace}`)
    const { user } = await owner.arrive()
    const person = { id: user.id, object: 'member', url: `/settings/people/${user.id}`, api_path: null }
    for (const id of [user.id, user.member]) assert.deepEqual(await owner.must('GET', `open/${id}`), person)
    const withoutId = ({ error }: { error: object }) => ({ ...error, request_id: '' })
    const missing = await owner.get('open/tsk_01AAAAAAAAAAAAAAAAAAAAAAAA')
    assert.deepEqual(refusal(missing), [404, 'resource_not_found', 'id'])
    for (const id of [world.globex.keyId, 'nothing', 'toString_1', '__proto__']) {
      const reply = await owner.get(`open/${id}`)
      if (reply.body.error.param === 'id') assert.deepEqual(withoutId(reply.body), withoutId(missing.body))
      assert.equal(reply.status, 404)
    }
    assert.deepEqual(refusal(await stranger.get(`open/${task.id}`)), [404, 'resource_not_found', 'id'])
    assert.deepEqual(refusal(await member.get(`open/${world.acme.keyId}`)), [403, 'role_required'])
  })

  it('sends a signed example event that appears neither in the log nor in the endpoint’s health', async () => {
    const receiver = await openReceiver()
    const made = await world.make('/v1/webhook_endpoints', { url: receiver.url, event_types: ['workflow.task.*'] })
    await world.markWritten()
    const sent = await owner.must('POST', `endpoints/${made.id}/example`, { type: 'workflow.task.created' })
    assert.deepEqual([sent.http_status, sent.error_category], [204, null])
    const [received] = receiver.events
    assert.equal(received?.body, sent.request.body)
    assert.equal(received?.event.sequence, null)
    const signed = { id: received?.event.id, timestamp: received?.event.created, body: received?.body ?? '' }
    const signature = signatureHeaders(signed, [made.signing_secret])
    assert.deepEqual({ ...received?.headers, ...lowered(signature) }, received?.headers)
    await world.assertWritten({ events: [], audit: ['webhook_endpoints.send_example'] })
    const health = await owner.must('GET', `endpoints/${made.id}/health`)
    assert.deepEqual(health, { success_rate: null, p50_ms: null, pending: 0, attempts: [] })
    const again = await owner.post(`endpoints/${made.id}/example`, { type: 'workflow.task.created' })
    assert.deepEqual(refusal(again), [429, 'too_many_attempts'])
    world.clock.advance(console_limits.console_example_pause_ms)
    const odd = await owner.post(`endpoints/${made.id}/example`, { type: '__proto__' })
    assert.deepEqual(refusal(odd), [400, 'invalid_request_body', 'type'])
    assert.equal((await stranger.get(`endpoints/${made.id}/health`)).status, 404)
    assert.deepEqual(refusal(await member.get(`endpoints/${made.id}/health`)), [403, 'role_required'])
    await receiver.close()
  })

  it('registers applications, whose tokens have their scopes and are revoked with them', async () => {
    await owner.must('POST', 'step-up', { password: 'a horse that reads' })
    await world.markWritten()
    const scopes = ['tasks:read', 'api:read']
    const app = await owner.must('POST', 'applications', { name: 'Calendar', scopes })
    const { id: application } = app
    assert.match(application, /^app_/)
    const one = await owner.must('POST', `applications/${application}/tokens`, {})
    const two = await owner.must('POST', `applications/${application}/tokens`, { expires_in: 120 })
    const me = await world.get('/v1/me', { key: one.secret })
    assert.deepEqual([me.body.owner, me.body.scopes.sort()], [{ type: 'application', id: application }, scopes.sort()])
    assert.equal((await owner.must('GET', 'applications')).data[0].tokens, 2)
    const listed = (await owner.must('GET', `applications/${application}/tokens`)).data
    assert.deepEqual(
      listed.map(({ id }: { id: string }) => id),
      [two.id, one.id],
    )
    assert.ok(!JSON.stringify(listed).includes(one.secret))
    await owner.must('DELETE', `tokens/${one.id}`, {})
    assert.equal((await world.get('/v1/me', { key: one.secret })).status, 401)
    assert.equal((await world.get('/v1/me', { key: two.secret })).status, 200)
    assert.equal((await stranger.send('DELETE', `tokens/${two.id}`, { body: {} })).status, 404)
    await owner.must('DELETE', `applications/${application}`, {})
    assert.equal((await world.get('/v1/me', { key: two.secret })).status, 401)
    assert.deepEqual(refusal(await owner.get(`applications/${application}/tokens`)), [410, 'resource_deleted', 'id'])
    const audit = ['applications.create', 'access_tokens.create', 'access_tokens.create', 'access_tokens.delete']
    await world.assertWritten({ events: [], audit: [...audit, 'applications.delete'] })
    assert.deepEqual(refusal(await member.post('applications', { name: 'Mine', scopes })), [403, 'role_required'])
  })

  it('requires a step-up to issue a token', async () => {
    const app = await owner.must('POST', 'applications', { name: 'Later', scopes: ['tasks:read'] })
    world.clock.advance(console_limits.step_up_ms)
    assert.deepEqual(refusal(await owner.post(`applications/${app.id}/tokens`, {})), [403, 'step_up_required'])
  })

  it('lists the event types', async () => {
    const { data } = await member.must('GET', 'event-types')
    assert.deepEqual(
      data.find(({ type }: { type: string }) => type === 'workflow.task.created'),
      { type: 'workflow.task.created', object: 'task' },
    )
  })

  it('verifies the audit chain', async () => {
    const verdict = await owner.must('GET', 'audit/verify')
    assert.deepEqual([verdict.ok, verdict.message], [true, null])
    assert.ok(verdict.entries > 0)
  })

  it('lists the versions with the number of keys pinned to each', async () => {
    assert.deepEqual((await owner.must('GET', 'versions')).data, [{ date: '2026-08-03', is_newest: true, keys: 1 }])
  })
})

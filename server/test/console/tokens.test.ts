/** The session's tokens for `/v1`: scopes, lifetime, actor, and where they do not appear. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { scopes } from '../../src/api/declare/scopes.ts'
import { catalogue } from '../../src/catalogue.ts'
import { console_limits } from '../../src/console/limits.ts'
import { query } from '../../src/db/query.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { join, ownerOf, password, refusal } from './visitor.ts'

const written = query((db) => db.selectFrom('session_tokens').selectAll())
const credentials = query((db) => db.selectFrom('credentials').select(['id', 'kind']))

onEveryWorld('A session’s token', (world) => {
  const owner = openFirst(() => ownerOf(world))

  const me = (key: string) => world.get('/v1/me', { key })
  const confirm = () => owner.must('POST', 'step-up', { password })

  it('acts for the user in the organization and mode, with every scope except the management of keys', async () => {
    const { token, scopes: granted, credential } = await owner.must('POST', 'token', { mode: 'test' })
    assert.match(token, /^atr_at_test_/)
    const { body } = await me(token)
    const expected = scopes.filter((scope) => scope !== 'api:manage')
    assert.deepEqual([body.scopes, granted], [expected, expected])
    assert.deepEqual(
      { owner: body.owner, mode: body.mode, organization: body.organization.id, id: body.id },
      { owner: { type: 'user', id: world.acme.user }, mode: 'test', organization: world.acme.id, id: credential },
    )
  })

  it('is valid for 15 minutes; a second one does not revoke it, and both are one credential', async () => {
    const first = await owner.must('POST', 'token', { mode: 'live' })
    world.clock.advance(60_000)
    const second = await owner.must('POST', 'token', { mode: 'live' })
    assert.notEqual(first.token, second.token)
    assert.equal(first.credential, second.credential)
    assert.equal(first.expires_at, second.expires_at - 60)
    world.clock.advance(console_limits.session_token_ms - 60_000 - 1)
    assert.equal((await me(first.token)).status, 200)
    world.clock.advance(1)
    assert.deepEqual(refusal(await me(first.token)), [401, 'invalid_access_token'])
    assert.equal((await me(second.token)).status, 200)
  })

  it('is one credential for idempotency: repeating a write with the next token changes nothing', async () => {
    const idempotencyKey = 'one-and-the-same'
    const [one, two] = [await owner.token(), await owner.token()]
    const made = await world.post('/v1/workspaces', { title: 'Once' }, { key: one, idempotencyKey })
    const again = await world.post('/v1/workspaces', { title: 'Once' }, { key: two, idempotencyKey })
    assert.equal(made.status, 200)
    assert.deepEqual(again.body, made.body)
    assert.equal(again.headers['idempotent-replayed'], 'true')
  })

  it('with api:manage requires a recent step-up and is valid for five minutes', async () => {
    world.clock.advance(console_limits.step_up_ms)
    assert.deepEqual(refusal(await owner.post('token', { mode: 'live', manage: true })), [403, 'step_up_required'])
    assert.equal((await world.get('/v1/api_keys', { key: await owner.token() })).body.error.code, 'insufficient_scope')
    await confirm()
    const { token, scopes: granted, credential } = await owner.must('POST', 'token', { mode: 'live', manage: true })
    assert.deepEqual(granted, [...scopes])
    assert.equal((await world.get('/v1/api_keys', { key: token })).status, 200)
    assert.notEqual(credential, (await owner.must('POST', 'token', { mode: 'live' })).credential)
    world.clock.advance(console_limits.session_manage_token_ms)
    assert.deepEqual(refusal(await me(token)), [401, 'invalid_access_token'])
  })

  it('of a member may not manage keys, not after a step-up and not after a demotion', async () => {
    await confirm()
    const member = await join(owner, 'plain@acme.example', 'member')
    const { scopes: granted, token: plain } = await member.must('POST', 'token', { mode: 'live', manage: true })
    assert.equal(granted.includes('api:manage'), false)
    assert.deepEqual(refusal(await world.get('/v1/api_keys', { key: plain })), [403, 'insufficient_scope'])
    const admin = await join(owner, 'fallen@acme.example', 'admin')
    const token = await admin.token({ manage: true })
    assert.equal((await world.get('/v1/api_keys', { key: token })).status, 200)
    const { user } = await admin.arrive()
    await owner.must('PATCH', `people/${user.id}`, { role: 'member' })
    assert.deepEqual(refusal(await world.get('/v1/api_keys', { key: token })), [403, 'insufficient_scope'])
    assert.deepEqual(refusal(await admin.get('invitations')), [403, 'role_required'])
  })

  it('deletes projects, portfolios and boards only after a step-up; an API key needs none', async () => {
    await confirm()
    const { id: workspace } = await world.make('/v1/workspaces', { title: 'Short-lived' })
    const deleting = ['boards', 'portfolios', 'projects']
    for (const noun of deleting) {
      const make = async () =>
        (await world.make(`/v1/${noun}`, { ...(noun === 'boards' ? {} : { workspace }), name: 'Gone' })).id
      const path = `/v1/${noun}/${await make()}`
      assert.deepEqual(refusal(await world.delete(path, { key: await owner.token() })), [403, 'step_up_required'], noun)
      assert.equal((await world.delete(path, { key: await owner.token({ manage: true }) })).status, 200, noun)
      assert.equal((await world.delete(`/v1/${noun}/${await make()}`)).status, 200, noun)
    }
    const ids = catalogue.map((operation) => operation.id)
    for (const noun of deleting) assert.ok(ids.includes(`${noun}.delete`))
    const { id: task } = await world.make('/v1/tasks', { workspace, title: 'Small' })
    assert.equal((await world.delete(`/v1/tasks/${task}`, { key: await owner.token() })).status, 200)
  })

  it('is revoked at sign-out', async () => {
    const visitor = await join(owner, 'leaves@acme.example', 'member')
    const tokens = [await visitor.token(), await visitor.token({ mode: 'test' })]
    for (const token of tokens) assert.equal((await me(token)).status, 200)
    await visitor.must('DELETE', 'session')
    for (const token of tokens) assert.deepEqual(refusal(await me(token)), [401, 'invalid_access_token'])
  })

  it('is revoked when the user is deactivated', async () => {
    await confirm()
    const visitor = await join(owner, 'shut@acme.example', 'member')
    const token = await visitor.token()
    const { user } = await visitor.arrive()
    await owner.must('PATCH', `people/${user.id}`, { status: 'inactive' })
    assert.deepEqual(refusal(await me(token)), [401, 'invalid_access_token'])
    assert.equal((await visitor.get('session')).body.signed_in, false)
  })

  it('writes events and audit entries that name the user and the credential', async () => {
    const { token, credential } = await owner.must('POST', 'token', { mode: 'live' })
    const { body } = await world.post('/v1/workspaces', { title: 'By a person' }, { key: token })
    const person = { type: 'user', id: world.acme.user }
    const [event] = (await world.get('/v1/events?limit=1')).body.data
    assert.deepEqual([event.type, event.actor, event.data.object.id], ['workflow.workspace.created', person, body.id])
    const [entry] = (await world.get('/v1/audit_logs?limit=1')).body.data
    assert.deepEqual(
      [entry.action, entry.actor, entry.credential, entry.target.id, entry.source.ip],
      ['workspaces.create', person, credential, body.id, '127.0.0.1'],
    )
    assert.deepEqual((await world.get(`/v1/audit_logs?actor=${world.acme.user}&limit=1`)).body.data[0].id, entry.id)
    const job = await world.post('/v1/exports', { resource: 'tasks' }, { key: token })
    assert.deepEqual(job.body.requested_by, person)
  })

  it('is logged as a credential whose owner is the user', async () => {
    const { token, credential } = await owner.must('POST', 'token', { mode: 'live' })
    const id = (await me(token)).headers['x-request-id']
    const { body } = await world.get(`/v1/request_logs/${id}`)
    assert.deepEqual([body.credential, body.owner], [credential, { type: 'user', id: world.acme.user }])
  })

  it('is not an API key: it is not listed, not counted and cannot be deleted as one', async () => {
    await confirm()
    const { token, credential } = await owner.must('POST', 'token', { mode: 'live', manage: true })
    const kinds = (await world.services.store.reader('system').all(credentials)).map((row) => row.kind)
    assert.deepEqual([...new Set(kinds)], ['api_key'])
    const ids = (await world.get('/v1/api_keys?limit=100', { key: token })).body.data.map(
      (key: { id: string }) => key.id,
    )
    assert.equal(ids.includes(credential), false)
    assert.equal((await world.delete(`/v1/api_keys/${credential}`, { key: token })).status, 404)
  })

  it('cannot create a key with more scopes than its own', async () => {
    await confirm()
    const key = await owner.token({ manage: true })
    const made = await world.post('/v1/api_keys', { name: 'Deploys', scopes: ['tasks:read', 'api:manage'] }, { key })
    assert.equal(made.status, 200)
    assert.deepEqual(
      refusal(await world.post('/v1/api_keys', { name: 'x', scopes: ['tasks:read'] }, { key: await owner.token() })),
      [403, 'insufficient_scope'],
    )
  })

  it('is stored as a digest; a session has at most a hundred, and the oldest is deleted first', async () => {
    const visitor = await join(owner, 'greedy@acme.example', 'member')
    const token = await visitor.token()
    const rows = await world.services.store.reader('system').all(written)
    assert.ok(rows.every((row) => /^[0-9a-f]{64}$/.test(row.digest)))
    assert.equal(JSON.stringify(rows).includes(token), false)
    world.clock.advance(1000)
    const second = await visitor.token()
    for (let i = 2; i < console_limits.session_tokens_max; i++) await visitor.token()
    assert.equal((await world.get('/v1/me', { key: token })).status, 200)
    await visitor.token()
    world.services.credentials.forget()
    assert.deepEqual(refusal(await world.get('/v1/me', { key: token })), [401, 'invalid_access_token'])
    assert.equal((await world.get('/v1/me', { key: second })).status, 200)
  })

  it('does not see ids of another organization', async () => {
    const theirs = await world.make('/v1/workspaces', { title: 'Theirs' }, { key: world.globex.key })
    const key = await owner.token()
    const foreign = await world.get(`/v1/workspaces/${theirs.id}`, { key })
    const missing = await world.get('/v1/workspaces/wsp_01KZ0000000000000000000000', { key })
    assert.deepEqual({ ...foreign.body.error, request_id: '' }, { ...missing.body.error, request_id: '' })
  })
})

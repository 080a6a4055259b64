import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { scopes } from '../../src/api/declare/scopes.ts'
import { call, type Reply } from '../call.ts'
import { onEveryEngine } from '../engines.ts'
import { type Installation, newInstallation } from './installation.ts'
import type { Watched } from './terminal.ts'

onEveryEngine('commands beside a running server', (engine) => {
  let installation: Installation
  let server: { process: Watched; url: string }
  let organization: string
  let user: string
  let key: string

  before(async () => {
    installation = await newInstallation(engine)
    const domains = ['--domain', 'acme.example', '--domain', 'ACME.test', '--domain', 'acme.example']
    const made = await installation.initAcme('--plan', 'enterprise', ...domains)
    organization = made.organization
    user = made.user
    key = made.api_key.secret
    assert.deepEqual(Object.keys(made), ['organization', 'user', 'api_key', 'setup_url'])
    assert.match(made.setup_url, /^http:\/\/127\.0\.0\.1:\d+\/set-up#[0-9A-Za-z]{43}$/)
    assert.deepEqual(made.api_key, { id: made.api_key.id, secret: key, scopes: [...scopes], mode: 'live' })
    server = await installation.serve()
  })
  after(() => installation.remove())

  const get = (path: string, secret = key): Promise<Reply> => call(server.url, 'GET', path, { key: secret })
  const post = async (path: string, body: object, secret = key): Promise<Reply['body']> => {
    const reply = await call(server.url, 'POST', path, { key: secret, body })
    assert.equal(reply.status, 200, reply.text)
    return reply.body
  }
  /** Asks until the server has seen the change; how long that may take is the credential's second. */
  const seen = async (path: string, secret: string, status: number): Promise<void> => {
    const asked = performance.now()
    let reply = await get(path, secret)
    while (reply.status !== status && performance.now() - asked < 5000) reply = await get(path, secret)
    assert.equal(reply.status, status)
  }

  test('init: the key is the organization’s and works, the organization has its plan and domains', async () => {
    const me = (await get('/v1/me')).body
    assert.deepEqual(me.owner, { type: 'organization', id: organization })
    assert.equal(me.plan, 'enterprise')
    const { name, domains } = (await get(`/v1/organizations/${organization}`)).body
    assert.equal(name, 'Acme')
    assert.deepEqual(domains, [
      { domain: 'acme.example', state: 'verified' },
      { domain: 'acme.test', state: 'verified' },
    ])
    assert.equal((await get('/v1/members')).body.data[0].user, user)
  })

  test('init: several organizations live in one installation and do not see each other', async () => {
    const other = await installation.json('init', '--organization', 'Globex', '--owner', 'hank@globex.example')
    assert.equal((await get('/v1/me', other.api_key.secret)).body.plan, 'studio')
    assert.equal((await get(`/v1/organizations/${organization}`, other.api_key.secret)).status, 404)
  })

  test('init: a name that an organization has already needs --another', async () => {
    const words = ['init', '--organization', 'Acme', '--owner', 'eve@acme.example']
    const { code, param, message } = await installation.refused(...words)
    assert.deepEqual([code, param], [1, 'organization'])
    const exists = `An organization "Acme" exists already: ${organization}.`
    assert.equal(message, `${exists} --another creates a second one of this name.`)
    const second = await installation.json(...words, '--another')
    assert.notEqual(second.organization, organization)
  })

  test('operator: the owner of the first organization is one; others are added and removed', async () => {
    const operators = async () =>
      (await installation.json('operator', 'list')).operators.map((each: { email: string }) => each.email)
    assert.deepEqual(await operators(), ['ada@acme.example'])
    const about = { organization, email: 'op@acme.example', status: 'active' }
    const { user: added } = await installation.json(
      ...['member', 'add', '--organization', organization, '--email', about.email],
    )
    const { created, organization_name, ...made } = await installation.json('operator', 'add', 'OP@acme.example')
    assert.deepEqual(made, { ...about, user: added })
    assert.ok(created > 0 && organization_name !== '')
    assert.deepEqual(await operators(), ['ada@acme.example', 'op@acme.example'])
    await installation.json('operator', 'remove', 'op@acme.example')
    assert.deepEqual(await operators(), ['ada@acme.example'])
    await installation.refused('operator', 'remove', 'op@acme.example')
  })

  test('link create: a link for a member, with the role that it gives, which the server takes', async () => {
    const about = ['link', 'create', '--organization', organization, '--email', 'ADA@acme.example']
    const { id, url, expires_at, ...made } = await installation.json(...about)
    assert.match(id, /^lnk_/)
    assert.deepEqual(made, { kind: 'set_up', organization, user, email: 'ada@acme.example', role: 'owner' })
    assert.ok(expires_at > Date.now() / 1000)
    const headers = { origin: server.url }
    const { csrf } = (await call(server.url, 'GET', '/app/api/session', { key: null })).body
    const reply = await call(server.url, 'POST', '/app/api/set-up/link', {
      key: null,
      body: { token: url.split('#')[1] },
      headers: { ...headers, 'x-csrf': csrf },
    })
    assert.deepEqual([reply.status, reply.body.email, reply.body.role], [200, 'ada@acme.example', 'owner'])
    const refused = await installation.refused(
      'link',
      'create',
      '--organization',
      organization,
      '--email',
      'x@y.example',
    )
    assert.deepEqual([refused.code, refused.param], [1, 'email'])
  })

  test('key create: the server knows the key at once, with its scopes, mode, owner and end', async () => {
    const made = await installation.json(
      ...['key', 'create', '--organization', organization, '--name', 'Reports', '--scopes', 'tasks:read,api:read'],
      ...['--mode', 'test', '--owner', `user:${user}`, '--expires-in', '3600', '--version', '2026-08-03'],
    )
    const me = await get('/v1/me', made.secret)
    assert.equal(me.status, 200)
    assert.deepEqual(me.body.owner, { type: 'user', id: user })
    assert.deepEqual(me.body.scopes, ['tasks:read', 'api:read'])
    assert.equal(me.body.mode, 'test')
    assert.equal(made.expires_at, made.created + 3600)
    assert.equal(made.name, 'Reports')
  })

  test('key create: without more than the organization it is live, of every scope, and without end', async () => {
    const made = await installation.json('key', 'create', '--organization', organization)
    assert.deepEqual([made.mode, made.scopes, made.expires_at], ['live', [...scopes], null])
    assert.equal(made.owner.type, 'organization')
  })

  test('token create: the access token is an application’s and lives an hour', async () => {
    const made = await installation.json(
      ...['token', 'create', '--organization', organization, '--application', 'importer'],
    )
    assert.deepEqual(Object.keys(made), ['id', 'secret', 'expires_at'])
    assert.match(made.secret, /^atr_at_live_/)
    const me = await get('/v1/me', made.secret)
    assert.deepEqual(me.body.owner, { type: 'application', id: 'importer' })
  })

  test('member add and member set: the server lists what was given', async () => {
    const added = await installation.json(
      ...['member', 'add', '--organization', organization, '--email', 'bo@acme.example', '--first-name', 'Bo'],
      ...['--last-name', 'Berg', '--role', 'Engineer', '--status', 'pending'],
    )
    assert.deepEqual((await get('/v1/members')).body.data[0], added)
    assert.equal(added.status, 'pending')
    const set = await installation.json('member', 'set', added.id, '--status', 'active', '--role', '')
    assert.deepEqual([set.id, set.status, set.role, set.first_name], [added.id, 'active', null, 'Bo'])
    assert.deepEqual((await get('/v1/members')).body.data[0], set)
    const refused = await installation.refused('member', 'set', added.id, '--organization', 'org_x', '--role', 'x')
    assert.deepEqual([refused.code, refused.param], [1, 'id'])
  })

  test('team add: the server lists the team', async () => {
    const team = await installation.json(
      ...['team', 'add', '--organization', organization, '--name', 'Design', '--description', 'All that is seen'],
    )
    assert.deepEqual((await get('/v1/teams')).body.data, [team])
  })

  test('saved-filter add and task-template add: the server uses what was added', async () => {
    const workspace = (await post('/v1/workspaces', { title: 'Kepler' })).id
    const where = ['--organization', organization, '--workspace', workspace]
    const filter = await installation.json(
      ...['saved-filter', 'add', ...where, '--name', 'Urgent', '--filter', 'priority >= high', '--sort', '-priority'],
    )
    assert.deepEqual((await get(`/v1/saved_filters/${filter.id}`)).body, filter)
    const defaults = JSON.stringify({ title: 'Bug', priority: 'urgent', labels: ['bug'] })
    const template = await installation.json(
      ...['task-template', 'add', ...where, '--name', 'Bug', '--defaults', defaults, '--overridable', 'title,due_at'],
    )
    assert.deepEqual(template.overridable, ['title', 'due_at'])
    const task = await post(`/v1/task_templates/${template.id}/instantiate`, { workspace, title: 'It crashes' })
    assert.deepEqual([task.title, task.priority, task.labels], ['It crashes', 'urgent', ['bug']])
    const found = (await get(`/v1/tasks?filter=${filter.id}`)).body.data
    assert.deepEqual(
      found.map((each: { id: string }) => each.id),
      [task.id],
    )
  })

  test('saved-filter add: the test data set is another one', async () => {
    const made = await installation.json('key', 'create', '--organization', organization, '--mode', 'test')
    const workspace = (await post('/v1/workspaces', { title: 'Trial' }, made.secret)).id
    const words = ['saved-filter', 'add', '--organization', organization, '--workspace', workspace]
    const refused = await installation.refused(...words, '--name', 'x', '--filter', 'status = done')
    assert.deepEqual([refused.code, refused.param], [1, 'workspace'])
    await installation.json(...words, '--name', 'x', '--filter', 'status = done', '--mode', 'test')
  })

  test('organization set: the name changes; a lapsed plan refuses every request within a second, until it is back', async () => {
    const named = await installation.json('organization', 'set', '--organization', organization, '--name', 'Acme Ltd')
    assert.equal((await get(`/v1/organizations/${organization}`)).body.name, named.name)
    const lapsed = await installation.json('organization', 'set', '--organization', organization, '--plan', 'none')
    assert.equal(lapsed.plan, null)
    await seen('/v1/me', key, 402)
    await installation.json('organization', 'set', '--organization', organization, '--plan', 'enterprise')
    await seen('/v1/me', key, 200)
  })

  test('audit verify: the log that all of this has written is whole', async () => {
    const one = await installation.json('audit', 'verify', '--organization', organization)
    assert.ok(one.ok)
    const all = await installation.json('audit', 'verify')
    assert.deepEqual(Object.keys(all), ['ok', 'entries'])
    assert.ok(all.entries > one.entries)
  })

  test('workers: each worker of the register has its status', async () => {
    const { workers } = await installation.json('workers')
    for (const worker of workers) {
      assert.deepEqual(Object.keys(worker), [
        ...['name', 'does', 'period_seconds', 'state', 'last_started_at', 'last_ended_at', 'done', 'failed'],
        ...['lag_seconds', 'last_error'],
      ])
    }
  })

  test('migrate: applies nothing where everything is applied', async () => {
    assert.deepEqual(await installation.json('migrate'), { applied: [], backup: null })
  })

  // The same code refuses on both engines, and each refusal is a process of its own.
  if (engine !== 'sqlite') return

  test('what the database refuses is one error with its param, and nothing on standard output', async () => {
    const unknown = ['--organization', 'org_01AAAAAAAAAAAAAAAAAAAAAAAA']
    const refusals: [string[], string | undefined][] = [
      [['key', 'create', ...unknown], 'organization'],
      [['key', 'create', '--organization', organization, '--owner', 'nobody'], 'owner'],
      [['key', 'create', '--organization', organization, '--owner', 'user:usr_none'], 'owner'],
      [['key', 'create', '--organization', organization, '--version', '1999-01-01'], 'version'],
      [['token', 'create', ...unknown, '--application', 'a'], 'organization'],
      [['organization', 'set', ...unknown, '--plan', 'studio'], 'organization'],
      [['member', 'add', ...unknown, '--email', 'a@b.example'], 'organization'],
      [['member', 'add', '--organization', organization, '--email', 'ada@acme.example'], 'email'],
      [['member', 'set', 'mbr_none', '--role', 'x'], 'id'],
      [['team', 'add', ...unknown, '--name', 'x'], 'organization'],
      [['audit', 'verify', ...unknown], 'organization'],
      [
        ['saved-filter', 'add', '--organization', organization, '--workspace', 'wsp_x', '--name', 'x', '--filter', '('],
        'workspace',
      ],
    ]
    for (const [words, param] of refusals) {
      const refused = await installation.refused(...words)
      assert.deepEqual([refused.code, refused.param], [1, param], `${words.join(' ')}: ${refused.message}`)
    }
  })

  test('the text for people says the same, and the error is one line', async () => {
    const listed = await installation.run(['workers'])
    assert.deepEqual([listed.code, listed.err], [0, ''])
    assert.match(listed.out, /^WORKER +STATE +LAST RUN/)
    const made = await installation.run(['key', 'create', '--organization', organization, '--name', 'Mine'])
    assert.match(made.out, /^atr_live_[0-9A-Za-z]{36}\n$/)
    assert.match(made.err, /^name +Mine$/m)
    assert.ok(made.err.includes(`curl -H "Authorization: Bearer $KEY" ${server.url}/v1/me`), made.err)
    const refused = await installation.run(['key', 'create', '--organization', 'org_none'])
    assert.deepEqual([refused.code, refused.out], [1, ''])
    assert.match(
      refused.err,
      new RegExp(
        `^atrium key create: There is no organization "org_none"\\. Use ${organization} \\(Acme Ltd\\)[^\n]*\\.\n$`,
      ),
    )
  })
})

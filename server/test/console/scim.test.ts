/** Provisioning by SCIM 2.0, with the requests that Okta and Entra ID send. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { findMembership } from '../../src/console/accounts/queries.ts'
import { console_limits } from '../../src/console/limits.ts'
import { listGrantsOfUser } from '../../src/console/oauth/queries.ts'
import { type Placeholder, query } from '../../src/db/query.ts'
import { call, type Reply } from '../call.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { join, ownerOf, password, refusal, Visitor } from './visitor.ts'

const core = 'urn:ietf:params:scim:schemas:core:2.0:User'
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const patch_schema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const everything = query((db) => db.selectFrom('scim_tokens').selectAll())

const identities = query((db, p: Placeholder<{ organization: string; user: string }>) =>
  db
    .selectFrom('account_identities')
    .selectAll()
    .where('organization', '=', p('organization'))
    .where('user', '=', p('user')),
)

/** Both realms of the organization have the entry. */
const twice = (action: string) => [action, action]

onEveryWorld('Provisioning by SCIM', (world) => {
  const owner = openFirst(() => ownerOf(world))
  let secret: string

  before(async () => {
    secret = (await owner.must('POST', 'scim-tokens', { name: 'Okta' })).secret
  })

  const scim = async (method: string, path: string, body?: unknown, key = secret): Promise<Reply> => {
    const reply = await call(world.server.url, method, `/scim/v2${path}`, {
      ...{ key, idempotencyKey: null },
      ...(body === undefined ? {} : { raw: JSON.stringify(body) }),
      headers: { 'content-type': 'application/scim+json' },
    })
    return { ...reply, body: reply.text === '' ? null : JSON.parse(reply.text) }
  }
  const failure = ({ status, body }: Reply) => [status, body?.scimType ?? null]
  const make = async (userName: string, more: object = {}): Promise<Reply['body']> => {
    const reply = await scim('POST', '/Users', { schemas: [core], userName, active: true, ...more })
    assert.equal(reply.status, 201, reply.text)
    return reply.body
  }
  const patch = (id: string, ...Operations: object[]) =>
    scim('PATCH', `/Users/${id}`, { schemas: [patch_schema], Operations })
  const find = async (filter: string): Promise<string[]> => {
    const reply = await scim('GET', `/Users?filter=${encodeURIComponent(filter)}&startIndex=1&count=100`)
    assert.equal(reply.status, 200, reply.text)
    return reply.body.Resources.map(({ id }: { id: string }) => id)
  }

  it('is described to everyone: what is supported, the kinds of resources and their attributes', async () => {
    const config = await scim('GET', '/ServiceProviderConfig', undefined, 'none')
    assert.equal(config.headers['content-type'], 'application/scim+json; charset=utf-8')
    const { patch: patches, bulk, filter, sort, etag, changePassword } = config.body
    assert.deepEqual([patches, filter], [{ supported: true }, { supported: true, maxResults: 200 }])
    for (const each of [bulk, sort, etag, changePassword]) assert.equal(each.supported, false)
    const types = await scim('GET', '/ResourceTypes')
    assert.deepEqual(
      types.body.Resources.map(({ id, endpoint }: Record<string, string>) => [id, endpoint]),
      [
        ['User', '/Users'],
        ['Group', '/Groups'],
      ],
    )
    const [listed] = (await scim('GET', '/Schemas')).body.Resources
    assert.deepEqual((await scim('GET', `/Schemas/${core}`)).body, listed)
    assert.deepEqual(
      listed.attributes.map(({ name }: { name: string }) => name),
      ['userName', 'name', 'displayName', 'active', 'emails', 'groups'],
    )
    assert.deepEqual(failure(await scim('GET', '/Schemas/other')), [404, null])
  })

  it('needs a token of its own, made by an owner, shown once, and good for nothing else', async () => {
    const admin = await join(owner, 'admin@acme.example', 'admin')
    assert.deepEqual(refusal(await admin.get('scim-tokens')), [403, 'role_required'])
    assert.deepEqual(refusal(await admin.post('scim-tokens', { name: 'Mine' })), [403, 'role_required'])
    await world.markWritten()
    const made = await owner.must('POST', 'scim-tokens', { name: 'Entra ID' })
    await world.assertWritten({ events: [], audit: twice('scim_tokens.create') })
    assert.match(made.secret, /^atr_scim_[0-9A-Za-z]{43}$/)
    assert.equal((await scim('GET', '/Users?count=0', undefined, made.secret)).status, 200)
    const [listed] = (await owner.get('scim-tokens')).body.data
    assert.deepEqual([listed.name, listed.secret], ['Entra ID', undefined])
    assert.equal(listed.last_used_at, Math.floor(world.clock.now() / 1000))
    assert.ok(!JSON.stringify(await world.services.store.reader('system').all(everything)).includes(made.secret))
    for (const key of ['', 'atr_scim_x', world.acme.key, await owner.token(), `${made.secret}x`]) {
      const reply = await scim('GET', '/Users', undefined, key)
      assert.equal(reply.status, 401, key)
      assert.equal(reply.headers['www-authenticate'], 'Bearer realm="Atrium"')
    }
    assert.equal((await world.get('/v1/tasks', { key: made.secret })).status, 401)
    for (const sent of [made.secret, made.secret.replaceAll('_', '%5F'), made.secret.slice(0, 30)]) {
      const reply = await scim('GET', `/Users?token=${sent}`, undefined, made.secret)
      assert.equal(reply.status, 401, sent)
      assert.match(reply.body.detail, /A credential in a URL is never accepted/)
    }
    await owner.must('DELETE', `scim-tokens/${made.id}`)
    await world.assertWritten({ events: [], audit: twice('scim_tokens.delete') })
    assert.equal((await scim('GET', '/Users', undefined, made.secret)).status, 401)
    assert.deepEqual(refusal(await owner.delete(`scim-tokens/${made.id}`)), [404, 'resource_not_found', 'id'])
  })

  it('creates, finds, changes and deactivates a person as Okta does', async () => {
    assert.deepEqual(await find('userName eq "ada@corp.example"'), [])
    await world.markWritten()
    const created = await make('ada@corp.example', {
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      emails: [{ primary: true, value: 'ada@corp.example', type: 'work' }],
      ...{ displayName: 'Ada Lovelace', locale: 'en-US', externalId: '00ujl29u0le5T6Aj10h7', groups: [] },
      password: '1mz050nq',
    })
    await world.assertWritten({ events: ['platform.member.created'], audit: twice('members.create') })
    const { id, meta } = created
    assert.deepEqual(created, {
      ...{ schemas: [core], id, externalId: '00ujl29u0le5T6Aj10h7', userName: 'ada@corp.example' },
      name: { givenName: 'Ada', familyName: 'Lovelace', formatted: 'Ada Lovelace' },
      ...{ displayName: 'Ada Lovelace', active: true },
      emails: [{ value: 'ada@corp.example', type: 'work', primary: true }],
      meta: { ...meta, resourceType: 'User', location: `${world.server.url}/scim/v2/Users/${id}` },
    })
    assert.deepEqual((await scim('GET', `/Users/${id}`)).body, created)
    assert.deepEqual(await find('userName eq "ADA@corp.example"'), [id])
    assert.deepEqual(await find('externalId eq "00ujl29u0le5T6Aj10h7"'), [id])
    const again = await scim('POST', '/Users', { schemas: [core], userName: 'Ada@corp.example' })
    assert.deepEqual(failure(again), [409, 'uniqueness'])
    const replaced = await scim('PUT', `/Users/${id}`, {
      ...{ schemas: [core], id, userName: 'ada@corp.example', name: { givenName: 'Augusta', familyName: 'King' } },
      ...{ externalId: '00ujl29u0le5T6Aj10h7', active: true, meta: { resourceType: 'User' } },
    })
    assert.equal(replaced.body.displayName, 'Augusta King', replaced.text)
    await world.markWritten()
    const off = await patch(id, { op: 'replace', value: { active: false } })
    assert.deepEqual([off.status, off.body.active], [200, false])
    await world.assertWritten({ events: ['platform.member.updated'], audit: twice('members.update') })
    assert.equal((await patch(id, { op: 'replace', value: { active: false } })).status, 200)
    await world.assertWritten({ events: [], audit: [] })
    const member = (await world.get('/v1/members?limit=1')).body.data[0]
    assert.deepEqual([member.user.id ?? member.user, member.status], [id, 'inactive'])
  })

  it('creates, finds, changes and deactivates a person as Entra ID does', async () => {
    assert.deepEqual(await find('externalId eq "0a21f0f2"'), [])
    const { id } = await make('jyoung@corp.example', {
      schemas: [core, enterprise],
      externalId: '0a21f0f2',
      ...{ addresses: null, displayName: 'lennay', roles: [], meta: { resourceType: 'User' } },
      emails: [{ type: 'work', value: 'jyoung@corp.example', primary: true }],
      name: { formatted: 'J Young', familyName: 'Young', givenName: 'J' },
      [enterprise]: { department: 'Physics' },
    })
    assert.deepEqual(await find('emails[type eq "work" and value eq "jyoung@corp.example"]'), [id])
    const changed = await patch(
      id,
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'other@corp.example' },
      { op: 'Replace', path: 'name.familyName', value: 'Younger' },
      { op: 'Add', path: `${enterprise}:department`, value: 'Bio' },
      { op: 'Add', path: `${core}:name.givenName`, value: 'Jo' },
    )
    assert.equal(changed.status, 200, changed.text)
    const { userName, displayName } = changed.body
    assert.deepEqual([userName, displayName], ['jyoung@corp.example', 'Jo Younger'])
    const dotted = await patch(id, { op: 'Add', value: { 'name.givenName': 'Joan', active: 'True' } })
    assert.deepEqual([dotted.body.name.givenName, dotted.body.active], ['Joan', true])
    assert.equal((await patch(id, { op: 'Replace', path: 'active', value: 'False' })).body.active, false)
    assert.equal((await patch(id, { op: 'Replace', path: 'active', value: 'True' })).body.active, true)
    const renamed = await patch(id, { op: 'Replace', path: 'userName', value: 'joan@corp.example' })
    assert.equal(renamed.body.emails[0].value, 'joan@corp.example')
    const bare = await patch(id, { op: 'Remove', path: 'name.familyName' }, { op: 'remove', path: 'externalId' })
    assert.deepEqual([bare.body.name, bare.body.externalId], [{ givenName: 'Joan', formatted: 'Joan' }, undefined])
    assert.equal((await scim('DELETE', `/Users/${id}`)).status, 204)
    assert.deepEqual(failure(await scim('GET', `/Users/${id}`)), [404, null])
    assert.deepEqual(await find('userName eq "joan@corp.example"'), [])
    assert.deepEqual(failure(await scim('DELETE', `/Users/${id}`)), [404, null])
    assert.notEqual((await make('joan@corp.example', { externalId: '0a21f0f2' })).id, id, 'a new member')
  })

  it('gives nothing of a deleted person to the next one with the address', async () => {
    const former = await join(owner, 'former@acme.example', 'admin')
    const [id = ''] = await find('userName eq "former@acme.example"')
    const { account } = await former.arrive()
    const held = { organization: world.acme.id, user: id }
    const now = world.clock.now()
    await world.services.store.write('system', async (tx) => {
      const identity = { issuer: 'https://id.example', subject: 'former', created: now, last_used_at: now }
      tx.insert('account_identities', { ...held, ...identity, account: account.id })
      tx.insert('oauth_grants', {
        ...{ ...held, id: 'ogr_former', realm: world.acme.realms.live, mode: 'live' },
        ...{ client: 'app_x', client_name: 'X' },
        ...{ scopes: '[]', resource: null, credential: 'key_x', code_digest: 'c', refresh_digest: 'r' },
        ...{ created: now, last_used_at: now, expires_at: now + 1_000_000 },
      })
    })
    await world.markWritten()
    assert.equal((await scim('DELETE', `/Users/${id}`)).status, 204)
    await world.assertWritten({ events: ['platform.member.updated'], audit: twice('members.update') })
    const reader = world.services.store.reader('system')
    assert.deepEqual(await reader.all(identities, held), [])
    assert.deepEqual(await reader.all(listGrantsOfUser, { ...held, now }), [])
    assert.deepEqual(await reader.all(findMembership, held), [])
    assert.equal((await former.get('session')).body.signed_in, false)

    const next = await make('Former@acme.example', { externalId: 'another person' })
    await world.assertWritten({
      events: ['platform.member.updated', 'platform.member.created'],
      audit: twice('members.create'),
    })
    assert.notEqual(next.id, id)
    assert.deepEqual(failure(await scim('GET', `/Users/${id}`)), [404, null])
    const { data } = (await owner.get('people')).body
    const shown = [id, next.id].map((user) => data.find((each: { user: string }) => each.user === user))
    assert.deepEqual(
      shown.map(({ email, first_name, role, status, has_account }) => [email, first_name, role, status, has_account]),
      [
        [null, 'former@acme.example', null, 'inactive', false],
        ['Former@acme.example', null, null, 'active', false],
      ],
    )
    const thief = new Visitor(world.server.url)
    await thief.arrive()
    const tried = await thief.post('session', { email: 'former@acme.example', password })
    assert.deepEqual(refusal(tried), [401, 'sign_in_failed'])
    const invited = await join(owner, 'former@acme.example', 'member')
    const { user, role } = await invited.arrive()
    assert.deepEqual([user.id, role], [next.id, 'member'])
  })

  it('lets a person have the address of a deleted one, and stay in other organizations', async () => {
    const both = await join(owner, 'both@acme.example', 'member')
    const globex = await ownerOf(world, world.globex)
    await join(globex, 'both@acme.example', 'member')
    const [id = ''] = await find('userName eq "both@acme.example"')
    assert.equal((await scim('DELETE', `/Users/${id}`)).status, 204)
    assert.equal((await both.get('session')).body.signed_in, false)
    const again = new Visitor(world.server.url)
    assert.equal((await again.signIn('both@acme.example', password)).organization.id, world.globex.id)
    const other = await make('unlike@acme.example')
    const renamed = await patch(other.id, { op: 'replace', path: 'userName', value: 'both@acme.example' })
    assert.deepEqual([renamed.status, renamed.body.userName], [200, 'both@acme.example'], renamed.text)
    assert.deepEqual(await find('userName eq "both@acme.example"'), [other.id])
  })

  it('sees a deleted person again who is activated or invited in the console', async () => {
    for (const way of ['status', 'invitation']) {
      const email = `${way}@acme.example`
      const { id } = await make(email)
      assert.equal((await scim('DELETE', `/Users/${id}`)).status, 204)
      await owner.must('POST', 'step-up', { password })
      if (way === 'status') await owner.must('PATCH', `people/${id}`, { status: 'active' })
      else await owner.must('POST', 'invitations', { email, role: 'member' })
      assert.deepEqual(await find(`userName eq "${email}"`), [id])
      const page = (await scim('GET', '/Users')).body
      assert.equal(page.totalResults, page.Resources.length)
      assert.ok(page.Resources.some((each: { id: string }) => each.id === id))
      assert.deepEqual(failure(await scim('POST', '/Users', { userName: email })), [409, 'uniqueness'])
      const off = await patch(id, { op: 'replace', value: { active: false } })
      assert.deepEqual([off.status, off.body.active], [200, false])
      assert.equal((await scim('GET', `/Users/${id}`)).body.active, false)
      assert.equal((await scim('DELETE', `/Users/${id}`)).status, 204)
      assert.deepEqual(await find(`userName eq "${email}"`), [])
    }
  })

  it('ends sessions and tokens of a deactivated person at once, and keeps the only owner', async () => {
    const person = await join(owner, 'leaver@acme.example', 'member')
    const token = await person.token()
    assert.equal((await world.get('/v1/tasks', { key: token })).status, 200)
    const [id = ''] = await find('userName eq "leaver@acme.example"')
    assert.equal((await patch(id, { op: 'replace', value: { active: false } })).status, 200)
    assert.equal((await world.get('/v1/tasks', { key: token })).status, 401)
    assert.equal((await person.get('session')).body.signed_in, false)
    const again = new Visitor(world.server.url)
    await again.arrive()
    assert.equal((await again.post('session', { email: 'leaver@acme.example', password })).status, 401)
    const [boss = ''] = await find('userName eq "owner@acme.example"')
    for (const reply of [
      await patch(boss, { op: 'replace', value: { active: false } }),
      await scim('DELETE', `/Users/${boss}`),
    ]) {
      assert.deepEqual(failure(reply), [409, null])
      assert.match(reply.body.detail, /the only owner/)
    }
    assert.equal((await owner.get('session')).body.signed_in, true)
  })

  it('lists people in pages, in a fixed order, within bounds', async () => {
    const all = (await scim('GET', '/Users')).body
    assert.equal(all.totalResults, all.Resources.length)
    assert.ok(all.totalResults >= 4)
    const ids = all.Resources.map(({ id }: { id: string }) => id)
    const paged: string[] = []
    for (let start = 1; start <= all.totalResults; start += 2) {
      const { body } = await scim('GET', `/Users?startIndex=${start}&count=2`)
      assert.deepEqual([body.totalResults, body.startIndex], [all.totalResults, start])
      paged.push(...body.Resources.map(({ id }: { id: string }) => id))
    }
    assert.deepEqual(paged, ids)
    const edge = async (search: string) => {
      const { body } = await scim('GET', `/Users?${search}`)
      return [body.startIndex, body.itemsPerPage]
    }
    assert.deepEqual(await edge('startIndex=0&count=1'), [1, 1])
    assert.deepEqual(await edge('count=-1'), [1, 0])
    assert.deepEqual(await edge('count=1000'), [1, all.totalResults])
    assert.deepEqual(await edge('startIndex=999'), [999, 0])
    assert.deepEqual(failure(await scim('GET', '/Users?count=many')), [400, 'invalidValue'])
  })

  it('says what is wrong with a request, in the form of the protocol', async () => {
    const { id } = await make('wrong@corp.example')
    const Operations = [{ op: 'replace', path: 'active', value: true }]
    const cases: readonly (readonly [Reply, number, string | null, RegExp])[] = [
      [await scim('POST', '/Users', { schemas: [core] }), 400, 'invalidValue', /`userName` is required/],
      [await scim('POST', '/Users', { userName: 'no address' }), 400, 'invalidValue', /"no address"/],
      [await scim('POST', '/Users', { userName: 'x@corp.example', active: 'maybe' }), 400, 'invalidValue', /"maybe"/],
      [await scim('POST', '/Users', { userName: 'x@corp.example', name: 'X' }), 400, 'invalidValue', /`name`/],
      [await scim('POST', '/Users', []), 400, 'invalidSyntax', /JSON object/],
      [await scim('PATCH', `/Users/${id}`, { Operations }), 400, 'invalidValue', /`schemas`/],
      [await patch(id), 400, 'invalidValue', /`Operations`/],
      [await patch(id, { op: 'move', path: 'active' }), 400, 'invalidValue', /`Operations\[0\]\.op` cannot be "move"/],
      [await patch(id, { op: 'replace', path: 7, value: true }), 400, 'invalidPath', /"7"/],
      [await patch(id, { op: 'replace', value: false }), 400, 'invalidValue', /must be an object/],
      [await patch(id, { op: 'remove' }), 400, 'noTarget', /path/],
      [await patch(id, { op: 'remove', path: 'userName' }), 400, 'mutability', /`userName` is required/],
      [await scim('GET', '/Users?filter=userName%20co%20%22a%22'), 400, 'invalidFilter', /"userName co "a""/],
      [await scim('GET', '/Users?filter=((('), 400, 'invalidFilter', /is not supported/],
      [await scim('GET', '/Users?filter=title%20eq%20%22a%22'), 400, 'invalidFilter', /is not supported/],
      [await scim('PUT', '/Nothing'), 404, null, /"\/scim\/v2\/Nothing"/],
      [await patch(id, { op: 'replace', path: 'userName', value: 'owner@acme.example' }), 409, 'uniqueness', /another/],
    ]
    for (const [reply, status, scimType, detail] of cases) {
      assert.deepEqual(failure(reply), [status, scimType], reply.text)
      assert.match(reply.body.detail, detail)
      assert.deepEqual(reply.body.schemas, ['urn:ietf:params:scim:api:messages:2.0:Error'])
      assert.equal(reply.body.status, String(status))
    }
    for (const attribute of ['constructor', '__proto__', 'toString'])
      assert.deepEqual(
        failure(await scim('GET', `/Users?filter=${encodeURIComponent(`${attribute} eq "a"`)}`)),
        [400, 'invalidFilter'],
        attribute,
      )
    for (const missing of ['a%00', '%00', 'usr%20x', 'x'.repeat(161)])
      for (const [method, body] of [
        ['GET', undefined],
        ['PATCH', { schemas: [patch_schema], Operations }],
        ['DELETE', undefined],
      ] as const)
        assert.deepEqual(failure(await scim(method, `/Users/${missing}`, body)), [404, null], `${method} ${missing}`)
    for (const attribute of ['externalId', 'name.givenName'])
      assert.deepEqual(
        failure(await patch(id, { op: 'replace', path: attribute, value: 'a\ud800' })),
        [400, 'invalidSyntax'],
        attribute,
      )
    for (const [raw, detail] of [
      ['{', 'at '],
      // Of two values for one key, readers take different ones.
      [
        '{"userName":"a@corp.example","user\\u004eame":"b@corp.example"}',
        'a key occurs twice in one object at `userName`',
      ],
      ['{"userName":"a@corp.example","name":{"x":1,"x":2}}', 'a key occurs twice in one object at `name.x`'],
      ['['.repeat(40), 'nested'],
    ] as const) {
      const options = { key: secret, idempotencyKey: null, raw }
      const broken = JSON.parse((await call(world.server.url, 'POST', '/scim/v2/Users', options)).text)
      assert.deepEqual([broken.status, broken.scimType], ['400', 'invalidSyntax'])
      assert.ok(broken.detail.startsWith('The body cannot be read: ') && broken.detail.includes(detail), broken.detail)
    }
    const plain = await call(world.server.url, 'POST', '/scim/v2/Users', {
      ...{ key: secret, idempotencyKey: null, raw: '{}', headers: { 'content-type': 'text/plain' } },
    })
    assert.equal(plain.status, 415)
    const large = await scim('POST', '/Users', { userName: 'x@corp.example', pad: 'x'.repeat(70_000) })
    assert.equal(large.status, 400, large.text)
  })

  it('knows nothing of another organization, byte for byte', async () => {
    const globex = await ownerOf(world, world.globex)
    const other = (await globex.must('POST', 'scim-tokens', { name: 'Theirs' })).secret
    const [id = ''] = await find('userName eq "owner@acme.example"')
    const missing = `usr_${'0'.repeat(id.length - 4)}`
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', { schemas: [core], userName: 'x@corp.example' }],
      ['PATCH', { schemas: [patch_schema], Operations: [{ op: 'replace', value: { active: false } }] }],
      ['DELETE', undefined],
    ] as const) {
      const foreign = await scim(method, `/Users/${id}`, body, other)
      const unknown = await scim(method, `/Users/${missing}`, body, other)
      assert.equal(foreign.status, 404)
      assert.equal(foreign.text.replaceAll(id, ''), unknown.text.replaceAll(missing, ''))
    }
    const { body } = await scim('GET', '/Users?filter=userName%20eq%20%22owner@acme.example%22', undefined, other)
    assert.equal(body.totalResults, 0)
    const mine = (await owner.get('scim-tokens')).body.data[0].id
    assert.deepEqual(refusal(await globex.delete(`scim-tokens/${mine}`)), [404, 'resource_not_found', 'id'])
  })

  it('is bounded: a token has a number of requests a minute, and an organization a number of tokens', async () => {
    const own = await owner.must('POST', 'scim-tokens', { name: 'Busy' })
    const ask = () => scim('GET', '/Users?count=0', undefined, own.secret)
    for (let i = 0; i < console_limits.scim_requests_max; i += 50)
      await Promise.all(Array.from({ length: 50 }, () => ask()))
    const over = await ask()
    assert.deepEqual([over.status, Number(over.headers['retry-after']) > 0], [429, true])
    assert.equal((await scim('GET', '/Users?count=0')).status, 200, 'another token goes on')
    world.clock.advance(console_limits.scim_window_ms)
    assert.equal((await ask()).status, 200)
    await owner.must('POST', 'step-up', { password })
    const { length } = (await owner.get('scim-tokens')).body.data
    for (let i = length; i < console_limits.scim_tokens_max; i++)
      await owner.must('POST', 'scim-tokens', { name: `Token ${i}` })
    assert.deepEqual(refusal(await owner.post('scim-tokens', { name: 'One more' })), [409, 'resource_conflict'])
  })
})

/** Sign-in by OpenID Connect: who is admitted, what is refused, roles, confirmation, sign-out. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { limits } from '../../src/api/limits.ts'
import { console_limits } from '../../src/console/limits.ts'
import { createOperatorLink } from '../../src/console/links/create-operator-link.ts'
import { query } from '../../src/db/query.ts'
import type { RunningServer } from '../../src/main.ts'
import { addMember, setMember } from '../../src/resources/members/write.ts'
import { sweeps } from '../../src/workers/sweeps/sweeps.ts'
import { startSecond } from '../conformance/second-server.ts'
import { CertifiedProvider, entryOf, ForgingProvider, type Person, ProviderVisitor } from '../openid-provider.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { OpenIdVisitor } from './openid-visitor.ts'
import { join, ownerOf, password, refusal, setCookies, tokenOf, Visitor } from './visitor.ts'

const flows = query((db) => db.selectFrom('sign_in_flows').selectAll())
const identities = query((db) => db.selectFrom('account_identities').selectAll().orderBy('created'))
const idTokens = query((db) => db.selectFrom('session_id_tokens').selectAll())
const members = query((db) => db.selectFrom('members').selectAll())
const accounts = query((db) => db.selectFrom('accounts').selectAll())

/** Both realms of the organization have the entry. */
const twice = (...actions: string[]) => actions.flatMap((action) => [action, action])

/** The person of an ID token. */
function subjectOf(idToken: string): string {
  const [, payload = ''] = idToken.split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString() || '{}').sub
}

onEveryWorld('Signing in by OpenID Connect', (world) => {
  const owner = openFirst(() => ownerOf(world))
  let server: RunningServer
  const corp = new CertifiedProvider()
  const forger = new ForgingProvider()

  before(async () => {
    await Promise.all([corp.open(), forger.open()])
    const roles = { role_claim: 'groups', roles: { staff: 'admin', chiefs: 'owner' } }
    const ATRIUM_OIDC_PROVIDERS = JSON.stringify([
      entryOf(corp.issuer, world.acme.id),
      entryOf(corp.issuer, world.globex.id, { id: 'ranked', name: 'Ranked', ...roles }),
      entryOf(forger.issuer, world.acme.id, { id: 'forger', name: 'Forger' }),
      entryOf('http://127.0.0.1:1', world.acme.id, { id: 'gone', name: 'Gone' }),
    ])
    server = await startSecond(world, { ATRIUM_OIDC_PROVIDERS })
    corp.register(server.url, 'corp', 'ranked')
  })
  after(async () => {
    await server?.close()
    await Promise.all([corp.close(), forger.close()])
  })

  const visitor = () => new OpenIdVisitor(server.url)
  const reader = () => world.services.store.reader('system')
  const person = (login: string, claims: Person = {}): string => {
    corp.people.set(login, { email: `${login}@corp.example`, email_verified: true, given_name: login, ...claims })
    return login
  }
  const memberOf = async (email: string) => (await reader().all(members)).filter((row) => row.email === email)

  it('is offered to signed-out people by the providers’ names, and by no other server of the installation', async () => {
    const { providers } = await visitor().arrive()
    assert.deepEqual(providers, [
      { id: 'corp', name: 'Corp' },
      { id: 'ranked', name: 'Ranked' },
      { id: 'forger', name: 'Forger' },
      { id: 'gone', name: 'Gone' },
    ])
    const without = new Visitor(world.server.url)
    assert.deepEqual((await without.arrive()).providers, [])
    const reply = await without.post('session/openid', { provider: 'corp', next: '/' })
    assert.deepEqual(refusal(reply), [404, 'resource_not_found', 'provider'])
  })

  it('the first time creates a member with an account that has no password, and opens the page that was asked for', async () => {
    await world.markWritten()
    const ada = visitor()
    const reply = await ada.by('corp', person('ada', { family_name: 'Lovelace' }), '/work?view=board')
    assert.equal(reply.status, 200, reply.text)
    const { next, confirmed } = reply.body
    assert.deepEqual([next, confirmed], ['/work?view=board', false])
    const { account, user, role, organization, has_password, providers } = reply.body
    assert.deepEqual(
      [account.email, user.first_name, user.last_name, role, organization.id, has_password, providers],
      ['ada@corp.example', 'ada', 'Lovelace', 'member', world.acme.id, false, [{ id: 'corp', name: 'Corp' }]],
    )
    await world.assertWritten({
      events: ['platform.member.created'],
      audit: twice('members.create', 'sessions.create'),
    })
    assert.match(
      setCookies(reply)[0] ?? '',
      /^__Host-atrium=[0-9A-Za-z]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=2592000$/,
    )
    assert.equal((await ada.get('sessions')).body.data.length, 1)
    const tried = new Visitor(server.url)
    await tried.arrive()
    for (const guess of [' ', 'ada@corp.example', password]) {
      const refused = await tried.post('session', { email: 'ada@corp.example', password: guess })
      assert.deepEqual(refusal(refused), [401, 'sign_in_failed'])
    }
  })

  it('later finds the same member by issuer and subject, although the address has changed', async () => {
    const first = (await visitor().by('corp', person('grace'))).body
    person('grace', { email: 'grace@elsewhere.example', email_verified: false })
    await world.markWritten()
    const again = (await visitor().by('corp', 'grace')).body
    assert.deepEqual([again.account, again.user], [first.account, first.user])
    await world.assertWritten({ events: [], audit: twice('sessions.create') })
  })

  it('refuses an address that the provider has not verified, or that is missing', async () => {
    for (const claims of [{ email_verified: false }, { email_verified: 'true' }, { email_verified: undefined }]) {
      const reply = await visitor().by('corp', person('unverified', claims))
      assert.deepEqual(refusal(reply), [403, 'openid_email_unverified'])
    }
    assert.deepEqual(refusal(await visitor().by('corp', person('unverified', { email: undefined }))), [
      403,
      'openid_email_unverified',
    ])
    assert.deepEqual(await memberOf('unverified@corp.example'), [])
  })

  it('refuses an address of another domain, also one that only looks like an allowed one', async () => {
    const foreign = [
      'eve@evil.example',
      'eve@sub.corp.example',
      'eve@corp.example.evil.example',
      'eve@corp.example@evil.example',
    ]
    for (const email of foreign) {
      const reply = await visitor().by('corp', person('eve', { email }))
      assert.deepEqual(refusal(reply), [403, 'openid_domain_refused'], email)
    }
    assert.equal(
      (await reader().all(identities)).some((row) => row.subject === 'eve'),
      false,
    )
  })

  it('links the account that the member already has under this address, and no other organization’s', async () => {
    const bob = await join(owner, 'bob@corp.example', 'admin')
    const before = await bob.arrive()
    const linked = (await visitor().by('corp', person('bob', { email: 'Bob@Corp.example' }))).body
    assert.deepEqual([linked.account, linked.user.id, linked.role], [before.account, before.user.id, 'admin'])
    assert.equal(linked.has_password, true)

    const globex = await ownerOf(world, world.globex)
    const carl = await (await join(globex, 'carl@corp.example', 'member')).arrive()
    const other = (await visitor().by('corp', person('carl'))).body
    assert.notEqual(other.account.id, carl.account.id)
    assert.deepEqual(
      other.organizations.map(({ id }: { id: string }) => id),
      [world.acme.id],
    )
  })

  it('does not link a member whose account has another address', async () => {
    const dora = await (await join(owner, 'dora@old.example', 'member')).arrive()
    await setMember(world.services, dora.user.member, { email: 'dora@corp.example' })
    assert.deepEqual(refusal(await visitor().by('corp', person('dora'))), [403, 'openid_member_refused'])
  })

  it('accepts an open invitation with its role, and its link works no more', async () => {
    await owner.must('POST', 'step-up', { password })
    const { url } = await owner.must('POST', 'invitations', { email: 'ivy@corp.example', role: 'admin' })
    const { body: session } = await visitor().by('corp', person('ivy'))
    assert.equal(session.role, 'admin')
    assert.equal((await memberOf('ivy@corp.example'))[0]?.status, 'active')
    const late = new Visitor(server.url)
    await late.arrive()
    assert.deepEqual(refusal(await late.post('set-up', { token: tokenOf(url), password })), [404, 'link_invalid'])
  })

  it('refuses an inactive member, known or new to the provider', async () => {
    const { body: session } = await visitor().by('corp', person('leo'))
    await owner.must('POST', 'step-up', { password })
    await owner.must('PATCH', `people/${session.user.id}`, { status: 'inactive' })
    assert.deepEqual(refusal(await visitor().by('corp', 'leo')), [403, 'openid_member_refused'])
    await addMember(world.services, world.acme.id, { email: 'mia@corp.example', status: 'inactive' })
    assert.deepEqual(refusal(await visitor().by('corp', person('mia'))), [403, 'openid_member_refused'])
  })

  it('follows a reset: the link’s new account is linked by the next sign-in, and the old one opens nothing', async () => {
    const { body: session } = await visitor().by('corp', person('nora'))
    const link = await createOperatorLink(world.services, { organization: world.acme.id, email: 'nora@corp.example' })
    const reset = new Visitor(server.url)
    await reset.arrive()
    const fresh = await reset.must('POST', 'set-up', { token: tokenOf(link.url), password })
    assert.notEqual(fresh.account.id, session.account.id)
    const again = (await visitor().by('corp', 'nora')).body
    assert.deepEqual([again.account.id, again.has_password], [fresh.account.id, true])
  })

  it('says that the person canceled', async () => {
    assert.deepEqual(refusal(await visitor().by('corp', null)), [401, 'openid_canceled'])
  })

  it('stores digests of a flow only, and uses its state once', async () => {
    const kim = visitor()
    const page = await kim.start('corp')
    const { searchParams } = new URL(page)
    assert.equal(searchParams.get('code_challenge_method'), 'S256')
    const rows = JSON.stringify(await reader().all(flows))
    for (const secret of [searchParams.get('state'), searchParams.get('nonce'), kim.flow])
      assert.equal(rows.includes(String(secret)), false)
    const query = (await kim.provider.visit(page, person('kim'))).search.slice(1)
    const replies = await Promise.all([kim.back('corp', query), kim.back('corp', query)])
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 401])
    assert.deepEqual(refusal(await kim.back('corp', query)), [401, 'openid_expired'])
  })

  it('refuses a state of another browser, provider or time, and one that is missing or sent twice', async () => {
    const lena = visitor()
    const query = (await lena.provider.visit(await lena.start('corp'), person('lena'))).search.slice(1)
    const other = visitor()
    await other.start('corp')
    assert.deepEqual(refusal(await other.back('corp', query)), [401, 'openid_expired'])
    const bare = visitor()
    await bare.arrive()
    assert.deepEqual(refusal(await bare.back('corp', query)), [401, 'openid_expired'])
    for (const sent of ['', 'code=x', `${query}&state=y`])
      assert.deepEqual(refusal(await lena.back('corp', sent)), [401, 'openid_expired'], sent)
    assert.deepEqual(refusal(await lena.back('forger', query)), [401, 'openid_expired'])
    world.clock.advance(console_limits.openid_flow_ms)
    assert.deepEqual(refusal(await lena.back('corp', query)), [401, 'openid_expired'])
    assert.deepEqual(await memberOf('lena@corp.example'), [])
  })

  it('removes flows that were not ended', async () => {
    await visitor().start('corp')
    world.clock.advance(console_limits.openid_flow_ms + 1)
    const sweep = sweeps.find(({ name }) => name === 'session_sweep')
    await sweep?.run(world.services, 1000, new AbortController().signal)
    assert.deepEqual(await reader().all(flows), [])
  })

  it('refuses an ID token with a wrong nonce, issuer, audience, signature or time, and creates nothing', async () => {
    forger.claims = { sub: 'mallory', email: 'mallory@corp.example', email_verified: true }
    const past = Math.floor(Date.now() / 1000) - 3600
    const forgeries = [
      { claims: { nonce: 'another' } },
      { claims: { nonce: undefined } },
      { claims: { iss: 'https://other.example' } },
      { claims: { aud: 'another client' } },
      { claims: { exp: past, iat: past - 60 } },
      { claims: { sub: 'x'.repeat(256) } },
      { foreignKey: true },
    ]
    for (const forgery of forgeries) {
      const mallory = visitor()
      const query = forger.answer(await mallory.start('forger'))
      forger.forgery = forgery
      assert.deepEqual(refusal(await mallory.back('forger', query)), [401, 'openid_failed'], JSON.stringify(forgery))
      forger.forgery = {}
    }
    assert.deepEqual(await memberOf('mallory@corp.example'), [])
    const honest = visitor()
    assert.equal((await honest.back('forger', forger.answer(await honest.start('forger')))).status, 200)
  })

  it('reports a provider that is unreachable, broken or answers too much, and keeps no lock on the next try', async () => {
    const gone = visitor()
    await gone.arrive()
    assert.deepEqual(refusal(await gone.post('session/openid', { provider: 'gone', next: '/' })), [
      503,
      'openid_unreachable',
    ])
    for (const forgery of [{ status: 500 }, { bytes: 1 << 20 }]) {
      const paul = visitor()
      const query = forger.answer(await paul.start('forger'))
      forger.forgery = forgery
      assert.deepEqual(refusal(await paul.back('forger', query)), [503, 'openid_unreachable'])
      forger.forgery = {}
    }
  })

  it('reads metadata and keys once for many sign-ins', async () => {
    const before = forger.requests.length
    for (let i = 0; i < 3; i++) {
      const each = visitor()
      assert.equal((await each.back('forger', forger.answer(await each.start('forger')))).status, 200)
    }
    assert.deepEqual(forger.requests.slice(before), ['/token', '/token', '/token'])
  })

  it('returns only to paths of the console', async () => {
    const each = visitor()
    await each.arrive()
    for (const next of ['', 'work', '//evil.example', '/\\evil.example', 'https://evil.example', '/a b']) {
      const reply = await each.post('session/openid', { provider: 'corp', next })
      assert.deepEqual(refusal(reply), [400, 'invalid_request_body', 'next'], next)
    }
  })

  it('gives the highest role of the claim, takes it back later, and leaves an only owner', async () => {
    const role = async () => (await visitor().by('ranked', 'rita')).body.role
    const zoe = await (await ownerOf(world, world.globex)).arrive()
    assert.equal(zoe.role, 'owner')
    person('rita', { groups: ['other', 'staff', 'chiefs'] })
    assert.equal(await role(), 'owner')
    person('rita', { groups: 'staff' })
    assert.equal(await role(), 'admin')
    person('rita', { groups: ['__proto__', 7] })
    assert.equal(await role(), 'member')
    person('rita', { groups: ['chiefs'] })
    assert.equal(await role(), 'owner')
    const rita = (await visitor().by('ranked', 'rita')).body
    const globex = await ownerOf(world, world.globex)
    await globex.must('POST', 'step-up', { password })
    for (const each of (await globex.get('people')).body.data)
      if (each.role === 'owner' && each.user !== rita.user.id && each.user !== zoe.user.id)
        await globex.must('PATCH', `people/${each.user}`, { role: 'member' })
    const { user } = (await globex.arrive()) as { user: { id: string } }
    await globex.must('PATCH', `people/${user.id}`, { role: 'member' })
    person('rita', { groups: [] })
    assert.equal(await role(), 'owner', 'the only owner keeps the role')
  })

  it('confirms an action by a new authentication of the same person at the provider', async () => {
    const olga = visitor()
    await olga.by('corp', person('olga'))
    world.clock.advance(console_limits.step_up_ms)
    const wanted = () => olga.post('passkeys/options', {})
    assert.deepEqual(refusal(await wanted()), [403, 'step_up_required'])
    const start = async () => (await olga.must('POST', 'step-up/openid', { provider: 'corp', next: '/settings' })).url
    const page = await start()
    const { searchParams } = new URL(page)
    assert.deepEqual([searchParams.get('prompt'), searchParams.get('max_age')], ['login', '0'])

    const wrong = await new ProviderVisitor().visit(page, person('otto'))
    const refused = await olga.back('corp', wrong.search.slice(1))
    assert.deepEqual(refusal(refused), [403, 'openid_member_refused'])
    assert.deepEqual(refusal(await wanted()), [403, 'step_up_required'])

    const right = await olga.provider.visit(await start(), 'olga')
    await world.markWritten()
    const reply = await olga.back('corp', right.search.slice(1))
    assert.deepEqual([reply.status, reply.body?.confirmed, reply.body?.next], [200, true, '/settings'])
    await world.assertWritten({ events: [], audit: twice('sessions.confirm') })
    assert.equal((await wanted()).status, 409, 'the address of the test has no host name for passkeys')
  })

  it('refuses a confirmation with an old authentication, without its time, or in another session', async () => {
    forger.claims = { sub: 'pia', email: 'pia@corp.example', email_verified: true }
    const pia = visitor()
    await pia.back('forger', forger.answer(await pia.start('forger')))
    const start = async () => (await pia.must('POST', 'step-up/openid', { provider: 'forger', next: '/' })).url
    const old = Math.floor(Date.now() / 1000) - 120
    for (const claims of [{ auth_time: old }, { auth_time: undefined }]) {
      const query = forger.answer(await start())
      forger.forgery = { claims }
      assert.deepEqual(refusal(await pia.back('forger', query)), [401, 'openid_failed'])
      forger.forgery = {}
    }
    const query = forger.answer(await start())
    const cookie = pia.cookie
    pia.cookie = null
    await pia.arrive()
    assert.deepEqual(refusal(await pia.back('forger', query)), [401, 'openid_expired'])
    pia.cookie = cookie
    await pia.arrive()
    const unknown = await pia.post('step-up/openid', { provider: 'corp', next: '/' })
    assert.deepEqual(refusal(unknown), [404, 'resource_not_found', 'provider'])
  })

  it('limits failures and starts of an address', async () => {
    const each = visitor()
    await each.arrive()
    for (let i = 0; ; i++) {
      const reply = await each.back('corp', 'state=guess')
      if (reply.status === 429) break
      assert.deepEqual(refusal(reply), [401, 'openid_expired'])
      assert.ok(i < console_limits.sign_in_address_failures_max)
    }
    world.clock.advance(15 * 60_000)
    for (let i = 0; i < console_limits.openid_starts_max; i++) {
      const { status } = await each.post('session/openid', { provider: 'corp', next: '/' })
      if (status === 429) return
      assert.equal(status, 200)
    }
    const reply = await each.post('session/openid', { provider: 'corp', next: '/' })
    assert.deepEqual(refusal(reply), [429, 'too_many_attempts'])
  })

  it('signs out at the provider too, if it started the session and has a page for that', async () => {
    world.clock.advance(15 * 60_000)
    const sam = visitor()
    await sam.by('corp', person('sam'))
    const out = await sam.must('DELETE', 'session')
    const url = new URL(out.end_session_url)
    assert.equal(url.origin, corp.issuer)
    assert.equal(url.searchParams.get('post_logout_redirect_uri'), `${server.url}/sign-in`)
    assert.equal(url.searchParams.get('client_id'), 'atrium')
    const hint = url.searchParams.get('id_token_hint') ?? ''
    assert.equal(subjectOf(hint), 'sam')
    assert.equal((await fetch(url)).status, 200)
    url.searchParams.set('id_token_hint', `${hint}x`)
    assert.equal((await fetch(url)).status, 400, 'the provider checks the hint')
    assert.equal((await owner.must('DELETE', 'session')).end_session_url, undefined)
  })

  it('keeps the ID token of a sign-in sealed, no longer than its session, also in another organization', async () => {
    const others = new Set((await reader().all(idTokens)).map(({ session }) => session))
    const tokens = async () => (await reader().all(idTokens)).filter(({ session }) => !others.has(session))
    const tia = visitor()
    await tia.by('corp', person('tia'))
    const [kept] = await tokens()
    assert.ok(kept !== undefined && !JSON.stringify(kept).includes('eyJ'), 'no part of a JWT is readable')
    const account = (await reader().all(identities)).find((row) => row.subject === 'tia')?.account ?? ''
    const [member] = await memberOf('tia@corp.example')
    const elsewhere = await addMember(world.services, world.globex.id, { email: 'tia@corp.example' })
    const now = world.clock.now()
    await world.services.store.write('system', async (tx) =>
      tx.insert('account_memberships', {
        ...{ organization: world.globex.id, account, user: elsewhere.user, role: 'member' },
        ...{ created: now, updated: now },
      }),
    )
    await tia.must('POST', 'session/organization', { organization: world.globex.id })
    const moved = await tokens()
    assert.deepEqual([moved.length, moved[0]?.organization], [1, world.globex.id])
    assert.notEqual(moved[0]?.session, kept.session)
    const url = new URL((await tia.must('DELETE', 'session')).end_session_url)
    assert.equal(subjectOf(url.searchParams.get('id_token_hint') ?? ''), 'tia')
    assert.deepEqual(await tokens(), [])
    assert.ok(member !== undefined)

    const sweep = sweeps.find(({ name }) => name === 'session_sweep')
    await visitor().by('corp', person('uma'))
    world.clock.advance(limits.session_idle_ms - 1)
    await sweep?.run(world.services, 1000, new AbortController().signal)
    assert.equal((await tokens()).length, 1)
    world.clock.advance(2)
    await sweep?.run(world.services, 1000, new AbortController().signal)
    assert.deepEqual(await tokens(), [], 'a session that ended by idleness')
  })

  it('leaves no account without a membership', async () => {
    const held = new Set((await reader().all(identities)).map((row) => row.account))
    const known = new Set((await reader().all(accounts)).map((row) => row.id))
    for (const account of held) assert.ok(known.has(account), account)
  })
})

/** Second factors: authenticator apps, recovery codes, and organizations that require one. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { limits } from '../../src/api/limits.ts'
import { endpoints } from '../../src/console/endpoints.ts'
import { console_limits } from '../../src/console/limits.ts'
import { createOperatorLink } from '../../src/console/links/create-operator-link.ts'
import { query } from '../../src/db/query.ts'
import type { AuthenticatorRow, RecoveryCodeRow } from '../../src/db/schema.ts'
import type { Reply } from '../call.ts'
import { startSecond } from '../conformance/second-server.ts'
import { CertifiedProvider, entryOf, ForgingProvider } from '../openid-provider.ts'
import { openStream } from '../stream.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { Authenticator } from './authenticator.ts'
import { AuthenticatorApp } from './authenticator-app.ts'
import { OpenIdVisitor } from './openid-visitor.ts'
import { join, ownerOf, password, refusal, tokenOf, Visitor } from './visitor.ts'

const apps = query<AuthenticatorRow>((db) => db.selectFrom('authenticators').selectAll())
const codes = query<RecoveryCodeRow>((db) => db.selectFrom('recovery_codes').selectAll())

const required = [403, 'second_factor_required'] as const
const wrongCode = [401, 'sign_in_failed', 'code'] as const
/** Both realms of the organization have the entry. */
const twice = (...actions: string[]) => actions.flatMap((action) => [action, action])

onEveryWorld('A second factor', (world) => {
  let owner: Visitor
  let origin: string

  before(async () => {
    origin = `http://localhost:${new URL(world.server.url).port}`
    owner = await ownerOf(world)
  })

  const now = () => world.clock.now()
  const nextCode = (app: AuthenticatorApp) => {
    world.clock.advance(30_000)
    return app.code(now())
  }
  const page = async (): Promise<Visitor> => {
    const visitor = new Visitor(world.server.url, origin)
    await visitor.arrive()
    return visitor
  }
  const signedIn = async (email: string): Promise<Visitor> => {
    const visitor = await page()
    await visitor.signIn(email, password)
    return visitor
  }
  const member = async (name: string): Promise<string> => {
    await join(owner, `${name}@acme.example`, 'member')
    return `${name}@acme.example`
  }
  async function setUp(
    visitor: Visitor,
  ): Promise<{ readonly app: AuthenticatorApp; readonly recovery: readonly string[] }> {
    await visitor.must('POST', 'step-up', { password })
    const { secret, set_up } = await visitor.must('POST', 'second-factor/authenticator/options', {})
    const app = new AuthenticatorApp(secret)
    const answer = await visitor.must('POST', 'second-factor/authenticator', { set_up, code: app.code(now()) })
    return { app, recovery: answer.recovery_codes }
  }
  async function addPasskey(visitor: Visitor): Promise<{ readonly key: Authenticator; readonly id: string }> {
    const key = new Authenticator()
    const { challenge, user } = await visitor.must('POST', 'passkeys/options', {})
    const response = key.create({ challenge, origin, domain: 'localhost' }, user.id)
    return { key, id: (await visitor.must('POST', 'passkeys', { name: 'Phone', response })).id }
  }
  const needOf = async (visitor: Visitor): Promise<string | null> => (await visitor.arrive()).second_factor.need
  /** While it runs, the organization requires a second factor of its people. */
  async function whileRequired(work: () => Promise<void>): Promise<void> {
    await owner.must('POST', 'step-up', { password })
    await owner.must('PATCH', 'organization/second-factor', { required: true })
    try {
      await work()
    } finally {
      await owner.must('POST', 'step-up', { password })
      await owner.must('PATCH', 'organization/second-factor', { required: false })
    }
  }

  it('of an app is asked for after the password in every new session, and its code is accepted once', async () => {
    const email = await member('ada')
    const ada = await signedIn(email)
    const earlier = await signedIn(email)
    const before = await earlier.token()
    const { credentials } = world.services
    const caller = await credentials.find(before, now())
    assert.ok(caller !== null && (await credentials.isStillValid(caller, now())))
    await world.markWritten()
    const { app, recovery } = await setUp(ada)
    await world.assertWritten({ events: [], audit: twice('sessions.confirm', 'authenticators.create') })
    assert.equal(await needOf(ada), null, 'the session in which it was set up goes on')
    assert.equal(await needOf(earlier), 'verify', 'the other one has to prove it')
    assert.deepEqual(refusal(await world.get('/v1/tasks', { key: before })), [401, 'invalid_access_token'])
    assert.equal(await credentials.isStillValid(caller, now()), false, 'streams in other processes end')
    assert.equal(recovery.length, console_limits.recovery_codes)
    const again = await signedIn(email)
    assert.equal(await needOf(again), 'verify')
    assert.deepEqual(refusal(await again.get('people')), required)
    assert.deepEqual(refusal(await again.post('token', { mode: 'live' })), required)
    const code = nextCode(app)
    await world.markWritten()
    const proved = await again.must('POST', 'second-factor', { code: `${code.slice(0, 3)} ${code.slice(3)}` })
    assert.deepEqual(proved.second_factor, { required: false, proved: true, need: null, can_change: true })
    await world.assertWritten({ events: [], audit: twice('sessions.confirm') })
    assert.equal((await again.get('people')).status, 200)
    const other = await signedIn(email)
    assert.deepEqual(refusal(await other.post('second-factor', { code })), wrongCode, 'a code works once')
    assert.deepEqual(refusal(await other.post('second-factor', { code: app.code(now() - 120_000) })), wrongCode)
    assert.deepEqual(refusal(await other.post('second-factor', { code: '' })), [400, 'invalid_request_body', 'code'])
    assert.equal(await needOf(other), 'verify')
  })

  it('keeps its secret sealed and its recovery codes as digests', async () => {
    const email = await member('eve')
    const eve = await signedIn(email)
    await eve.must('POST', 'step-up', { password })
    const { secret, url, set_up } = await eve.must('POST', 'second-factor/authenticator/options', {})
    assert.match(url, /^otpauth:\/\/totp\/Atrium:eve%40acme\.example\?issuer=Atrium&secret=[A-Z2-7]{32}&/)
    assert.ok(!set_up.includes(secret))
    const code = new AuthenticatorApp(secret).code(now())
    const { recovery_codes } = await eve.must('POST', 'second-factor/authenticator', { set_up, code })
    const reader = world.services.store.reader('system')
    const stored = JSON.stringify([await reader.all(apps), await reader.all(codes)])
    for (const text of [secret, ...recovery_codes, ...recovery_codes.map((each: string) => each.replace('-', ''))])
      assert.ok(!stored.includes(text), 'the database has it in the clear')
  })

  it('is replaced by a recovery code, once each; new ones end the earlier ones', async () => {
    const email = await member('rita')
    const { recovery } = await setUp(await signedIn(email))
    const [first = '', second = ''] = recovery
    const rita = await signedIn(email)
    await world.markWritten()
    await rita.must('POST', 'second-factor', { code: ` ${first.toLowerCase().replace('-', ' ')}` })
    await world.assertWritten({ events: [], audit: twice('recovery_codes.use') })
    assert.equal((await rita.get('second-factor')).body.recovery_codes_left, console_limits.recovery_codes - 1)
    const again = await signedIn(email)
    assert.deepEqual(refusal(await again.post('second-factor', { code: first })), wrongCode)
    const { recovery_codes } = await rita.must('POST', 'second-factor/recovery-codes', {})
    assert.deepEqual(refusal(await again.post('second-factor', { code: second })), wrongCode)
    await again.must('POST', 'second-factor', { code: recovery_codes[0] })
  })

  it('is not guessed: after ten wrong codes of an account the right one waits, too', async () => {
    const email = await member('gus')
    const { app } = await setUp(await signedIn(email))
    const gus = await signedIn(email)
    for (let i = 0; i < console_limits.second_factor_failures_max; i++)
      assert.deepEqual(refusal(await gus.post('second-factor', { code: 'AAAAAA-AAAAAA' })), wrongCode)
    assert.deepEqual(refusal(await gus.post('second-factor', { code: nextCode(app) })), [429, 'too_many_attempts'])
    world.clock.advance(limits.sign_in_window_ms)
    await gus.must('POST', 'second-factor', { code: nextCode(app) })
  })

  it('cannot be replaced by a person who knows only the password', async () => {
    const email = await member('mallory')
    await setUp(await signedIn(email))
    const thief = await signedIn(email)
    for (const path of ['second-factor/authenticator/options', 'second-factor/recovery-codes', 'passkeys/options'])
      assert.deepEqual(refusal(await thief.post(path)), required, path)
    assert.deepEqual(refusal(await thief.delete('second-factor/authenticator')), required)
    const other = await signedIn(await member('oscar'))
    const { set_up, secret } = await other.must('POST', 'second-factor/authenticator/options', {})
    const mine = await signedIn(await member('nina'))
    const code = new AuthenticatorApp(secret).code(now())
    const foreign = await mine.post('second-factor/authenticator', { set_up, code })
    assert.deepEqual(refusal(foreign), [400, 'invalid_request_body', 'set_up'], 'a set-up belongs to its account')
    world.clock.advance(console_limits.authenticator_set_up_ms)
    await other.must('POST', 'step-up', { password })
    const late = await other.post('second-factor/authenticator', {
      set_up,
      code: new AuthenticatorApp(secret).code(now()),
    })
    assert.deepEqual(refusal(late), [400, 'invalid_request_body', 'set_up'])
  })

  it('is changed only in a session that has proved it here, also where the organization asks for none', async () => {
    const email = await member('victor')
    const { key, id } = await addPasskey(await signedIn(email))
    const thief = await signedIn(email)
    await thief.must('POST', 'step-up', { password })
    const shown = { required: false, proved: false, need: null, can_change: false }
    assert.deepEqual((await thief.arrive()).second_factor, shown)
    assert.equal((await thief.get('people')).status, 200)
    const changes = endpoints.filter(({ changes_second_factor }) => changes_second_factor)
    assert.deepEqual(changes.map(({ name }) => name).sort(), [
      'DELETE passkeys/{id}',
      'DELETE second-factor/authenticator',
      'POST passkeys',
      'POST passkeys/options',
      'POST second-factor/authenticator',
      'POST second-factor/authenticator/options',
      'POST second-factor/recovery-codes',
    ])
    for (const { name, method, path } of changes) {
      const filled = path.map((part) => (part.startsWith('{') ? id : part)).join('/')
      const reply = await thief.send(method, filled, method === 'DELETE' ? {} : { body: {} })
      assert.deepEqual(refusal(reply), required, name)
    }
    const { challenge } = await thief.must('POST', 'step-up/passkey/options', {})
    await thief.must('POST', 'step-up/passkey', { response: key.get({ challenge, origin, domain: 'localhost' }) })
    const { recovery_codes } = await thief.must('POST', 'second-factor/recovery-codes', {})
    const byCode = await signedIn(email)
    await byCode.must('POST', 'second-factor', { code: recovery_codes[0] })
    await setUp(byCode)
    await byCode.must('DELETE', `passkeys/${id}`)
  })

  it('is the one that was set up first when two sessions of a person set one up at the same time', async () => {
    const email = await member('racer')
    const [one, two] = [await signedIn(email), await signedIn(email)]
    const offer = async (visitor: Visitor) => {
      await visitor.must('POST', 'step-up', { password })
      const { secret, set_up } = await visitor.must('POST', 'second-factor/authenticator/options', {})
      return { set_up, code: new AuthenticatorApp(secret).code(now()) }
    }
    const [first, second] = [await offer(one), await offer(two)]
    const key = new Authenticator()
    const { challenge, user } = await two.must('POST', 'passkeys/options', {})
    const response = key.create({ challenge, origin, domain: 'localhost' }, user.id)
    const replies = await Promise.all([
      one.post('second-factor/authenticator', first),
      two.post('second-factor/authenticator', second),
    ])
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 403])
    const loser = replies[0]?.status === 200 ? two : one
    assert.equal(await needOf(loser), 'verify')
    const late = await two.post('passkeys', { name: 'Phone', response })
    assert.equal(late.status, loser === two ? 403 : 200, late.text)
  })

  it('does not count in a session any longer when it was removed or replaced', async () => {
    const email = await member('gone')
    const thief = await signedIn(email)
    const { id } = await addPasskey(thief)
    await thief.must('DELETE', `passkeys/${id}`)
    assert.equal((await thief.arrive()).second_factor.proved, false)
    const { app } = await setUp(await signedIn(email))
    assert.equal(await needOf(thief), 'verify')
    const [other, mine] = [await signedIn(email), await signedIn(email)]
    await other.must('POST', 'second-factor', { code: nextCode(app) })
    await mine.must('POST', 'second-factor', { code: nextCode(app) })
    await setUp(mine)
    assert.deepEqual([await needOf(mine), await needOf(other)], [null, 'verify'])
  })

  it('is required by an organization only after the person who turns it on has proved one', async () => {
    await owner.must('POST', 'step-up', { password })
    const before = await owner.patch('organization/second-factor', { required: true })
    assert.deepEqual(refusal(before), [409, 'resource_conflict', 'required'])
    for (const role of ['member', 'admin'] as const) {
      const someone = await join(owner, `plain-${role}@acme.example`, role)
      await someone.must('POST', 'step-up', { password })
      for (const required of [true, false])
        assert.deepEqual(refusal(await someone.patch('organization/second-factor', { required })), [
          403,
          'role_required',
        ])
    }
    const path = `/v1/organizations/${world.acme.id}`
    assert.equal((await world.get(path)).body.second_factor_required, false)
    await setUp(owner)
    await world.markWritten()
    await whileRequired(async () => {
      assert.equal((await world.get(path)).body.second_factor_required, true)
      const { data } = (await world.get('/v1/audit_logs?action=organizations.update&limit=1')).body
      assert.deepEqual(data[0].actor, { type: 'user', id: world.acme.user })
      assert.deepEqual(data[0].changed_fields, ['second_factor_required'])
      const { audit } = { audit: twice('sessions.confirm', 'organizations.update') }
      await world.assertWritten({ events: ['platform.organization.updated'], audit })
    })
    assert.equal((await world.get(path)).body.second_factor_required, false)
  })

  it('is not passed by its person’s password in another organization', async () => {
    const globex = await ownerOf(world, world.globex)
    const email = await member('double')
    await addPasskey(await signedIn(email))
    await globex.must('POST', 'step-up', { password })
    const { url } = await globex.must('POST', 'invitations', { email, role: 'member' })
    await (await page()).must('POST', 'set-up', { token: tokenOf(url), password })
    await whileRequired(async () => {
      const thief = await signedIn(email)
      await thief.must('POST', 'session/organization', { organization: world.globex.id })
      await thief.must('POST', 'step-up', { password })
      assert.deepEqual(refusal(await thief.post('second-factor/recovery-codes')), required)
      assert.deepEqual(refusal(await thief.post('second-factor/authenticator/options')), required)
      assert.deepEqual(refusal(await thief.post('passkeys/options')), required)
      await thief.must('POST', 'session/organization', { organization: world.acme.id })
      assert.equal(await needOf(thief), 'verify')
    })
  })

  it('that is required holds at once for sessions, tokens and streams from before, and keys go on', async () => {
    const someone = await signedIn(await member('early'))
    const token = await someone.token()
    assert.equal((await world.get('/v1/tasks', { key: token })).status, 200)
    const stream = await openStream(world.server.url, token, '')
    await whileRequired(async () => {
      assert.equal(await stream.ended, 'end')
      assert.deepEqual(refusal(await someone.get('people')), required)
      assert.deepEqual(refusal(await world.get('/v1/tasks', { key: token })), [401, 'invalid_access_token'])
      assert.equal((await world.get('/v1/tasks')).status, 200, 'the key of the organization')
      await setUp(someone)
      assert.equal((await world.get('/v1/tasks', { key: token })).status, 200, 'the token from before')
    })
  })

  it('comes before everything else in the organization, also for guests', async () => {
    const workspace = (await world.make('/v1/workspaces', { title: 'Guests' })).id
    const project = (await world.make('/v1/projects', { workspace, name: 'Open' })).id
    const guest = await join(owner, 'guest@acme.example', 'guest', [project])
    const none = await signedIn(await member('bare'))
    const holder = await member('holder')
    await setUp(await signedIn(holder))
    const locked = await signedIn(holder)
    await whileRequired(async () => {
      for (const [visitor, need] of [
        [guest, 'set_up'],
        [none, 'set_up'],
        [locked, 'verify'],
      ] as const) {
        assert.equal(await needOf(visitor), need)
        for (const { name, method, path, needs, before_second_factor } of endpoints) {
          if (needs === 'nothing' || before_second_factor.includes(need)) continue
          const filled = path.map((part) => (part.startsWith('{') ? 'x' : part)).join('/')
          const reply = await visitor.send(method, filled, method === 'GET' ? {} : { body: {} })
          const isHidden = reply.status === 404 && name.match(/operator|organizations/) !== null
          if (!isHidden) assert.deepEqual(refusal(reply), required, name)
        }
      }
      const open = endpoints.filter(({ before_second_factor }) => before_second_factor.length > 0)
      assert.deepEqual(open.map(({ name, before_second_factor: needs }) => `${name}: ${needs}`).sort(), [
        'DELETE session: set_up,verify',
        'GET second-factor: set_up,verify',
        'POST passkeys/options: set_up',
        'POST passkeys: set_up',
        'POST second-factor/authenticator/options: set_up',
        'POST second-factor/authenticator: set_up',
        'POST second-factor: verify',
        'POST session/organization: set_up,verify',
        'POST step-up/openid: set_up,verify',
        'POST step-up/passkey/options: verify',
        'POST step-up/passkey: verify',
        'POST step-up: set_up,verify',
      ])
      await setUp(guest)
      assert.equal((await guest.get('directory')).status, 200)
    })
  })

  it('is a passkey, too: created after the password by a person without any, and asked for afterwards', async () => {
    const email = await member('paul')
    await whileRequired(async () => {
      const paul = await signedIn(email)
      assert.equal(await needOf(paul), 'set_up')
      const { key } = await addPasskey(paul)
      assert.equal(await needOf(paul), null)
      const byPassword = await signedIn(email)
      assert.equal(await needOf(byPassword), 'verify')
      assert.deepEqual(refusal(await byPassword.post('passkeys/options')), required)
      const options = await byPassword.must('POST', 'step-up/passkey/options', {})
      const response = key.get({ challenge: options.challenge, origin, domain: 'localhost' })
      assert.equal((await byPassword.must('POST', 'step-up/passkey', { response })).second_factor.need, null)
      const byPasskey = await page()
      const { challenge } = await byPasskey.must('POST', 'session/passkey/options', {})
      const signIn = key.get({ challenge, origin, domain: 'localhost' })
      assert.equal((await byPasskey.must('POST', 'session/passkey', { response: signIn })).second_factor.need, null)
    })
    assert.equal(await needOf(await signedIn(email)), null, 'a passkey replaces the password where none is required')
  })

  it('that is the last one cannot be removed while an organization requires it', async () => {
    const email = await member('lena')
    const lena = await signedIn(email)
    await setUp(lena)
    const { id } = await addPasskey(lena)
    await whileRequired(async () => {
      await lena.must('DELETE', 'second-factor/authenticator')
      assert.deepEqual(refusal(await lena.delete(`passkeys/${id}`)), [409, 'resource_conflict'])
      assert.deepEqual(refusal(await lena.delete('passkeys/psk_other')), [404, 'resource_not_found', 'id'])
      await setUp(lena)
      await lena.must('DELETE', `passkeys/${id}`)
      assert.deepEqual(refusal(await lena.delete('second-factor/authenticator')), [409, 'resource_conflict'])
      assert.equal((await lena.get('second-factor')).body.recovery_codes_left, console_limits.recovery_codes)
    })
    await lena.must('POST', 'step-up', { password })
    await lena.must('DELETE', 'second-factor/authenticator')
    assert.deepEqual((await lena.get('second-factor')).body, { authenticator: null, recovery_codes_left: 0 })
    assert.deepEqual(refusal(await lena.post('second-factor/recovery-codes')), [409, 'resource_conflict'])
    assert.deepEqual(refusal(await lena.delete('second-factor/authenticator')), [404, 'resource_not_found'])
  })

  it('goes along to the account’s other organizations, and an organization asks nothing of another one’s people', async () => {
    const globex = await ownerOf(world, world.globex)
    const email = await member('both')
    await globex.must('POST', 'step-up', { password })
    const { url } = await globex.must('POST', 'invitations', { email, role: 'member' })
    const both = await page()
    await both.must('POST', 'set-up', { token: tokenOf(url), password })
    await whileRequired(async () => {
      assert.equal(await needOf(both), null, 'Globex requires none')
      assert.equal(await needOf(globex), null)
      await both.must('POST', 'session/organization', { organization: world.acme.id })
      assert.equal(await needOf(both), 'set_up')
      await both.must('POST', 'session/organization', { organization: world.globex.id })
      assert.equal((await both.get('people')).status, 200)
      await both.must('POST', 'session/organization', { organization: world.acme.id })
      await setUp(both)
      await both.must('POST', 'session/organization', { organization: world.globex.id })
      await both.must('POST', 'session/organization', { organization: world.acme.id })
      assert.equal(await needOf(both), null)
    })
  })

  it('is reset by the operator’s link, for a person who has lost everything', async () => {
    const email = await member('lost')
    await setUp(await signedIn(email))
    assert.equal(await needOf(await signedIn(email)), 'verify')
    const link = await createOperatorLink(world.services, { organization: world.acme.id, email })
    const lost = await page()
    await lost.must('POST', 'set-up', { token: tokenOf(link.url), password })
    assert.equal(await needOf(lost), null)
    await whileRequired(async () => assert.equal(await needOf(lost), 'set_up'))
  })
})

onEveryWorld('A second factor at an OpenID provider', (world) => {
  const owner = openFirst(() => ownerOf(world))
  let server: Awaited<ReturnType<typeof startSecond>>
  const forger = new ForgingProvider()
  const corp = new CertifiedProvider()

  before(async () => {
    await Promise.all([forger.open(), corp.open()])
    const ATRIUM_OIDC_PROVIDERS = JSON.stringify([
      entryOf(forger.issuer, world.acme.id, { id: 'says' }),
      entryOf(forger.issuer, world.acme.id, { id: 'context', second_factor: ['phr', 'phrh'] }),
      entryOf(corp.issuer, world.acme.id, { id: 'trusted', second_factor: true }),
      entryOf(forger.issuer, world.globex.id, { id: 'elsewhere' }),
    ])
    server = await startSecond(world, { ATRIUM_OIDC_PROVIDERS })
    corp.register(server.url, 'trusted')
    await owner.must('POST', 'step-up', { password })
    const { secret, set_up } = await owner.must('POST', 'second-factor/authenticator/options', {})
    const code = new AuthenticatorApp(secret).code(world.clock.now())
    await owner.must('POST', 'second-factor/authenticator', { set_up, code })
    await owner.must('PATCH', 'organization/second-factor', { required: true })
  })
  after(async () => {
    await server?.close()
    await Promise.all([forger.close(), corp.close()])
  })

  /** Signs in with these claims in the ID token. */
  const by = async (provider: string, login: string, claims: object): Promise<[OpenIdVisitor, Reply]> => {
    const visitor = new OpenIdVisitor(server.url)
    forger.claims = { sub: login, email: `${login}@corp.example`, email_verified: true, ...claims }
    return [visitor, await visitor.back(provider, forger.answer(await visitor.start(provider)))]
  }

  it('counts if the ID token says so by amr or a configured acr, and by the setting', async () => {
    for (const [provider, claims, need] of [
      ['says', {}, 'set_up'],
      ['says', { amr: ['pwd'] }, 'set_up'],
      ['says', { amr: 'mfa' }, 'set_up'],
      ['says', { acr: 'phr' }, 'set_up'],
      ['says', { amr: ['pwd', 'otp', 'mfa'] }, null],
      ['context', { acr: 'phr' }, null],
      ['context', { acr: 'other' }, 'set_up'],
    ] as const) {
      const [, reply] = await by(provider, 'una', claims)
      assert.equal(reply.body.second_factor?.need, need, `${provider} ${JSON.stringify(claims)} ${reply.text}`)
    }
    corp.people.set('tess', { email: 'tess@corp.example', email_verified: true })
    const tess = await new OpenIdVisitor(server.url).by('trusted', 'tess')
    assert.equal(tess.body.second_factor.need, null, tess.text)
    const { data } = await owner.must('GET', 'people')
    const shown = data.find(({ email }: { email: string }) => email === 'tess@corp.example')
    assert.equal(shown.second_factor, 'provider')
  })

  it('does not count in an organization that the provider does not belong to', async () => {
    const [visitor, reply] = await by('elsewhere', 'gale', { amr: ['mfa'] })
    assert.deepEqual(reply.body.second_factor, { required: false, proved: true, need: null, can_change: true })
    await joinOther(visitor)
    await visitor.must('POST', 'session/organization', { organization: world.acme.id })
    assert.equal((await visitor.arrive()).second_factor.need, 'set_up')
  })

  it('is not changed on the word of a provider', async () => {
    const [visitor] = await by('elsewhere', 'hope', { amr: ['mfa'] })
    const app = await setUpApp(visitor)
    const [vouched, reply] = await by('elsewhere', 'hope', { amr: ['mfa'] })
    assert.deepEqual(reply.body.second_factor, { required: false, proved: true, need: null, can_change: false })
    for (const path of ['second-factor/authenticator/options', 'second-factor/recovery-codes', 'passkeys/options'])
      assert.deepEqual(refusal(await vouched.post(path)), required, path)
    assert.deepEqual(refusal(await vouched.delete('second-factor/authenticator')), required)
    world.clock.advance(30_000)
    await vouched.must('POST', 'second-factor', { code: app.code(world.clock.now()) })
    await vouched.must('POST', 'second-factor/recovery-codes', {})
  })

  it('that was proved here is not replaced by the word of a provider at a confirmation', async () => {
    const [visitor] = await by('elsewhere', 'iris', { amr: ['mfa'] })
    await setUpApp(visitor)
    const { url } = await visitor.must('POST', 'step-up/openid', { provider: 'elsewhere', next: '/' })
    const confirmed = await visitor.back('elsewhere', forger.answer(url))
    assert.deepEqual([confirmed.status, confirmed.body.confirmed], [200, true], confirmed.text)
    await visitor.must('POST', 'second-factor/recovery-codes', {})
    await joinOther(visitor)
    await visitor.must('POST', 'session/organization', { organization: world.acme.id })
    assert.equal((await visitor.arrive()).second_factor.need, null)
  })

  async function setUpApp(visitor: Visitor): Promise<AuthenticatorApp> {
    const { secret, set_up } = await visitor.must('POST', 'second-factor/authenticator/options', {})
    const app = new AuthenticatorApp(secret)
    await visitor.must('POST', 'second-factor/authenticator', { set_up, code: app.code(world.clock.now()) })
    return app
  }

  /** Makes the visitor's account a member of Acme, too. */
  async function joinOther(visitor: Visitor): Promise<void> {
    const { account } = await visitor.arrive()
    const at = world.clock.now()
    const head = { organization: world.acme.id, user: account.id.replace('acc', 'usr'), created: at, updated: at }
    await world.services.store.write('system', async (tx) => {
      tx.insert('members', {
        ...head,
        ...{ id: account.id.replace('acc', 'mbr'), email: account.email, first_name: null, last_name: null },
        ...{ profile_picture_url: null, role: 'member', status: 'active' },
      })
      tx.insert('account_memberships', { ...head, account: account.id, role: 'member' })
    })
  }
})

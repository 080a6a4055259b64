/** Second factors of people, as owners see and reset them. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { mailWorker } from '../../src/workers/mail.ts'
import { onEveryEngine } from '../engines.ts'
import { MailServer } from '../mail-server.ts'
import { openStream } from '../stream.ts'
import { openWorld, type World } from '../world.ts'
import { Authenticator } from './authenticator.ts'
import { AuthenticatorApp } from './authenticator-app.ts'
import { join, ownerOf, password, refusal, tokenOf, Visitor } from './visitor.ts'

/** Both realms of the organization have the entry. */
const twice = (action: string) => [action, action]

onEveryEngine('Second factors of people, for owners', (engine) => {
  let smtp: MailServer
  let world: World
  let owner: Visitor
  let admin: Visitor
  let origin: string

  before(async () => {
    smtp = await MailServer.open()
    const environment = { ATRIUM_SMTP_URL: smtp.url, ATRIUM_MAIL_FROM: 'atrium@acme.example' }
    world = await openWorld(engine, { environment })
    origin = `http://localhost:${new URL(world.server.url).port}`
    owner = await ownerOf(world)
    admin = await join(owner, 'admin@acme.example', 'admin')
    await setUp(owner)
  })
  after(async () => {
    await world?.close()
    await smtp?.close()
  })
  beforeEach(() => confirm(owner))

  const confirm = (person: Visitor) => person.must('POST', 'step-up', { password })
  const userOf = async (person: Visitor): Promise<string> => (await person.arrive()).user.id
  const reset = (person: Visitor, user: string) => person.delete(`people/${user}/second-factor`)
  const require = (required: boolean) => owner.must('PATCH', 'organization/second-factor', { required })

  async function setUp(person: Visitor): Promise<AuthenticatorApp> {
    await confirm(person)
    const { secret, set_up } = await person.must('POST', 'second-factor/authenticator/options', {})
    const app = new AuthenticatorApp(secret)
    await person.must('POST', 'second-factor/authenticator', { set_up, code: app.code(world.clock.now()) })
    return app
  }
  /** On a page whose name passkeys accept. */
  async function withPasskey(name: string): Promise<Visitor> {
    await join(owner, `${name}@acme.example`, 'member')
    const visitor = new Visitor(world.server.url, origin)
    await visitor.signIn(`${name}@acme.example`, password)
    await confirm(visitor)
    const { challenge, user } = await visitor.must('POST', 'passkeys/options', {})
    const response = new Authenticator().create({ challenge, origin, domain: 'localhost' }, user.id)
    await visitor.must('POST', 'passkeys', { name: 'Phone', response })
    return visitor
  }
  async function factors(person: Visitor): Promise<Record<string, string | null>> {
    const { data } = await person.must('GET', 'people')
    const named = data.filter(({ email }: { email: string | null }) => email !== null)
    return Object.fromEntries(
      named.map((each: Record<string, string>) => [each.email?.split('@')[0], each.second_factor ?? null]),
    )
  }
  async function sent(): Promise<{ readonly to: string; readonly text: string }[]> {
    while ((await mailWorker.run(world.services, 50, new AbortController().signal)) > 0);
    return smtp.received.map(({ to, text }) => ({ to: String(to), text }))
  }

  it('are shown to owners while the organization requires one, and to no other person', async () => {
    await join(owner, 'none@acme.example', 'member')
    await withPasskey('key')
    await confirm(owner)
    assert.deepEqual([...new Set(Object.values(await factors(owner)))], [null])
    await require(true)
    const shown = await factors(owner)
    assert.deepEqual([shown.owner, shown.key, shown.none, shown.admin], ['own', 'own', 'none', 'none'])
    await setUp(admin)
    assert.deepEqual([...new Set(Object.values(await factors(admin)))], [null])
    assert.equal((await factors(owner)).admin, 'own')
    await confirm(owner)
    await require(false)
  })

  it('are reset by an owner: sessions end, the log says who, a mail tells the person', async () => {
    const member = await withPasskey('lost')
    await setUp(member)
    const user = await userOf(member)
    const stream = await openStream(world.server.url, await member.token(), '')
    await sent()
    smtp.received.length = 0
    await confirm(owner)
    await world.markWritten()
    const reply = await reset(owner, user)
    assert.deepEqual([reply.status, reply.body], [200, { object: 'second_factor', user, reset: true, is_mailed: true }])
    await world.assertWritten({ events: [], audit: twice('second_factors.reset') })
    const { data } = (await world.get('/v1/audit_logs?action=second_factors.reset&limit=1')).body
    assert.deepEqual([data[0].actor.id, data[0].target.id], [await userOf(owner), user])
    await stream.ended
    assert.deepEqual((await member.get('people')).status, 401)
    const again = new Visitor(world.server.url)
    assert.equal((await again.signIn('lost@acme.example', password)).second_factor.need, null)
    assert.deepEqual(await again.must('GET', 'second-factor'), { authenticator: null, recovery_codes_left: 0 })
    assert.deepEqual((await again.must('GET', 'passkeys')).data, [])
    const [mail] = await sent()
    assert.match(mail?.text ?? '', /An owner of Acme has reset the second factor of your account/)
    assert.match(mail?.to ?? '', /lost@acme\.example/)
    const key = await again.token()
    const { data: entries } = (await world.get('/v1/notifications', { key })).body
    const told = entries.map(({ kind, actor, read_at }: Record<string, unknown>) => ({ kind, actor, read_at }))
    assert.deepEqual(told, [{ kind: 'second_factor_reset', actor: data[0].actor, read_at: null }])
    assert.deepEqual(refusal(await reset(owner, user)), [409, 'resource_conflict'])
    assert.equal((await world.get('/v1/notifications', { key })).body.data.length, 1, 'a refused reset tells nothing')
  })

  it('tell a guest in the inbox, too', async () => {
    const workspace = (await world.make('/v1/workspaces', { title: 'Shared' })).id
    const project = (await world.make('/v1/projects', { workspace, name: 'Site' })).id
    const guest = await join(owner, 'guest@client.example', 'guest', [project])
    await setUp(guest)
    const user = await userOf(guest)
    await confirm(owner)
    assert.equal((await reset(owner, user)).status, 200)
    const again = new Visitor(world.server.url)
    await again.signIn('guest@client.example', password)
    const key = await again.token()
    const [entry] = (await world.get('/v1/notifications', { key })).body.data
    assert.equal(entry.kind, 'second_factor_reset')
    assert.equal((await world.get(`/v1/notifications/${entry.id}`, { key })).status, 200)
    assert.equal((await world.get('/v1/notifications/count', { key })).body.unread, 1)
  })

  it('are set up again at the next sign-in where one is required', async () => {
    const member = await join(owner, 'again@acme.example', 'member')
    await setUp(member)
    await confirm(owner)
    await require(true)
    assert.equal((await reset(owner, await userOf(member))).status, 200)
    const again = new Visitor(world.server.url)
    assert.equal((await again.signIn('again@acme.example', password)).second_factor.need, 'set_up')
    assert.deepEqual(refusal(await again.get('people')), [403, 'second_factor_required'])
    await require(false)
  })

  it('are not reset by admins or members, for oneself, or without a recent confirmation', async () => {
    const member = await join(owner, 'safe@acme.example', 'member')
    await setUp(member)
    const [user, own] = [await userOf(member), await userOf(owner)]
    for (const visitor of [admin, member]) {
      await confirm(visitor)
      for (const target of [user, own]) {
        assert.deepEqual(refusal(await reset(visitor, target)), [403, 'role_required'])
      }
    }
    await confirm(owner)
    const self = await reset(owner, own)
    assert.deepEqual([...refusal(self), /Settings → Security/.test(self.text)], [409, 'resource_conflict', true])
    world.clock.advance(11 * 60_000)
    assert.deepEqual(refusal(await reset(owner, user)), [403, 'step_up_required'])
    assert.notEqual((await member.must('GET', 'second-factor')).authenticator, null)
  })

  it('are reset in a session that has proved a factor of the owner', async () => {
    const member = await join(owner, 'target@acme.example', 'member')
    await setUp(member)
    await confirm(owner)
    const { url } = await owner.must('POST', 'invitations', { email: 'second@acme.example', role: 'owner' })
    const other = new Visitor(world.server.url, origin)
    await other.arrive()
    await other.must('POST', 'set-up', { token: tokenOf(url), password })
    await confirm(other)
    const { challenge, user } = await other.must('POST', 'passkeys/options', {})
    const response = new Authenticator().create({ challenge, origin, domain: 'localhost' }, user.id)
    await other.must('POST', 'passkeys', { name: 'Phone', response })
    const unproved = new Visitor(world.server.url, origin)
    await unproved.signIn('second@acme.example', password)
    await confirm(unproved)
    const target = await userOf(member)
    assert.deepEqual(refusal(await reset(unproved, target)), [403, 'second_factor_required'])
    assert.notEqual((await member.must('GET', 'second-factor')).authenticator, null)
    assert.equal((await reset(owner, target)).status, 200)
  })

  it('of an account that signs in to another organization are left to the operator', async () => {
    const member = await join(owner, 'both@acme.example', 'member')
    const globex = await ownerOf(world, world.globex)
    await confirm(globex)
    const { url } = await globex.must('POST', 'invitations', { email: 'both@acme.example', role: 'member' })
    const both = new Visitor(world.server.url)
    await both.arrive()
    await both.must('POST', 'set-up', { token: tokenOf(url), password })
    await setUp(both)
    const [own, theirs] = [await userOf(member), await userOf(both)]
    for (const [visitor, user] of [
      [owner, own],
      [globex, theirs],
    ] as const) {
      const reply = await reset(visitor, user)
      assert.deepEqual([...refusal(reply), /atrium link create/.test(reply.text)], [409, 'resource_conflict', true])
    }
    assert.notEqual((await both.must('GET', 'second-factor')).authenticator, null)
  })

  it('of people of another organization answer like missing ones', async () => {
    const member = await join(owner, 'ours@acme.example', 'member')
    await setUp(member)
    const user = await userOf(member)
    const globex = new Visitor(world.server.url)
    await globex.signIn('owner@globex.example', password)
    await confirm(globex)
    const none = 'usr_01KZ0000000000000000000000'
    const without = (text: string, id: string) => text.replaceAll(id, '').replace(/"request_id":"[^"]*"/, '')
    const [foreign, missing] = [await reset(globex, user), await reset(globex, none)]
    assert.deepEqual([foreign.status, without(foreign.text, user)], [404, without(missing.text, none)])
  })
})

/** New passwords by mail, and the addresses that people have to prove before. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { console_limits } from '../../src/console/limits.ts'
import { query } from '../../src/db/query.ts'
import type { AccountRow, ResetRequestRow } from '../../src/db/schema.ts'
import { mail_limits } from '../../src/mail/limits.ts'
import { setOrganization } from '../../src/resources/organizations/write.ts'
import { mailWorker } from '../../src/workers/mail.ts'
import { passwordResetsWorker } from '../../src/workers/password-resets.ts'
import { onEveryEngine } from '../engines.ts'
import { MailServer, type Received } from '../mail-server.ts'
import { openWorld, type World } from '../world.ts'
import { Authenticator } from './authenticator.ts'
import { join, ownerOf, password, refusal, tokenOf, Visitor } from './visitor.ts'

const next = 'another horse that reads'

const requests = query<ResetRequestRow>((db) => db.selectFrom('reset_requests').selectAll())
const accountOf = query<AccountRow, { email: string }>((db, p) =>
  db.selectFrom('accounts').selectAll().where('email', '=', p('email')),
)

onEveryEngine('A forgotten password', (engine) => {
  let smtp: MailServer
  let world: World
  let owner: Visitor

  before(async () => {
    smtp = await MailServer.open()
    world = await openWorld(engine, {
      environment: { ATRIUM_SMTP_URL: smtp.url, ATRIUM_MAIL_FROM: 'Atrium <atrium@acme.example>' },
    })
    owner = await ownerOf(world)
    await mails()
  })
  after(async () => {
    await world.close()
    await smtp.close()
  })

  const stop = new AbortController().signal
  /** The mails that are due, sent. */
  async function mails(): Promise<Received[]> {
    while ((await passwordResetsWorker.run(world.services, 20, stop)) > 0);
    while ((await mailWorker.run(world.services, mailWorker.batch_max, stop)) > 0);
    return smtp.take()
  }
  const arrive = async (): Promise<Visitor> => {
    const visitor = new Visitor(world.server.url)
    await visitor.arrive()
    return visitor
  }
  const forget = async (email: string) => (await arrive()).post('password/forgot', { email })
  const linkIn = (sent: readonly Received[], page: string) =>
    new RegExp(`${world.server.url}/${page}#([0-9A-Za-z]{43})`).exec(sent.map(({ text }) => text).join('\n'))?.[1] ?? ''
  /** A member who has followed the link of the mailed invitation, which proves the address. */
  const invited = async (email: string): Promise<Visitor> => {
    await owner.must('POST', 'step-up', { password })
    await owner.must('POST', 'invitations', { email, role: 'member' })
    const token = linkIn(await mails(), 'invite')
    const visitor = await arrive()
    await visitor.must('POST', 'set-up', { token, password })
    return visitor
  }
  const reset = async (token: string, chosen = next) =>
    (await arrive()).post('password/reset', { token, password: chosen })
  const later = () => world.clock.advance(15 * 60_000)

  it('is replaced by a link from a mail, once, within an hour; sessions and passkeys end', async () => {
    const dora = await invited('dora@acme.example')
    const origin = `http://localhost:${new URL(world.server.url).port}`
    const page = new Visitor(world.server.url, origin)
    await page.signIn('dora@acme.example', password)
    const { challenge, user } = await page.must('POST', 'passkeys/options', {})
    const authenticator = new Authenticator()
    const response = authenticator.create({ challenge, origin, domain: 'localhost' }, user.id)
    await page.must('POST', 'passkeys', { name: 'Phone', response })
    await page.must('POST', 'second-factor/recovery-codes', {})
    await world.markWritten()
    assert.deepEqual((await forget(' Dora@acme.example ')).body, { requested: true })
    const sent = await mails()
    assert.deepEqual(
      sent.map(({ to }) => to),
      [['dora@acme.example']],
    )
    // Both realms of the organization record it.
    await world.assertWritten({ events: [], audit: ['links.create', 'links.create'] })
    const token = linkIn(sent, 'reset-password')
    const looked = (await (await arrive()).post('password/reset/link', { token })).body
    assert.equal(looked.email, 'dora@acme.example')
    assert.deepEqual(refusal(await (await arrive()).post('set-up', { token, password: next })), [404, 'link_invalid'])
    assert.deepEqual(refusal(await reset(token, 'short')), [400, 'invalid_request_body', 'password'])
    const done = await reset(token)
    assert.deepEqual([done.status, done.body.account.email, done.body.has_passkey], [200, 'dora@acme.example', false])
    const audit = ['accounts.reset', 'accounts.reset', 'sessions.create', 'sessions.create']
    await world.assertWritten({ events: [], audit })
    for (const ended of [dora, page]) assert.equal((await ended.get('session')).body.signed_in, false)
    assert.deepEqual(refusal(await reset(token)), [404, 'link_invalid'])
    const again = await arrive()
    assert.deepEqual(refusal(await again.post('session', { email: 'dora@acme.example', password })), [
      401,
      'sign_in_failed',
    ])
    assert.equal((await again.post('session', { email: 'dora@acme.example', password: next })).status, 200)
    assert.equal((await again.get('second-factor')).body.recovery_codes_left, 0, 'they end with the last passkey')
    const [told] = await mails()
    assert.deepEqual(
      [told?.to, told?.headers.get('subject')],
      [['dora@acme.example'], 'Your password for Atrium was changed'],
    )
    await forget('dora@acme.example')
    const late = linkIn(await mails(), 'reset-password')
    world.clock.advance(mail_limits.reset_link_ms)
    assert.deepEqual(refusal(await reset(late)), [404, 'link_invalid'])
  })

  it('is no way around a second factor: an app stays, and a passkey where an organization requires one', async () => {
    const email = 'ulla@acme.example'
    const app = await invited(email)
    const { secret, set_up } = await app.must('POST', 'second-factor/authenticator/options', {})
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: world.clock.now() })
    await app.must('POST', 'second-factor/authenticator', { set_up, code })
    await forget(email)
    const byMail = await arrive()
    const done = await byMail.must('POST', 'password/reset', {
      token: linkIn(await mails(), 'reset-password'),
      password: next,
    })
    assert.equal(done.second_factor.need, 'verify')
    const vera = 'vera@acme.example'
    await invited(vera)
    const origin = `http://localhost:${new URL(world.server.url).port}`
    const page = new Visitor(world.server.url, origin)
    await page.signIn(vera, password)
    const { challenge, user } = await page.must('POST', 'passkeys/options', {})
    const response = new Authenticator().create({ challenge, origin, domain: 'localhost' }, user.id)
    await page.must('POST', 'passkeys', { name: 'Phone', response })
    await setOrganization(world.services, world.acme.id, { second_factor_required: true })
    await forget(vera)
    const reply = await reset(linkIn(await mails(), 'reset-password'))
    await setOrganization(world.services, world.acme.id, { second_factor_required: false })
    assert.deepEqual([reply.body.has_passkey, reply.body.second_factor.need], [true, 'verify'])
  })

  it('gets the same answer and the same work for every address, and no address is stored in the clear', async () => {
    owner = await signedIn()
    await invited('emil@acme.example')
    const answers = []
    for (const email of ['emil@acme.example', 'unknown@acme.example', 'not an address']) {
      const { status, text, headers } = await forget(email)
      const names = Object.keys(headers as Record<string, unknown>).sort()
      answers.push({ status, text, names })
    }
    assert.deepEqual(answers[1], answers[0])
    assert.deepEqual(answers[2], answers[0])
    const stored = await world.services.store.reader('system').all(requests)
    assert.equal(stored.length, 3)
    assert.doesNotMatch(JSON.stringify(stored), /emil|unknown|not an address/)
    assert.deepEqual(
      (await mails()).map(({ to }) => to),
      [['emil@acme.example']],
    )
    assert.deepEqual(await world.services.store.reader('system').all(requests), [])
  })

  it('is answered only if the person has proved the address: the inviter has seen the other link', async () => {
    const stranger = await join(owner, 'frank@acme.example', 'member')
    const sent = await mails()
    await forget('frank@acme.example')
    assert.deepEqual(await mails(), [])
    const token = linkIn(sent, 'confirm-address')
    const other = await invited('gina@acme.example')
    assert.deepEqual(refusal(await other.post('address/confirm', { token })), [404, 'link_invalid'])
    assert.deepEqual(refusal(await (await arrive()).post('address/confirm', { token })), [401, 'session_required'])
    const confirmed = await stranger.must('POST', 'address/confirm', { token })
    assert.equal(confirmed.account.email_proved, true)
    assert.deepEqual(refusal(await stranger.post('address/confirm', { token })), [404, 'link_invalid'])
    later()
    await forget('frank@acme.example')
    assert.deepEqual(
      (await mails()).map(({ to }) => to),
      [['frank@acme.example']],
    )
  })

  it('the mail that confirms an address can be asked again; a newer one replaces it; one that is confirmed needs none', async () => {
    owner = await signedIn()
    const hugo = await join(owner, 'hugo@acme.example', 'member')
    const first = linkIn(await mails(), 'confirm-address')
    assert.deepEqual((await hugo.send('POST', 'address')).body, { mailed_to: 'hugo@acme.example' })
    const second = linkIn(await mails(), 'confirm-address')
    assert.deepEqual(refusal(await hugo.post('address/confirm', { token: first })), [404, 'link_invalid'])
    world.clock.advance(console_limits.step_up_ms)
    await hugo.must('POST', 'address/confirm', { token: second })
    assert.deepEqual(refusal(await hugo.send('POST', 'address')), [409, 'resource_conflict'])
  })

  it('is asked for at most five times per address, and fifty times from one source, in fifteen minutes', async () => {
    later()
    for (let i = 0; i < console_limits.mailed_links_max; i++)
      assert.equal((await forget('unknown@acme.example')).status, 200)
    const refused = await forget('UNKNOWN@acme.example')
    assert.deepEqual([...refusal(refused), refused.headers['retry-after']], [429, 'too_many_attempts', '900'])
    for (let i = console_limits.mailed_links_max; i < console_limits.mailed_links_source_max; i++)
      assert.equal((await forget(`unknown${i}@acme.example`)).status, 200)
    assert.deepEqual(refusal(await forget('fresh@acme.example')), [429, 'too_many_attempts'])
    later()
    assert.equal((await forget('unknown@acme.example')).status, 200)
    await mails()
  })

  it('of one of two accounts of an address does not touch the other, and may not be the same as its password', async () => {
    const acme = await invited('ida@acme.example')
    const globex = await ownerOf(world, world.globex)
    await globex.must('POST', 'step-up', { password })
    const { url } = await globex.must('POST', 'invitations', { email: 'ida@acme.example', role: 'member' })
    const theirs = await arrive()
    await theirs.must('POST', 'set-up', { token: tokenOf(url), password: 'the horse of globex' })
    await mails()
    await forget('ida@acme.example')
    const sent = await mails()
    assert.equal(sent.length, 1, 'the account whose address is not proved gets no link')
    const token = linkIn(sent, 'reset-password')
    assert.deepEqual(refusal(await reset(token, 'the horse of globex')), [400, 'invalid_request_body', 'password'])
    assert.equal((await reset(token)).status, 200)
    assert.equal((await theirs.get('session')).body.signed_in, true)
    assert.equal((await acme.get('session')).body.signed_in, false)
  })

  it('of an inactive member gets no link, and one that was sent before is not valid', async () => {
    owner = await signedIn()
    const visitor = await invited('jan@acme.example')
    const user = (await visitor.arrive()).user.id
    await forget('jan@acme.example')
    const token = linkIn(await mails(), 'reset-password')
    await owner.must('POST', 'step-up', { password })
    await owner.must('PATCH', `people/${user}`, { status: 'inactive' })
    assert.deepEqual(refusal(await reset(token)), [404, 'link_invalid'])
    await forget('jan@acme.example')
    assert.deepEqual(await mails(), [])
    const [account] = await world.services.store.reader('system').all(accountOf, { email: 'jan@acme.example' })
    assert.notEqual(account?.email_proved_at, null)
  })

  it('is replaced by the operator where the server sends no mail: the endpoint says so', async () => {
    const quiet = await openWorld(engine)
    try {
      const visitor = new Visitor(quiet.server.url)
      assert.equal((await visitor.arrive()).mail, false)
      assert.deepEqual(refusal(await visitor.post('password/forgot', { email: 'x@acme.example' })), [
        404,
        'resource_not_found',
      ])
    } finally {
      await quiet.close()
    }
  })

  const signedIn = async (): Promise<Visitor> => {
    const visitor = await arrive()
    await visitor.must('POST', 'session', { email: 'owner@acme.example', password })
    return visitor
  }
})

/** Passkeys: creation after a step-up, sign-in, step-up, and protection against replay. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { limits } from '../../src/api/limits.ts'
import { console_limits } from '../../src/console/limits.ts'
import { createOperatorLink } from '../../src/console/links/create-operator-link.ts'
import { onEveryWorld } from '../world.ts'
import { Authenticator, type Ceremony } from './authenticator.ts'
import { join, ownerOf, password, refusal, tokenOf, Visitor } from './visitor.ts'

onEveryWorld('A passkey', (world) => {
  let owner: Visitor
  let origin: string
  const domain = 'localhost'

  before(async () => {
    origin = `http://localhost:${new URL(world.server.url).port}`
    await ownerOf(world)
    owner = await page()
    await owner.signIn('owner@acme.example', password)
  })

  const page = async (): Promise<Visitor> => {
    const visitor = new Visitor(world.server.url, origin)
    await visitor.arrive()
    return visitor
  }

  /** Registers a new passkey for the signed-in user. */
  async function register(visitor: Visitor, changed: Partial<Ceremony> = {}, name = 'Laptop') {
    const authenticator = new Authenticator()
    const options = await visitor.must('POST', 'passkeys/options', {})
    const response = authenticator.create({ challenge: options.challenge, origin, domain, ...changed }, options.user.id)
    return { authenticator, options, reply: await visitor.post('passkeys', { name, response }) }
  }

  async function signIn(authenticator: Authenticator, changed: Partial<Ceremony> = {}, visitor?: Visitor) {
    const there = visitor ?? (await page())
    const { challenge } = await there.must('POST', 'session/passkey/options', {})
    const response = authenticator.get({ challenge, origin, domain, ...changed })
    return { visitor: there, response, reply: await there.post('session/passkey', { response }) }
  }

  it('is a discoverable credential for the page’s host that always verifies the user', async () => {
    const { options, reply } = await register(owner)
    const { rp, attestation, authenticatorSelection, user, pubKeyCredParams } = options
    assert.deepEqual(rp, { name: 'Atrium', id: domain })
    assert.equal(attestation, 'none')
    assert.deepEqual(
      [authenticatorSelection.residentKey, authenticatorSelection.userVerification],
      ['required', 'required'],
    )
    assert.equal(user.name, 'owner@acme.example')
    assert.deepEqual(
      pubKeyCredParams.map((each: { alg: number }) => each.alg),
      [-8, -7, -257],
    )
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual(
      { ...reply.body, id: '' },
      { id: '', name: 'Laptop', created: reply.body.created, last_used_at: null },
    )
    assert.equal((await owner.get('session')).body.has_passkey, true)
    const again = await owner.must('POST', 'passkeys/options', {})
    assert.equal(again.excludeCredentials.length, 1, 'an authenticator registers once')
  })

  it('signs in without email address and password, and records its last use', async () => {
    const { authenticator, reply } = await register(owner)
    const { reply: entered, visitor } = await signIn(authenticator)
    assert.equal(entered.status, 200, entered.text)
    assert.equal(entered.body.account.email, 'owner@acme.example')
    const list = (await visitor.get('passkeys')).body.data
    const used = list.find((each: { id: string }) => each.id === reply.body.id)
    assert.equal(used.last_used_at, Math.floor(world.clock.now() / 1000))
    const { data } = (await world.get('/v1/audit_logs?action=sessions.create&limit=1')).body
    assert.deepEqual(data[0].actor, { type: 'user', id: world.acme.user })
  })

  it('passes a step-up of its own account only', async () => {
    const { authenticator } = await register(owner)
    const member = await page()
    await join(owner, 'member@acme.example', 'member')
    await member.signIn('member@acme.example', password)
    const confirm = async (visitor: Visitor, by: Authenticator) => {
      const options = await visitor.must('POST', 'step-up/passkey/options', {})
      const response = by.get({ challenge: options.challenge, origin, domain })
      return { options, reply: await visitor.post('step-up/passkey', { response }) }
    }
    world.clock.advance(console_limits.step_up_ms)
    assert.deepEqual(refusal((await confirm(member, authenticator)).reply), [401, 'sign_in_failed', 'response'])
    const { options, reply } = await confirm(owner, authenticator)
    assert.ok(options.allowCredentials.length > 0)
    assert.equal(reply.status, 200)
    assert.equal(reply.body.stepped_up_until, Math.floor((world.clock.now() + console_limits.step_up_ms) / 1000))
    assert.equal((await owner.post('passkeys/options')).status, 200)
  })

  it('is refused without user verification, from another origin or domain, and with another account’s challenge', async () => {
    const { authenticator } = await register(owner)
    const { challenge: forRegistration } = await owner.must('POST', 'passkeys/options', {})
    const { challenge: forStepUp } = await owner.must('POST', 'step-up/passkey/options', {})
    for (const changed of [
      { verified: false },
      { origin: 'https://evil.example' },
      { domain: 'evil.example' },
      { challenge: Buffer.alloc(54, 1).toString('base64url') },
      { challenge: '' },
      { challenge: forRegistration },
      { challenge: forStepUp },
    ]) {
      const { reply } = await signIn(authenticator, changed)
      assert.deepEqual(refusal(reply), [401, 'sign_in_failed', 'response'], JSON.stringify(changed))
      if ('verified' in changed || 'origin' in changed || 'domain' in changed) {
        const { reply: made } = await register(owner, changed)
        assert.deepEqual(refusal(made), [400, 'invalid_request_body', 'response'], JSON.stringify(changed))
      }
    }
    assert.equal((await signIn(authenticator)).reply.status, 200)
  })

  it('answers a challenge once, within five minutes', async () => {
    const { authenticator } = await register(owner)
    const { visitor, response, reply } = await signIn(authenticator)
    assert.equal(reply.status, 200)
    const replayed = new Visitor(world.server.url, origin)
    await replayed.arrive()
    authenticator.counter -= 1
    assert.deepEqual(refusal(await replayed.post('session/passkey', { response })).slice(0, 2), [401, 'sign_in_failed'])
    const { challenge } = await replayed.must('POST', 'session/passkey/options', {})
    world.clock.advance(console_limits.passkey_challenge_ms)
    const late = authenticator.get({ challenge, origin, domain })
    assert.equal((await replayed.post('session/passkey', { response: late })).status, 401)
    assert.equal((await visitor.get('session')).body.signed_in, true)
  })

  it('without a counter cannot replay a challenge, not even concurrently', async () => {
    const { authenticator } = await register(owner)
    authenticator.counter = -1
    const { challenge } = await (await page()).must('POST', 'session/passkey/options', {})
    const response = authenticator.get({ challenge, origin, domain })
    const visitors = await Promise.all([page(), page(), page()])
    const replies = await Promise.all(visitors.map((visitor) => visitor.post('session/passkey', { response })))
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 401, 401])
  })

  it('that is not registered, or has another key’s signature, is refused', async () => {
    assert.deepEqual(refusal((await signIn(new Authenticator())).reply), [401, 'sign_in_failed', 'response'])
    const { authenticator } = await register(owner)
    const forged = new Authenticator()
    Object.assign(forged, { id: authenticator.id })
    assert.deepEqual(refusal((await signIn(forged)).reply), [401, 'sign_in_failed', 'response'])
  })

  it('whose counter decreases was cloned, and is refused', async () => {
    const { authenticator } = await register(owner)
    authenticator.counter = 10
    assert.equal((await signIn(authenticator)).reply.status, 200)
    authenticator.counter = 5
    assert.equal((await signIn(authenticator)).reply.status, 401)
  })

  it('that was deleted cannot sign in; another account’s answers 404', async () => {
    const { authenticator, reply } = await register(owner)
    const { id } = reply.body
    const stranger = await page()
    await stranger.signIn('member@acme.example', password)
    assert.deepEqual(refusal(await stranger.delete(`passkeys/${id}`)), [404, 'resource_not_found', 'id'])
    assert.equal((await stranger.get('passkeys')).body.data.length, 0)
    await owner.must('DELETE', `passkeys/${id}`)
    assert.equal((await signIn(authenticator)).reply.status, 401)
    const actions = (await world.get('/v1/audit_logs?limit=3')).body.data.map((each: { action: string }) => each.action)
    assert.ok(actions.includes('passkeys.delete'))
  })

  it('is deleted when the operator resets the account', async () => {
    const visitor = await page()
    await join(owner, 'lost@acme.example', 'member')
    await visitor.signIn('lost@acme.example', password)
    const { authenticator } = await register(visitor)
    const link = await createOperatorLink(world.services, { organization: world.acme.id, email: 'lost@acme.example' })
    await (await page()).must('POST', 'set-up', { token: tokenOf(link.url), password: 'another horse that reads' })
    assert.equal((await signIn(authenticator)).reply.status, 401)
  })

  it('cannot be created or used at an IP address; the error names the URL to open', async () => {
    const visitor = new Visitor(world.server.url)
    const { passkeys_unavailable } = await visitor.signIn('member@acme.example', password)
    assert.match(passkeys_unavailable, /http:\/\/localhost:\d+/)
    for (const path of ['passkeys/options', 'session/passkey/options', 'step-up/passkey/options']) {
      const reply = await visitor.post(path)
      assert.deepEqual(refusal(reply), [409, 'resource_conflict'], path)
      assert.match(reply.body.error.message, /http:\/\/localhost:\d+/)
    }
  })

  it('is limited in number per account, and failed sign-ins count for the IP address', async () => {
    await join(owner, 'collector@acme.example', 'member')
    const visitor = await page()
    await visitor.signIn('collector@acme.example', password)
    for (let i = 0; i < console_limits.passkeys_max; i++) assert.equal((await register(visitor)).reply.status, 200)
    assert.deepEqual(refusal(await visitor.post('passkeys/options')), [409, 'resource_conflict'])
    world.clock.advance(limits.sign_in_window_ms)
    for (let i = 0; i < console_limits.sign_in_address_failures_max; i++) await signIn(new Authenticator(), {}, visitor)
    assert.deepEqual(refusal((await signIn(new Authenticator(), {}, visitor)).reply), [429, 'too_many_attempts'])
  })
})

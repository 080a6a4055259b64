/**
 * Attacks on sessions, with a part of a session's secrets or with a planted session. Each test asserts the exact answer and
 * that nothing was written.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { console_limits } from '../../src/console/limits.ts'
import { createOperatorLink } from '../../src/console/links/create-operator-link.ts'
import { setMember } from '../../src/resources/members/write.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { Authenticator } from './authenticator.ts'
import { join, ownerOf, password, refusal, tokenOf, Visitor } from './visitor.ts'

const evil = 'https://evil.example'

onEveryWorld('An attacker', (world) => {
  const victim = openFirst(() => ownerOf(world))

  const arrived = async (): Promise<Visitor> => {
    const visitor = new Visitor(world.server.url)
    await visitor.arrive()
    return visitor
  }
  const entered = async (email = 'owner@acme.example'): Promise<Visitor> => {
    const visitor = await arrived()
    await visitor.signIn(email, password)
    return visitor
  }
  /** A visitor with every secret of the victim's browser. */
  const thief = (): Visitor => {
    const { cookie, csrf } = victim
    return Object.assign(new Visitor(world.server.url), { cookie, csrf })
  }
  /** Sends a write that the victim may make, with these options. */
  const write = (visitor: Visitor, options: Parameters<Visitor['patch']>[2] = {}) =>
    visitor.patch('profile', { first_name: 'Mallory', last_name: null }, options)

  const parts = [
    ['the cookie without X-CSRF', { csrf: null }, [403, 'csrf_failed', 'X-CSRF']],
    ['the cookie with an unknown X-CSRF', { csrf: 'A'.repeat(43) }, [403, 'csrf_failed', 'X-CSRF']],
    ['the cookie and X-CSRF, from another site', { origin: evil }, [403, 'csrf_failed', 'Origin']],
    ['the cookie and X-CSRF, from a hidden origin', { origin: 'null' }, [403, 'csrf_failed', 'Origin']],
    ['the cookie and X-CSRF, without an origin', { origin: null }, [403, 'csrf_failed', 'Origin']],
    ['X-CSRF without the cookie', { cookie: null }, [401, 'session_required']],
    ['X-CSRF and a made-up cookie', { cookie: 'A'.repeat(43) }, [401, 'session_required']],
  ] as const
  for (const [has, options, answer] of parts) {
    it(`with ${has} cannot write`, async () => {
      await world.markWritten()
      assert.deepEqual(refusal(await write(thief(), options)), answer)
      await world.assertWritten({ events: [], audit: [] })
      assert.equal((await victim.arrive()).user.first_name, null)
    })
  }

  it('with one changed character in the cookie has no session, and the victim keeps theirs', async () => {
    const cookie = String(victim.cookie)
    const last = cookie.endsWith('a') ? 'b' : 'a'
    const forged = await thief().get('sessions', { cookie: cookie.slice(0, -1) + last })
    assert.deepEqual(refusal(forged), [401, 'session_required'])
    assert.equal((await victim.get('sessions')).status, 200)
  })

  it('who plants a cookie before the sign-in does not get the new session', async () => {
    const planted = 'B'.repeat(String(victim.cookie).length)
    const browser = new Visitor(world.server.url)
    browser.cookie = planted
    await browser.arrive()
    await browser.must('POST', 'session', { email: 'owner@acme.example', password })
    assert.notEqual(browser.cookie, planted)
    const attacker = new Visitor(world.server.url)
    assert.deepEqual(refusal(await attacker.get('sessions', { cookie: planted })), [401, 'session_required'])
    assert.equal((await browser.get('sessions')).status, 200)
  })

  it('who plants their own session loses it when the victim signs in', async () => {
    const attacker = await join(victim, 'mallory@acme.example', 'member')
    const planted = String(attacker.cookie)
    const browser = new Visitor(world.server.url)
    browser.cookie = planted
    await browser.arrive()
    await browser.must('POST', 'session', { email: 'owner@acme.example', password })
    assert.notEqual(browser.cookie, planted)
    assert.deepEqual(refusal(await attacker.get('sessions')), [401, 'session_required'])
    assert.equal((await browser.arrive()).account.email, 'owner@acme.example')
  })

  it('cannot sign the victim in to another account by a forged form: sign-in requires X-CSRF', async () => {
    const browser = await arrived()
    const credentials = { email: 'owner@acme.example', password }
    for (const [options, param] of [
      [{ csrf: null }, 'X-CSRF'],
      [{ origin: evil }, 'Origin'],
    ] as const) {
      const reply = await browser.post('session', credentials, options)
      assert.deepEqual(refusal(reply), [403, 'csrf_failed', param])
      assert.equal(browser.cookie, null)
    }
    const form = { raw: new URLSearchParams(credentials).toString(), headers: { 'content-type': 'text/plain' } }
    const posted = await browser.send('POST', 'session', form)
    assert.deepEqual(refusal(posted), [400, 'invalid_request_body', 'Content-Type'])
  })

  it('who uses a link twice gets the same answer as for an unknown link', async () => {
    const { url } = await victim.must('POST', 'invitations', { email: 'guest@acme.example', role: 'admin' })
    const token = tokenOf(url)
    await (await arrived()).must('POST', 'set-up', { token, password })
    const attacker = await arrived()
    const again = await attacker.post('set-up', { token, password: 'mallory has this one' })
    const never = await attacker.post('set-up', { token: 'C'.repeat(token.length), password: 'mallory has this one' })
    for (const reply of [again, never, await attacker.post('set-up/link', { token })]) {
      assert.deepEqual(refusal(reply), [404, 'link_invalid'])
    }
    assert.equal(attacker.cookie, null)
    assert.equal((await entered('guest@acme.example')).cookie === null, false, 'the first password still works')
  })

  it('who uses a reset link at the same time as its owner: exactly one of them succeeds', async () => {
    await join(victim, 'lost@acme.example', 'member')
    const { url } = await createOperatorLink(world.services, {
      organization: world.acme.id,
      email: 'lost@acme.example',
    })
    const [one, two] = [await arrived(), await arrived()]
    const replies = await Promise.all([
      one.post('set-up', { token: tokenOf(url), password: 'the owner has this one' }),
      two.post('set-up', { token: tokenOf(url), password: 'mallory has this one' }),
    ])
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 404])
    assert.equal([one.cookie, two.cookie].filter((cookie) => cookie !== null).length, 1)
  })

  it('loses an open session when the operator deactivates the member', async () => {
    const guest = await join(victim, 'shut@acme.example', 'member')
    const { member } = (await guest.arrive()).user
    const cookie = String(guest.cookie)
    await setMember(world.services, member, { status: 'inactive' })
    assert.deepEqual(refusal(await guest.get('sessions')), [401, 'session_required'])
    await setMember(world.services, member, { status: 'active' })
    assert.equal((await guest.get('sessions', { cookie })).status, 200)
  })

  it('with all secrets of an ended session gets no page, no answer to its token and no new token', async () => {
    const stolen = await entered()
    const [token, managing] = [await stolen.token(), await stolen.token({ manage: true })]
    assert.equal((await world.get('/v1/me', { key: token })).status, 200)
    const { session } = await stolen.arrive()
    const cookie = String(stolen.cookie)
    await victim.must('DELETE', `sessions/${session.id}`)
    assert.deepEqual(refusal(await stolen.get('sessions', { cookie })), [401, 'session_required'])
    assert.deepEqual(refusal(await stolen.post('token', { mode: 'live' }, { cookie })), [401, 'session_required'])
    for (const key of [token, managing]) assert.equal((await world.get('/v1/me', { key })).status, 401)
  })

  it('who sends a replaced cookie ends the session for both, and the audit log records it', async () => {
    const owner = await entered()
    const stolen = String(owner.cookie)
    await owner.must('POST', 'step-up', { password })
    world.clock.advance(console_limits.session_overlap_ms)
    await world.markWritten()
    assert.deepEqual(refusal(await thief().get('sessions', { cookie: stolen })), [401, 'session_required'])
    assert.deepEqual(refusal(await owner.get('sessions')), [401, 'session_required'])
    // The live and the test realm have separate logs.
    await world.assertWritten({ events: [], audit: ['sessions.delete', 'sessions.delete'] })
    const [entry] = (await world.get('/v1/audit_logs?action=sessions.delete&limit=1')).body.data
    assert.match(entry.reason, /replaced cookie/)
  })

  it('with an old session cannot pass a step-up, nor guess the password', async () => {
    const tired = await entered()
    world.clock.advance(console_limits.step_up_ms)
    const invitation = { email: 'friend@acme.example', role: 'owner' }
    assert.deepEqual(refusal(await tired.post('invitations', invitation)), [403, 'step_up_required'])
    assert.deepEqual(refusal(await tired.post('token', { mode: 'live', manage: true })), [403, 'step_up_required'])
    const guess = await tired.post('step-up', { password: 'a guess at the password' })
    assert.deepEqual(refusal(guess), [401, 'sign_in_failed', 'password'])
    assert.deepEqual(refusal(await tired.post('invitations', invitation)), [403, 'step_up_required'])
  })

  it('cannot replay a recorded passkey response', async () => {
    const origin = `http://localhost:${new URL(world.server.url).port}`
    const page = async () => {
      const visitor = new Visitor(world.server.url, origin)
      await visitor.arrive()
      return visitor
    }
    const owner = await page()
    await owner.signIn('owner@acme.example', password)
    const [authenticator, domain] = [new Authenticator(), 'localhost']
    const { challenge, user } = await owner.must('POST', 'passkeys/options', {})
    const made = authenticator.create({ challenge, origin, domain }, user.id)
    await owner.must('POST', 'passkeys', { name: 'Laptop', response: made })
    const browser = await page()
    const asked = await browser.must('POST', 'session/passkey/options', {})
    const response = authenticator.get({ challenge: asked.challenge, origin, domain })
    assert.equal((await browser.post('session/passkey', { response })).status, 200)
    const attacker = await page()
    assert.deepEqual(refusal(await attacker.post('session/passkey', { response })).slice(0, 2), [401, 'sign_in_failed'])
    assert.equal(attacker.cookie, null)
  })

  it('who is a member cannot change any role, including their own', async () => {
    const member = await join(await entered(), 'climber@acme.example', 'member')
    const { user } = await member.arrive()
    await world.markWritten()
    for (const [method, path, body] of [
      ['PATCH', `people/${user.id}`, { role: 'owner' }],
      ['POST', 'invitations', { email: 'climber2@acme.example', role: 'owner' }],
      ['PATCH', 'organization', { name: 'Mine' }],
      ['POST', 'applications', { name: 'Mine', scopes: ['api:read'] }],
    ] as const) {
      assert.deepEqual(refusal(await member.send(method, path, { body })), [403, 'role_required'], path)
    }
    assert.deepEqual(
      (await member.must('POST', 'token', { mode: 'live', manage: true })).scopes.includes('api:manage'),
      false,
    )
    await world.assertWritten({ events: [], audit: [] })
  })
})

/** Sessions: lifetime, cookie rotation and theft, listing and ending. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { limits } from '../../src/api/limits.ts'
import { console_limits } from '../../src/console/limits.ts'
import { insertSession } from '../../src/console/sessions/lifecycle.ts'
import { query } from '../../src/db/query.ts'
import { sweeps } from '../../src/workers/sweeps/sweeps.ts'
import { startSecond } from '../conformance/second-server.ts'
import { openStream } from '../stream.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { join, ownerOf, password, refusal, setCookies, Visitor } from './visitor.ts'

const sessions = query((db) => db.selectFrom('sessions').selectAll())
const cookies = query((db) => db.selectFrom('session_cookies').selectAll())
const tokens = query((db) => db.selectFrom('session_tokens').selectAll())

onEveryWorld('A session', (world) => {
  const owner = openFirst(() => ownerOf(world))

  const signedIn = async (email = 'owner@acme.example'): Promise<Visitor> => {
    const visitor = new Visitor(world.server.url)
    await visitor.signIn(email, password)
    return visitor
  }
  const isOver = async (visitor: Visitor): Promise<boolean> => (await visitor.get('sessions')).status === 401

  it('ends after twelve hours without use, and not before', async () => {
    const visitor = await signedIn()
    world.clock.advance(limits.session_idle_ms - 1)
    assert.equal(await isOver(visitor), false)
    world.clock.advance(limits.session_idle_ms)
    assert.equal(await isOver(visitor), true)
    assert.deepEqual(refusal(await visitor.get('sessions')), [401, 'session_required'])
  })

  it('ends after thirty days, even with constant use', async () => {
    const visitor = await signedIn()
    const step_ms = limits.session_idle_ms / 2
    for (let age = step_ms; age < console_limits.session_ms; age += step_ms) {
      world.clock.advance(step_ms)
      assert.equal(await isOver(visitor), false, `after ${age} ms`)
    }
    world.clock.advance(step_ms)
    assert.equal(await isOver(visitor), true)
  })

  it('renews its cookie after a day of use; the previous one works for 30 s more', async () => {
    const visitor = await signedIn()
    const first = visitor.cookie
    world.clock.advance(limits.session_idle_ms - 1000)
    assert.deepEqual(setCookies(await visitor.get('sessions')), [])
    world.clock.advance(limits.session_idle_ms - 1000)
    assert.deepEqual(setCookies(await visitor.get('sessions')), [])
    world.clock.advance(2000)
    const [, ...others] = await Promise.all([visitor.get('sessions'), visitor.get('sessions'), visitor.get('sessions')])
    assert.notEqual(visitor.cookie, first)
    for (const reply of others) assert.equal(reply.status, 200)
    world.clock.advance(console_limits.session_overlap_ms - 1)
    assert.equal((await visitor.get('sessions', { cookie: first })).status, 200)
    assert.equal((await visitor.get('sessions')).status, 200)
  })

  it('renews its cookie once under concurrent requests', async () => {
    const visitor = await signedIn()
    world.clock.advance(limits.session_idle_ms - 1)
    await visitor.get('sessions')
    world.clock.advance(limits.session_idle_ms - 1)
    await visitor.get('sessions')
    world.clock.advance(2)
    const value = visitor.cookie
    const replies = await Promise.all(Array.from({ length: 8 }, () => visitor.get('sessions', { cookie: value })))
    assert.deepEqual(
      replies.map((reply) => reply.status),
      Array(8).fill(200),
    )
    assert.equal(replies.flatMap(setCookies).length, 1)
  })

  it('ends for thief and owner when a replaced cookie is used', async () => {
    const visitor = await signedIn()
    const thief = new Visitor(world.server.url)
    thief.cookie = visitor.cookie
    const token = await visitor.token()
    await visitor.must('POST', 'step-up', { password })
    assert.equal((await thief.get('sessions')).status, 200, 'within the overlap both cookies are valid')
    world.clock.advance(console_limits.session_overlap_ms)
    assert.equal(await isOver(thief), true)
    assert.equal(await isOver(visitor), true, 'the owner must sign in again')
    assert.equal((await world.get('/v1/me', { key: token })).status, 401)
    const { data } = (await world.get('/v1/audit_logs?action=sessions.delete&limit=1')).body
    assert.deepEqual(
      [data[0].actor, data[0].reason],
      [{ type: 'system', id: 'system' }, 'A replaced cookie was used again.'],
    )
  })

  it('renews its cookie at each step-up, and not for a request that fails it', async () => {
    const visitor = await signedIn()
    const before = visitor.cookie
    const reply = await visitor.post('step-up', { password })
    assert.equal(setCookies(reply).length, 1)
    assert.notEqual(visitor.cookie, before)
    const wrong = await visitor.post('step-up', { password: 'not the password' })
    assert.deepEqual(refusal(wrong), [401, 'sign_in_failed', 'password'])
    assert.deepEqual(setCookies(wrong), [])
  })

  it('passes step-up checks for ten minutes after signing in and after a step-up', async () => {
    const visitor = await signedIn()
    const change = () => visitor.post('passkeys/options', {}, { origin: visitor.origin })
    const isConfirmed = async () => refusal(await change())[1] !== 'step_up_required'
    assert.equal(await isConfirmed(), true)
    world.clock.advance(console_limits.step_up_ms - 1)
    assert.equal(await isConfirmed(), true)
    world.clock.advance(1)
    assert.equal(await isConfirmed(), false)
    const { stepped_up_until } = await visitor.must('POST', 'step-up', { password })
    assert.equal(stepped_up_until, Math.floor((world.clock.now() + console_limits.step_up_ms) / 1000))
    assert.equal(await isConfirmed(), true)
  })

  it('ignores malformed, repeated and differently named cookies', async () => {
    const visitor = await signedIn()
    const value = visitor.cookie
    const headers = (cookie: string) => ({ cookie: null, headers: { cookie } })
    assert.equal((await visitor.get('sessions', headers(`a=b; __Host-atrium=${value}; c=d`))).status, 200)
    for (const cookie of [
      `__Host-atrium=${value}x`,
      `__Host-atrium=`,
      `__Host-atrium=${value}; __Host-atrium=${value}`,
      `atrium=${value}`,
      `x__Host-atrium=${value}`,
    ])
      assert.equal((await visitor.get('sessions', headers(cookie))).status, 401, cookie)
  })

  it('is listed to its own account only, which can end one or all others, with their tokens', async () => {
    const member = await join(await signedIn(), 'lists@acme.example', 'member')
    const [one, two, three] = [member, await signedIn('lists@acme.example'), await signedIn('lists@acme.example')]
    const list = (await one.get('sessions')).body.data
    assert.equal(list.length, 3)
    assert.deepEqual(list.map((each: { current: boolean }) => each.current).filter(Boolean), [true])
    assert.deepEqual(list[0].organization, { id: world.acme.id, name: 'Acme' })
    const twos = (await two.get('sessions')).body.data.find((each: { current: boolean }) => each.current).id
    const token = await two.token()
    const stranger = await signedIn()
    assert.deepEqual(refusal(await stranger.delete(`sessions/${twos}`)), [404, 'resource_not_found', 'id'])
    assert.equal(await isOver(two), false)
    assert.deepEqual(await one.must('DELETE', `sessions/${twos}`), { id: twos, object: 'session', deleted: true })
    assert.equal(await isOver(two), true)
    assert.equal((await world.get('/v1/me', { key: token })).status, 401)
    assert.deepEqual(await one.must('DELETE', 'sessions'), { ended: 1 })
    assert.equal(await isOver(three), true)
    assert.equal(await isOver(one), false)
  })

  it('removes its cookie and ends its streams at sign-out', async () => {
    const visitor = await signedIn()
    const stream = await openStream(world.server.url, await visitor.token(), 'types[]=*')
    await stream.begun()
    const reply = await visitor.delete('session')
    assert.deepEqual(setCookies(reply), ['__Host-atrium=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0'])
    assert.equal(reply.body.signed_in, false)
    assert.equal(await stream.ended, 'end')
  })

  it('ended on one process ends on another within a second, with its tokens', async () => {
    const visitor = await signedIn()
    const token = await visitor.token()
    const second = await startSecond(world)
    try {
      const elsewhere = () => world.get('/v1/me', { key: token })
      assert.equal((await elsewhere()).status, 200)
      const there = new Visitor(second.url)
      there.cookie = visitor.cookie
      await there.arrive()
      await there.must('DELETE', 'session')
      assert.equal(await isOver(visitor), true)
      world.clock.advance(limits.credential_cache_ms)
      assert.equal((await elsewhere()).status, 401)
    } finally {
      await second.close()
    }
  })

  it('ends as the least recently used one when an account exceeds fifty', async () => {
    const first = await join(await signedIn(), 'many@acme.example', 'member')
    const { account, user } = await first.arrive()
    const beginning = {
      account: account.id,
      organization: world.acme.id,
      user: user.id,
      ip: '',
      userAgent: null,
      provider: null,
      idToken: null,
      provedTo: null,
    }
    const { store, sealer, clock } = world.services
    for (let i = 1; i < console_limits.sessions_max; i++) {
      world.clock.advance(1000)
      await store.write('system', (tx) => insertSession(tx, sealer, { ...beginning, confirmed: true }, clock.now()))
    }
    assert.equal(await isOver(first), false)
    const last = await signedIn('many@acme.example')
    assert.equal(await isOver(first), true)
    assert.equal((await last.get('sessions')).body.data.length, console_limits.sessions_max)
  })

  it('is deleted with its cookies and tokens after it has expired', async () => {
    const visitor = await signedIn()
    await visitor.token()
    const sweep = sweeps.find(({ name }) => name === 'session_sweep')
    world.clock.advance(console_limits.session_ms + 1)
    await sweep?.run(world.services, 1000, new AbortController().signal)
    const reader = world.services.store.reader('system')
    for (const all of [sessions, cookies, tokens]) assert.deepEqual(await reader.all(all as never), [])
    assert.equal(owner.cookie !== null && (await isOver(owner)), true)
  })
})

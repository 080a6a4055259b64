/** Sign-in with a password: errors, rate limits, cookie attributes. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { limits } from '../../src/api/limits.ts'
import { console_limits } from '../../src/console/limits.ts'
import { query, rawQuery } from '../../src/db/query.ts'
import { atRealCost } from '../cheap-passwords.ts'
import { startSecond } from '../conformance/second-server.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { join, ownerOf, password, refusal, setCookies, Visitor } from './visitor.ts'

const accounts = query((db) => db.selectFrom('accounts').selectAll())
const failures = query((db) => db.selectFrom('sign_in_failures').selectAll().orderBy('failures'))
const forgetFailures = rawQuery(() => sql`delete from sign_in_failures`)

onEveryWorld('Signing in', (world) => {
  const owner = openFirst(() => ownerOf(world))

  const fresh = async (): Promise<Visitor> => {
    const visitor = new Visitor(world.server.url)
    await visitor.arrive()
    return visitor
  }
  const attempt = (visitor: Visitor, email: string, tried: string) =>
    visitor.post('session', { email, password: tried })
  const reader = () => world.services.store.reader('system')

  it('with the email address in any case and the password starts a session', async () => {
    const visitor = await fresh()
    const reply = await attempt(visitor, ' Owner@ACME.example ', password)
    assert.equal(reply.status, 200)
    const { account, organization, role, has_password, has_passkey, demo } = reply.body
    assert.deepEqual(
      { email: account.email, organization, role, has_password, has_passkey, demo },
      {
        email: 'owner@acme.example',
        organization: { id: world.acme.id, name: 'Acme', plan: 'enterprise' },
        role: 'owner',
        has_password: true,
        has_passkey: false,
        demo: false,
      },
    )
    assert.equal((await visitor.get('session')).body.signed_in, true)
  })

  it('sets a cookie for this host only, hidden from scripts and other sites, with the session’s lifetime', async () => {
    const visitor = await fresh()
    const cookies = setCookies(await attempt(visitor, 'owner@acme.example', password))
    assert.equal(cookies.length, 1)
    assert.match(
      cookies[0] ?? '',
      /^__Host-atrium=[0-9A-Za-z]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=2592000$/,
    )
  })

  it('gives the same error for a wrong password and an unknown address', async () => {
    const visitor = await fresh()
    const wrong = await attempt(visitor, 'owner@acme.example', 'not the password')
    const unknown = await attempt(visitor, 'unknown@acme.example', 'not the password')
    assert.deepEqual(refusal(wrong), [401, 'sign_in_failed'])
    assert.deepEqual({ ...unknown.body.error, request_id: '' }, { ...wrong.body.error, request_id: '' })
    assert.deepEqual([setCookies(wrong), setCookies(unknown)], [[], []])
  })

  it('hashes for an unknown address too, so the time reveals nothing', async () => {
    const visitor = await fresh()
    const spent = async (email: string): Promise<number> => {
      const from = process.cpuUsage()
      await attempt(visitor, email, 'not the password')
      const { user, system } = process.cpuUsage(from)
      return user + system
    }
    const [known, unknown] = await atRealCost(async () => {
      await join(owner, 'costly@acme.example', 'member')
      await spent('warm@acme.example')
      return [await spent('costly@acme.example'), await spent('other.unknown@acme.example')] as const
    })
    // A hash costs tens of milliseconds, the rest of a request one or two.
    assert.ok(unknown > known / 4, `${unknown} µs for an unknown address, ${known} µs for a known one`)
  })

  it('stores a password as Argon2id with its parameters and a random salt', async () => {
    await join(owner, 'salt@acme.example', 'member')
    const hashes = (await reader().all(accounts)).map((row) => row.password_hash)
    const form = /^\$argon2id\$v=19\$m=\d+,t=\d,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/
    for (const hash of hashes) assert.match(hash, form)
    assert.equal(new Set(hashes).size, hashes.length, 'each hash has its own salt')
  })

  it('accepts the same password in another Unicode form', async () => {
    const visitor = await fresh()
    const reply = await attempt(visitor, 'owner@acme.example', 'ａ horse that reads')
    assert.equal(reply.status, 200)
  })

  it('limits an account to ten failures over all IP addresses and processes, and says when to retry', async () => {
    await join(owner, 'target@acme.example', 'member')
    const second = await startSecond(world)
    try {
      const visitors = [await fresh(), new Visitor(second.url)] as const
      await visitors[1].arrive()
      for (let i = 0; i < console_limits.sign_in_account_failures_max; i++) {
        assert.deepEqual(refusal(await attempt(visitors[i % 2] as Visitor, 'target@acme.example', `wrong ${i}`)), [
          401,
          'sign_in_failed',
        ])
      }
      for (const visitor of visitors) {
        const reply = await attempt(visitor, 'target@acme.example', password)
        assert.deepEqual(refusal(reply), [429, 'too_many_attempts'])
        assert.equal(reply.headers['retry-after'], '900')
      }
      assert.equal(
        (await attempt(visitors[1], 'owner@acme.example', password)).status,
        200,
        'another account is not limited',
      )
      world.clock.advance(limits.sign_in_window_ms)
      assert.equal((await attempt(visitors[0], 'target@acme.example', password)).status, 200)
    } finally {
      await second.close()
    }
  })

  it('counts an attempt before verifying it, so concurrent attempts cannot pass the limit', async () => {
    await join(owner, 'burst@acme.example', 'member')
    const visitor = await fresh()
    const replies = await Promise.all(
      Array.from({ length: 25 }, (_, i) => attempt(visitor, 'burst@acme.example', `wrong ${i}`)),
    )
    const statuses = replies.map((reply) => reply.status).sort()
    assert.deepEqual(statuses, [...Array(10).fill(401), ...Array(15).fill(429)])
  })

  it('does not count as a failure, however often', async () => {
    await join(owner, 'clumsy@acme.example', 'member')
    const visitor = await fresh()
    for (let i = 0; i < console_limits.sign_in_account_failures_max - 1; i++)
      await attempt(visitor, 'clumsy@acme.example', 'no')
    for (let i = 0; i < 3; i++) assert.equal((await attempt(visitor, 'clumsy@acme.example', password)).status, 200)
  })

  it('limits an IP address to fifty failures over all accounts', async () => {
    await world.services.store.write('system', async (tx) => tx.write(forgetFailures))
    const visitor = await fresh()
    const tries = Array.from(
      { length: console_limits.sign_in_address_failures_max },
      (_, i) => `guess${i}@acme.example`,
    )
    for (const email of tries) assert.equal((await attempt(visitor, email, 'wrong')).status, 401)
    const reply = await attempt(visitor, 'owner@acme.example', password)
    assert.deepEqual(refusal(reply), [429, 'too_many_attempts'])
    world.clock.advance(limits.sign_in_window_ms)
    assert.equal((await attempt(visitor, 'owner@acme.example', password)).status, 200)
  })

  it('stores digests, not the entered addresses, to count failures', async () => {
    await attempt(await fresh(), 'my secret typed into the wrong field', 'wrong')
    const rows = await reader().all(failures)
    assert.ok(rows.length > 0)
    for (const row of rows) assert.match(row.subject, /^[0-9a-f]{64}$/)
  })

  it('ends the browser’s previous session', async () => {
    const visitor = await fresh()
    await attempt(visitor, 'owner@acme.example', password)
    const token = await visitor.token()
    await attempt(visitor, 'owner@acme.example', password)
    assert.equal((await world.get('/v1/me', { key: token })).status, 401)
  })

  it('is refused over plain HTTP from another machine, and the session says so', async () => {
    const second = await startSecond(world, { ATRIUM_PUBLIC_URL: 'http://atrium.example' })
    try {
      const visitor = new Visitor(second.url, 'http://atrium.example')
      assert.equal((await visitor.arrive()).secure, false)
      const reply = await attempt(visitor, 'owner@acme.example', password)
      assert.deepEqual(refusal(reply), [403, 'https_required'])
      assert.match(reply.body.error.message, /ATRIUM_PUBLIC_URL/)
    } finally {
      await second.close()
    }
  })

  it('uses the client address from an HTTPS proxy, and from no other peer', async () => {
    const second = await startSecond(world, { ATRIUM_PUBLIC_URL: 'https://atrium.example' })
    try {
      const behind = new Visitor(second.url, 'https://atrium.example')
      const headers = { 'x-forwarded-for': '192.0.2.1, 203.0.113.9' }
      await behind.arrive()
      await behind.post('session', { email: 'owner@acme.example', password }, { headers })
      assert.equal((await behind.get('sessions')).body.data[0].ip, '203.0.113.9')
      const direct = await fresh()
      await direct.post('session', { email: 'owner@acme.example', password }, { headers })
      assert.equal((await direct.get('sessions')).body.data[0].ip, '127.0.0.1')
    } finally {
      await second.close()
    }
  })
})

/** Notices of browsers: what is shown to whom, when, once, through a push service that decrypts them. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { join, ownerOf, password, refusal, type Visitor } from '../../test/console/visitor.ts'
import { onEveryEngine } from '../../test/engines.ts'
import { fillInboxes } from '../../test/inbox.ts'
import { PushServer } from '../../test/push-server.ts'
import { openWorld, type World } from '../../test/world.ts'
import { limits } from '../api/limits.ts'
import { query } from '../db/query.ts'
import type { PushKeyRow, PushRow, PushSubscriptionRow } from '../db/schema.ts'
import { day_ms, hour_ms, second_ms } from '../lib/units.ts'
import { rebuildInbox } from '../notifications/follow.ts'
import { inbox_limits } from '../notifications/limits.ts'
import { setOrganization } from '../resources/organizations/write.ts'
import { pushWorker } from './push.ts'
import { sessionSweep } from './sweeps/sessions.ts'

const allPushes = query<PushRow, { realm: number }>((db, p) =>
  db.selectFrom('pushes').selectAll().where('realm', '=', p('realm')).orderBy('created').orderBy('id'),
)
const allSubscriptions = query<PushSubscriptionRow>((db) => db.selectFrom('push_subscriptions').selectAll())
const keys = query<PushKeyRow>((db) => db.selectFrom('push_keys').selectAll())

onEveryEngine('notices of browsers', (engine) => {
  let service: PushServer
  let world: World
  let owner: Visitor
  let ben: Visitor
  let benUser: string
  let workspace: string

  before(async () => {
    service = await PushServer.open()
    world = await openWorld(engine, { environment: { ATRIUM_VAPID_SUBJECT: 'mailto:admin@acme.example' } })
    owner = await ownerOf(world)
    ben = await join(owner, 'ben@acme.example', 'member')
    benUser = (await ben.must('GET', 'session')).user.id
    workspace = (await world.make('/v1/workspaces', { title: 'Bugs' })).id
    await subscribe('phone')
  })
  after(async () => {
    await world.close()
    await service.close()
  })

  const subscribe = (name: string, visitor = ben) => visitor.must('POST', 'push-subscriptions', service.subscribe(name))
  const run = () => pushWorker.run(world.services, pushWorker.batch_max, new AbortController().signal)
  /** Writes entries, sends what is due, and returns what browsers have shown. */
  async function send(): Promise<ReturnType<PushServer['take']>> {
    await fillInboxes(world.services)
    while ((await run()) > 0);
    return service.take()
  }
  const reader = () => world.services.store.reader('system')
  const pushes = () => reader().all(allPushes, { realm: world.acme.realms.live })
  const newest = async () => (await pushes()).at(-1) as PushRow
  const listed = async (visitor = ben) => (await visitor.must('GET', 'push-subscriptions')).data.length
  const task = (fields: object = {}) =>
    world.make('/v1/tasks', { workspace, title: 'It crashes', assignee: benUser, ...fields })

  it('an assignment is shown once, encrypted for the browser and signed with the key it subscribed to', async () => {
    const { public_key } = await ben.must('GET', 'push-subscriptions')
    const { key, id } = await task()
    const [shown, ...others] = await send()
    assert.deepEqual(others, [])
    assert.equal(shown?.title, `${key} It crashes`)
    assert.match(shown?.body ?? '', /assigned this task to you\.$/)
    assert.equal(shown?.path, `/work/tasks/${key}?organization=${world.acme.id}`)
    assert.deepEqual([shown?.key, shown?.claims.sub, shown?.ttl], [public_key, 'mailto:admin@acme.example', '86400'])
    assert.match(shown?.topic ?? '', /^[\w-]{32}$/)
    assert.equal(shown?.tag, shown?.topic)
    assert.ok(!shown?.topic.includes(id))
    await world.services.store.write('system', (tx) => rebuildInbox(tx, world.acme.realms.live))
    assert.deepEqual(await send(), [], 'a rebuild shows nothing again')
  })

  it('the addresses and keys of browsers, and the private key, are not stored in the clear', async () => {
    const [row] = await reader().all(allSubscriptions)
    assert.match(row?.target ?? '', /^v1\./)
    const [pair, ...others] = await reader().all(keys)
    assert.deepEqual(others, [])
    assert.match(pair?.private_key ?? '', /^v1\./)
  })

  it('a device gets one notice per task: later ones have its topic; each browser of the person gets its own', async () => {
    await subscribe('desk')
    const { id, key } = await task({ title: 'Discussed' })
    const first = await send()
    assert.deepEqual(
      first.map(({ browser }) => browser),
      ['desk', 'phone'],
    )
    await world.make(`/v1/tasks/${id}/comments`, { workspace, body: `It is **worse**.\n\n${'x'.repeat(2000)}` })
    const second = await send()
    assert.deepEqual(
      second.map(({ topic, title }) => [topic, title]),
      first.map(({ topic, title }) => [topic, title]),
    )
    assert.equal(first[0]?.title, `${key} Discussed`)
    assert.equal([...(second[0]?.body ?? '')].length, inbox_limits.push_body_chars_max)
    const other = await task({ title: 'Other' })
    const [third] = await send()
    assert.notEqual(third?.topic, first[0]?.topic)
    assert.ok(other.key !== key)
    const { data } = await ben.must('GET', 'push-subscriptions')
    await ben.must('DELETE', `push-subscriptions/${data[0].id}`)
  })

  it('what was read or switched off is not shown, nor test data, nor an own act', async () => {
    const { id } = await task({ title: 'Read at once' })
    await fillInboxes(world.services)
    const { secret: key } = await world.key({ owner: { type: 'user', id: benUser } })
    await world.make('/v1/notifications/read_all', { subject: id }, { key })
    assert.deepEqual(await send(), [])
    await ben.must('PATCH', 'preferences', { push: { assigned: false } })
    await task()
    assert.deepEqual(await send(), [])
    await ben.must('PATCH', 'preferences', { push: { assigned: true } })
    const trial = (await world.make('/v1/workspaces', { title: 'Trial' }, { key: world.acme.testKey })).id
    await world.make('/v1/tasks', { workspace: trial, title: 'x', assignee: benUser }, { key: world.acme.testKey })
    await world.make('/v1/tasks', { workspace, title: 'Mine', assignee: benUser }, { key })
    assert.deepEqual(await send(), [])
  })

  it('quiet hours hold a notice back until they are over', async () => {
    const noon = Math.ceil(world.clock.now() / day_ms) * day_ms + 12 * hour_ms
    world.clock.set(noon)
    await ben.signIn('ben@acme.example', password)
    await ben.must('PATCH', 'preferences', { time_zone: 'UTC', quiet_from: 11 * 60, quiet_to: 14 * 60 })
    await task({ title: 'Quiet' })
    assert.deepEqual(await send(), [])
    world.clock.set(noon + 2 * hour_ms - 1)
    assert.deepEqual(await send(), [])
    world.clock.set(noon + 2 * hour_ms)
    assert.equal((await send()).length, 1)
    await ben.must('PATCH', 'preferences', { quiet_from: null, quiet_to: null })
  })

  it('a failure is tried again after growing waits or what the service asks for, and is dead in the end', async () => {
    service.refusal = { status: 500 }
    await task({ title: 'Later' })
    await send()
    let push = await newest()
    assert.deepEqual([push.status, push.due_at - world.clock.now()], ['due', inbox_limits.push_first_wait_ms])
    service.refusal = { status: 429, retryAfter: '3600' }
    world.clock.set(push.due_at)
    await send()
    push = await newest()
    assert.deepEqual([push.status, push.due_at - world.clock.now()], ['due', 3600 * second_ms])
    service.refusal = { status: 503, retryAfter: '1' }
    while (push.status === 'due') {
      world.clock.set(push.due_at)
      await send()
      push = await newest()
    }
    assert.deepEqual([push.status, push.attempts], ['dead', inbox_limits.push_attempts_max])
    assert.equal(push.error, 'the push service answered 503')
    service.refusal = { status: 413 }
    await task({ title: 'Never' })
    await send()
    push = await newest()
    assert.deepEqual([push.status, push.attempts, await listed()], ['dead', 1, 1])
    service.refusal = null
    assert.deepEqual(service.take(), [])
  })

  it(`a notice whose process ended is sent again with the same topic, up to ${inbox_limits.push_repeats_max} times`, async () => {
    await fillInboxes(world.services)
    /** Sends, and ends before it can record that. */
    const killed = async () => {
      const mortal = { ...world.services, store: withoutWritesAfter(world.services.store, 1) }
      await assert.rejects(pushWorker.run(mortal, 1, new AbortController().signal), /killed/)
      const shown = service.take()
      assert.deepEqual(await send(), [], 'the lease still holds')
      world.clock.advance(inbox_limits.push_lease_ms)
      return shown.map(({ topic }) => topic)
    }
    await task({ title: 'Killed twice' })
    await fillInboxes(world.services)
    const first = await killed()
    assert.deepEqual([first.length, await killed()], [1, first])
    assert.deepEqual(
      (await send()).map(({ topic }) => topic),
      first,
    )
    let last = await newest()
    assert.deepEqual([last.status, last.uncertain], ['sent', 2])
    await task({ title: 'Always killed' })
    await fillInboxes(world.services)
    for (let i = 0; i <= inbox_limits.push_repeats_max; i++) assert.equal((await killed()).length, 1)
    assert.deepEqual(await send(), [])
    last = await newest()
    assert.deepEqual([last.status, last.uncertain], ['dead', inbox_limits.push_repeats_max + 1])
    assert.equal(last.error, `its process ended ${last.uncertain} times while it sent this push`)
  })

  for (const status of [404, 410]) {
    it(`a browser whose service answers ${status} loses its subscription`, async () => {
      await subscribe(`gone-${status}`)
      const before = await listed()
      service.refusal = { status }
      await task({ title: 'Gone' })
      await send()
      service.refusal = null
      assert.deepEqual([(await newest()).status, await listed()], ['dropped', before - 2], 'both browsers are gone')
      await subscribe('phone')
      await task({ title: 'Back' })
      assert.deepEqual(
        (await send()).map(({ browser }) => browser),
        ['phone'],
      )
    })
  }

  it('a browser gets notices as long as the session of its person can last, also unused, and again after the next sign-in there', async () => {
    await ben.signIn('ben@acme.example', password)
    const [phone] = (await ben.must('GET', 'push-subscriptions')).data
    await ben.must('POST', `push-subscriptions/${phone.id}/keep`)
    const { expires_at } = (await ben.must('GET', 'session')).session
    world.clock.advance(limits.session_idle_ms)
    await task({ title: 'Away' })
    assert.equal((await send()).length, 1)
    world.clock.set(expires_at * second_ms - 1)
    await task({ title: 'In time' })
    assert.equal((await send()).length, 1)
    world.clock.advance(1)
    await task({ title: 'Expired' })
    assert.deepEqual(await send(), [])
    await sessionSweep.run(world.services, sessionSweep.batch_max, new AbortController().signal)
    await task({ title: 'Removed' })
    assert.deepEqual([await send(), (await newest()).status], [[], 'dropped'])
    await ben.signIn('ben@acme.example', password)
    await ben.must('POST', `push-subscriptions/${phone.id}/keep`)
    await task({ title: 'Signed in again' })
    assert.deepEqual(
      (await send()).map(({ browser }) => browser),
      ['phone'],
    )
    await owner.signIn('owner@acme.example', password)
    const wrong = refusal(await owner.send('POST', `push-subscriptions/${phone.id}/keep`))
    assert.deepEqual(wrong, [404, 'resource_not_found', 'id'])
    await ben.must('DELETE', `push-subscriptions/${phone.id}`)
    assert.deepEqual(refusal(await ben.send('POST', `push-subscriptions/${phone.id}/keep`)), wrong)
    await subscribe('phone')
  })

  it('a browser gets none while its session has to prove a second factor, and gets them afterwards', async () => {
    await setOrganization(world.services, world.acme.id, { second_factor_required: true })
    await task({ title: 'Protected' })
    assert.deepEqual([await send(), (await newest()).status], [[], 'dropped'])
    await ben.must('POST', 'step-up', { password })
    const { secret, set_up } = await ben.must('POST', 'second-factor/authenticator/options', {})
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: world.clock.now() })
    await ben.must('POST', 'second-factor/authenticator', { set_up, code })
    await task({ title: 'Proved' })
    assert.deepEqual(
      (await send()).map(({ browser }) => browser),
      ['phone'],
    )
    await setOrganization(world.services, world.acme.id, { second_factor_required: false })
    await ben.must('DELETE', 'second-factor/authenticator')
  })

  it('a browser is one person’s: another person who subscribes takes it over; the oldest of too many ends', async () => {
    await owner.signIn('owner@acme.example', password)
    const browser = service.subscribe('shared')
    await ben.must('POST', 'push-subscriptions', browser)
    const before = await listed()
    const { id } = await owner.must('POST', 'push-subscriptions', browser)
    assert.deepEqual([await listed(), await listed(owner)], [before - 1, 1])
    assert.deepEqual(refusal(await ben.delete(`push-subscriptions/${id}`)), [404, 'resource_not_found', 'id'])
    for (let i = 0; i < inbox_limits.inbox_subscriptions_max; i++) {
      world.clock.advance(1)
      await subscribe(`many-${i}`)
    }
    assert.equal(await listed(), inbox_limits.inbox_subscriptions_max)
    await task({ title: 'To all' })
    const names = (await send()).map(({ browser: name }) => name)
    assert.deepEqual([names.length, names.includes('phone')], [inbox_limits.inbox_subscriptions_max, false])
  })

  it('signing out ends the notices of the browser; private addresses and wrong keys are refused', async () => {
    const subscription = service.subscribe('refused')
    for (const [param, wrong] of [
      ['endpoint', { endpoint: 'http://10.0.0.1/push' }],
      ['endpoint', { endpoint: 'not a url' }],
      ['p256dh', { p256dh: Buffer.alloc(65, 4).toString('base64url') }],
      ['auth', { auth: 'AAAA' }],
    ] as const) {
      const reply = await ben.post('push-subscriptions', { ...subscription, ...wrong })
      assert.deepEqual(refusal(reply), [400, 'invalid_request_body', param])
    }
    await ben.must('DELETE', 'session')
    await ben.signIn('ben@acme.example', password)
    assert.equal(await listed(), 0)
    const asked = service.asked
    await task({ title: 'Silence' })
    assert.deepEqual([await send(), service.asked], [[], asked])
  })
})

class Killed extends Error {
  override message = 'killed'
}

/** A store that ends the process instead of committing more than `count` writes. */
function withoutWritesAfter(store: World['services']['store'], count: number): World['services']['store'] {
  let left = count
  const write: World['services']['store']['write'] = async (scope, job) => {
    if (left-- <= 0) throw new Killed()
    return await store.write(scope, job)
  }
  return Object.assign(Object.create(store), { write })
}

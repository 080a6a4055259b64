import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { assertRefused } from '../../../test/conformance/answers.ts'
import { answer, openReceiver, type Receiver } from '../../../test/receiver.ts'
import { onEveryWorld } from '../../../test/world.ts'
import { limits } from '../../api/limits.ts'
import { type Placeholder, query } from '../../db/query.ts'
import { idTime, newId } from '../../lib/ids.ts'
import { drainDeliveries } from '../../workers/deliveries/deliveries.ts'
import { sweeps } from '../../workers/sweeps/sweeps.ts'

const forgetScopes = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db.updateTable('webhook_endpoints').set({ scopes: null }).where('realm', '=', p('realm')).where('id', '=', p('id')),
)

onEveryWorld('events', (world) => {
  let receiver: Receiver
  let workspace: string
  before(async () => {
    // Ids never go back within a process, and their time decides the end of retention.
    world.clock.set(idTime(newId('evt', world.clock.now())))
    receiver = await openReceiver()
    workspace = (await world.make('/v1/workspaces', { title: 'Events' })).id
  })
  after(() => receiver.close())

  const task = (title = 'Ship it') => world.make('/v1/tasks', { workspace, title })
  const newest = async () => (await world.get('/v1/events?limit=1')).body.data[0]
  const endpoint = (body: object = {}) =>
    world.make('/v1/webhook_endpoints', { url: receiver.url, event_types: ['*'], ...body })

  it('the list is paged newest first without gaps during writes', async () => {
    for (let i = 0; i < 5; i++) await task(`${i}`)
    const top = (await newest()).sequence
    const sequences: number[] = []
    let next = ''
    do {
      const page = (await world.get(`/v1/events?limit=3${next}`)).body
      sequences.push(...page.data.map((event: { sequence: number }) => event.sequence))
      next = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`
      await task('meanwhile')
    } while (next !== '')
    assert.deepEqual(
      sequences,
      Array.from({ length: top }, (_, i) => top - i),
    )
  })

  it('an event is shown as in the list, with a row for each existing endpoint and the reason for skipping', async () => {
    const wanting = await endpoint()
    const uninterested = await endpoint({ event_types: ['workflow.comment.*'] })
    const paused = await endpoint()
    const own = await endpoint({ exclude_own_events: true })
    await world.patch(`/v1/webhook_endpoints/${paused.id}`, { status: 'paused' })
    await task()
    const event = await newest()
    const before_ = (await world.get(`/v1/events/${event.id}`)).body
    const { deliveries, ...shown } = before_
    assert.deepEqual(shown, event)
    const row = (id: string, status: string, skip_reason: string | null) => ({
      ...{
        id: null,
        object: 'delivery',
        webhook_endpoint: id,
        status,
        skip_reason,
        next_attempt_at: null,
        attempts: [],
      },
    })
    assert.deepEqual(deliveries, [
      row(wanting.id, 'pending', null),
      row(uninterested.id, 'skipped', 'not_subscribed'),
      row(paused.id, 'skipped', 'endpoint_paused'),
      row(own.id, 'skipped', 'own_event'),
    ])
    await drainDeliveries(world.services)
    const later = (await world.get(`/v1/events/${event.id}`)).body.deliveries
    assert.deepEqual(
      later.map((each: { status: string; attempts: unknown[] }) => [each.status, each.attempts.length]),
      [
        ['succeeded', 1],
        ['skipped', 0],
        ['skipped', 0],
        ['skipped', 0],
      ],
    )
  })

  it('one about an object that the credential may not read shows only its id and kind, wherever events are shown', async () => {
    const { secret: key } = await world.key({ scopes: ['api:read', 'api:manage', 'tasks:read', 'billing:write'] })
    const other = await openReceiver()
    const types = ['workflow.task.*', 'workflow.expense.*']
    const hook = await world.make('/v1/webhook_endpoints', { url: other.url, event_types: types }, { key })
    const shipped = await task('Visible')
    const money = {
      workspace,
      category: 'travel',
      expense_date: '2026-08-01',
      currency: 'EUR',
      gross_amount_minor: 1999,
    }
    const expense = await world.make('/v1/expenses', money)
    await world.patch(`/v1/expenses/${expense.id}`, { gross_amount_minor: 2999 })
    assertRefused(await world.get(`/v1/expenses/${expense.id}`, { key }), 'insufficient_scope')
    const hidden = { object: { id: expense.id, object: 'expense' }, previous_attributes: null }
    const { data } = (await world.get('/v1/events?limit=3', { key })).body
    assert.deepEqual(
      data.map((event: { data: object }) => event.data),
      [hidden, hidden, { object: shipped, previous_attributes: null }],
    )
    const [updated] = data
    assert.deepEqual((await world.get(`/v1/events/${updated.id}`, { key })).body.data, hidden)
    await drainDeliveries(world.services)
    assert.deepEqual(
      other.events.map(({ event }) => event.data),
      [{ object: shipped, previous_attributes: null }, hidden, hidden],
    )
    for (const action of ['resend', 'replay']) {
      const { body } = await world.post(`/v1/events/${updated.id}/${action}`, undefined, { key })
      assert.deepEqual(body.data, hidden)
    }
    const dry = await world.delete(`/v1/expenses/${expense.id}`, { key, headers: { prefer: 'dry-run' } })
    assert.deepEqual(dry.body.events[0].data, hidden)
    const full = (await world.get(`/v1/events/${updated.id}`)).body
    assert.deepEqual(
      [full.data.object.gross_amount_minor, full.data.previous_attributes.gross_amount_minor],
      [2999, 1999],
    )
    await world.delete(`/v1/webhook_endpoints/${hook.id}`)
    await other.close()
  })

  it('an endpoint keeps the scopes of the credential that made it; one from before shows everything', async () => {
    const { secret: key } = await world.key({ scopes: ['api:manage'] })
    const other = await openReceiver()
    const hook = await world.make(
      '/v1/webhook_endpoints',
      { url: other.url, event_types: ['workflow.task.created'] },
      { key },
    )
    await world.patch(`/v1/webhook_endpoints/${hook.id}`, { event_types: ['workflow.task.*'] })
    const unseen = await task()
    await drainDeliveries(world.services)
    await world.services.store.write('system', async (tx) =>
      tx.write(forgetScopes, { realm: world.acme.realms.live, id: hook.id }),
    )
    const seen = await task()
    await drainDeliveries(world.services)
    assert.deepEqual(
      other.events.map(({ event }) => event.data.object),
      [{ id: unseen.id, object: 'task' }, seen],
    )
    await world.delete(`/v1/webhook_endpoints/${hook.id}`)
    await other.close()
  })

  it('the newest fifty attempts are shown', async () => {
    const { id } = await endpoint({ event_types: ['workflow.task.created'] })
    receiver.respond = answer(500)
    await task()
    const event = await newest()
    await drainDeliveries(world.services)
    for (let i = 0; i < 52; i++) {
      await world.post(`/v1/events/${event.id}/resend`)
      await drainDeliveries(world.services)
    }
    receiver.respond = answer(204)
    const { deliveries } = (await world.get(`/v1/events/${event.id}`)).body
    const { attempts } = deliveries.find((row: { webhook_endpoint: string }) => row.webhook_endpoint === id)
    assert.deepEqual([attempts.length, attempts[0].number, attempts.at(-1).number], [50, 4, 53])
  })

  it('unknown and foreign events answer 404 to every operation', async () => {
    const event = await newest()
    for (const [id, key] of [
      [newId('evt', world.clock.now()), world.acme.key],
      ['evt_none', world.acme.key],
      ['a%00b', world.acme.key],
      [event.id, world.globex.key],
      [event.id, world.acme.testKey],
    ] as const) {
      assertRefused(await world.get(`/v1/events/${id}`, { key }), 'resource_not_found')
      assertRefused(await world.post(`/v1/events/${id}/resend`, undefined, { key }), 'resource_not_found')
      assertRefused(await world.post(`/v1/events/${id}/replay`, undefined, { key }), 'resource_not_found')
    }
  })

  it('after thirty days events answer 410 and are not listed; sweeps remove exactly them and their deliveries', async () => {
    const old = await newest()
    world.clock.advance(limits.event_retention_ms - 1)
    assert.equal((await world.get(`/v1/events/${old.id}`)).status, 200)
    await task('young')
    await drainDeliveries(world.services)
    const young = await newest()
    // An id may run ahead of its second's milliseconds.
    world.clock.advance(1000)
    for (const reply of [
      await world.get(`/v1/events/${old.id}`),
      await world.post(`/v1/events/${old.id}/resend`),
      await world.post(`/v1/events/${old.id}/replay`),
    ]) {
      assertRefused(reply, 'resource_deleted')
    }
    const listed = (await world.get('/v1/events?limit=100')).body.data
    assert.deepEqual(
      listed.map((event: { id: string }) => event.id),
      [young.id],
    )
    // A process whose clock is behind may still show events that are past retention here.
    world.clock.advance(limits.clocks_apart_ms)
    for (const name of ['webhook_attempt_sweep', 'webhook_delivery_sweep', 'event_sweep']) {
      const sweep = sweeps.find((worker) => worker.name === name)
      while ((await sweep?.run(world.services, 1000, new AbortController().signal)) !== 0);
    }
    const { realms } = world.acme
    const left = async (table: 'events' | 'webhook_deliveries' | 'webhook_attempts') => {
      const rows = await world.services.store.reader('system').all(
        query((db, p: Placeholder<{ realm: number }>) =>
          db
            .selectFrom(table)
            .select((eb) => eb.fn.countAll<number>().as('count'))
            .where('realm', '=', p('realm')),
        ),
        { realm: realms.live },
      )
      return rows[0]?.count
    }
    const endpoints = (await world.get(`/v1/events/${young.id}`)).body.deliveries
    const tried = endpoints.filter((row: { status: string }) => row.status === 'succeeded').length
    assert.deepEqual(
      [await left('events'), await left('webhook_deliveries'), await left('webhook_attempts')],
      [1, tried, tried],
    )
    assertRefused(await world.get(`/v1/events/${old.id}`), 'resource_deleted')
  })
})

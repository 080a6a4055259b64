/** Events in the store: no gap, one per changed object, each with exactly what a GET shows (contract/10). */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Operation } from '../../src/api/declare/operation.ts'
import { catalogue } from '../../src/catalogue.ts'
import { type Placeholder, query } from '../../src/db/query.ts'
import type { EventRow } from '../../src/db/schema.ts'
import { populate, sendCall, urlOf } from '../things.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { addDependents, changedBetween, objectsOf } from './rows.ts'

const eventsAfter = query((db, p: Placeholder<{ realm: number; sequence: number }>) =>
  db
    .selectFrom('events')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('sequence', '>', p('sequence'))
    .orderBy('sequence'),
)

const lastEvent = query((db, p: Placeholder<{ realm: number }>) =>
  db.selectFrom('event_heads').select('sequence').where('realm', '=', p('realm')),
)

interface StoredEvent {
  readonly row: EventRow
  readonly object: Record<string, unknown> & { id: string; object: string; workspace?: string }
  readonly previous: Record<string, unknown> | null
}

/** The operation that reads the object of an event: its GET, else its list. */
function readerOf(object: StoredEvent['object']): { operation: Operation; path: string } | null {
  const operation =
    catalogue.find((each) => each.kind === 'read' && each.target?.object === object.object) ??
    catalogue.find((each) => each.kind === 'list' && each.lists?.object === object.object)
  if (operation === undefined) return null
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)]
  const own = operation.kind === 'read' ? object.id : undefined
  // An object names its parent in the field of that noun; a dependency in `from`.
  const outer = operation.parent === null ? undefined : (object[operation.parent.object] ?? object.from)
  let n = 0
  const path = operation.path.replaceAll(/\{\w+\}/g, () => String(++n === names.length ? (own ?? outer) : outer))
  return { operation, path }
}

/** An object without what its events leave out: a URL that grants access, and what only an answer collects. */
function asInEvents<T extends object | null>(object: T): T {
  return (object as { object?: unknown } | null)?.object === 'file' ? { ...object, url: null, attached_to: [] } : object
}

onEveryWorld('events', (world) => {
  const things = openFirst(() => populate(world))

  const head = async (realm = world.acme.realms.live) =>
    (await world.services.store.reader('system').first(lastEvent, { realm }))?.sequence ?? 0

  async function since(sequence: number, realm = world.acme.realms.live): Promise<StoredEvent[]> {
    const rows = await world.services.store.reader('system').all(eventsAfter, { realm, sequence })
    return rows.map((row) => {
      const data = JSON.parse(row.data)
      return { row, object: data.object, previous: data.previous_attributes }
    })
  }

  /** The object as GET shows it now; `null` if it does not exist. */
  async function shown(object: StoredEvent['object']): Promise<object | null> {
    const reader = readerOf(object)
    if (reader === null) return object
    const { operation, path } = reader
    const required = Object.entries(operation.query).filter(([, parameter]) => parameter.required)
    const search =
      operation.kind === 'list' ? 'limit=100' : required.map(([name]) => `${name}=${object[name]}`).join('&')
    const reply = await things.send('GET', `${path}?${search}`)
    if (reply.status === 404 || reply.status === 410) return null
    assert.equal(reply.status, 200, `${path}: ${reply.text}`)
    if (operation.kind === 'read') return reply.body
    return reply.body.data.find((item: { id: string }) => item.id === object.id) ?? null
  }

  for (const operation of catalogue.filter((each) => each.kind === 'write')) {
    it(`of ${operation.id} show each changed object once, as GET does, in one commit`, async () => {
      const call = await things.call(operation)
      if (operation.target !== null) {
        await addDependents(things, operation.target.object, Object.values(call.params).at(-1) as string)
      }
      const before = await head()
      const objects = await objectsOf(world, world.acme.realms.live)
      const known = new Map<string, object | null>()
      const target = operation.target === null ? null : await readTarget(operation, call.params)
      if (target !== null) known.set((target as { id: string }).id, asInEvents(target))
      const idempotencyKey = `event-${operation.id}`
      const reply = await sendCall(things, call, { idempotencyKey })
      assert.equal(reply.status, 200, reply.text)
      const emitted = await since(before)
      assert.equal(
        emitted.length > 0,
        operation.emits.length > 0,
        `${operation.id} emits no event although it declares some, or the other way round. Correct its \`emits\`.`,
      )
      const declared = operation.emits.map((event) => event.type)
      for (const [i, { row, object, previous }] of emitted.entries()) {
        const about = `${row.type} ${JSON.stringify(object).slice(0, 200)}`
        assert.ok(
          declared.includes(row.type as never),
          `${operation.id} emitted ${row.type}, which it does not declare. Add it to its \`emits\`.`,
        )
        assert.deepEqual(
          [row.sequence, row.commit_index, row.commit_size, row.commit_id],
          [before + 1 + i, i, emitted.length, emitted[0]?.row.commit_id],
        )
        assert.deepEqual([row.object, row.object_id], [object.object, object.id])
        assert.deepEqual(
          [row.actor_type, row.actor_id, row.credential],
          ['api_key', world.acme.keyId, world.acme.keyId],
        )
        assert.deepEqual([row.request, row.idempotency_key], [reply.headers['x-request-id'], idempotencyKey])
        assert.equal(row.workspace, object.object === 'workspace' ? object.id : (object.workspace ?? null))
        assert.equal(row.created, world.clock.now())
        const now = asInEvents(await shown(object))
        if (row.type.endsWith('.deleted')) {
          assert.equal(previous, null, about)
          // A deleted board is archived and stays readable.
          assert.equal(now === null, object.object !== 'board', about)
          if (known.has(object.id)) assert.deepEqual(object, known.get(object.id), about)
        } else {
          // The same bytes: fields in the same order.
          assert.equal(JSON.stringify(object), JSON.stringify(now), about)
          checkPrevious(row.type, object, previous, known.get(object.id))
        }
      }
      const changed = changedBetween(objects, await objectsOf(world, world.acme.realms.live))
      assert.deepEqual(
        emitted.map((each) => each.object.id).sort(),
        changed.sort(),
        `${operation.id} must call emit() exactly once for each object that it changes.`,
      )
      if (
        reply.body.object !== 'list' &&
        reply.body.deleted === undefined &&
        emitted[0] !== undefined &&
        emitted[0].object.id === reply.body.id
      ) {
        const { secret: _secret, signing_secret: _signing, ...answered } = reply.body
        assert.deepEqual(emitted[0].object, asInEvents(answered))
      }
    })
  }

  async function readTarget(operation: Operation, params: Readonly<Record<string, string>>): Promise<object | null> {
    const reads = catalogue.find((each) => each.kind === 'read' && each.target?.object === operation.target?.object)
    if (reads === undefined) return null
    const names = [...reads.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string)
    const values = Object.values(params)
    const filled = Object.fromEntries(
      names.map((name, i) => [name, values[values.length - names.length + i] as string]),
    )
    const reply = await things.send('GET', urlOf({ operation: reads, params: filled, query: {} }))
    return reply.status === 200 ? reply.body : null
  }

  function checkPrevious(
    type: string,
    object: object,
    previous: StoredEvent['previous'],
    was: object | null | undefined,
  ): void {
    // A run has no revision and begins in the queue.
    const begins = type.endsWith('.created') || type === 'automation.run.queued'
    const isNew = begins || (object as { revision?: number }).revision === 1
    if (isNew || type.endsWith('.deleted')) {
      assert.equal(previous, null, type)
      return
    }
    assert.ok(previous !== null && Object.keys(previous).length > 0, type)
    for (const name of Object.keys(previous)) {
      assert.notDeepEqual(previous[name], (object as Record<string, unknown>)[name], `${type}: ${name} did not change`)
    }
    if (was)
      assert.deepEqual(
        { ...object, ...previous },
        was,
        `${type}: previous_attributes must lead back to the state before`,
      )
  }

  it('are numbered without gap per realm, in commit order, under concurrent writes', async () => {
    const realms = [world.acme.realms.live, world.acme.realms.test, world.globex.realms.live]
    const keys = [world.acme.key, world.acme.testKey, world.globex.key]
    const starts = await Promise.all(realms.map((realm) => head(realm)))
    const sends = Array.from({ length: 120 }, (_, i) => {
      const body = i % 5 === 4 ? { title: 5 } : { title: `Gapless ${i}` }
      return world.post('/v1/workspaces', body, { key: keys[i % 3] as string })
    })
    const made = (await Promise.all(sends)).filter((reply) => reply.status === 200)
    assert.equal(made.length, 96)
    for (const [i, realm] of realms.entries()) {
      const emitted = await since(starts[i] as number, realm)
      assert.deepEqual(
        emitted.map((each) => each.row.sequence),
        emitted.map((_, n) => (starts[i] as number) + 1 + n),
      )
      assert.equal(emitted.length, 32)
      assert.equal(await head(realm), (starts[i] as number) + 32)
    }
  })

  it('are not written for an unchanged write or a refusal', async () => {
    const before = await head()
    const workspace = things.id('workspace')
    await world.patch(`/v1/workspaces/${workspace}`, {})
    await world.post('/v1/workspaces', { title: '' })
    await world.patch('/v1/workspaces/wsp_never', { title: 'x' })
    assert.deepEqual(await since(before), [])
  })

  it('have ids in the order of their sequence', async () => {
    const emitted = await since(0)
    const ids = emitted.map((each) => each.row.id)
    assert.deepEqual(ids, [...ids].sort())
    assert.deepEqual(
      emitted.map((each) => each.row.sequence),
      emitted.map((_, i) => i + 1),
    )
  })
})

/**
 * The audit log: one entry per change, in a chain that reveals tampering (contract/09#audit-chain). `atrium conform` tries the
 * entry of each write (server/test/conform).
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { catalogue } from '../../src/catalogue.ts'
import { type Placeholder, query } from '../../src/db/query.ts'
import { verifyAudit } from '../../src/resources/audit_logs/verify.ts'
import { populate, sendCall } from '../things.ts'
import { onEveryWorld, openFirst } from '../world.ts'

const tamper = query((db, p: Placeholder<{ entry: string; organization: string; sequence: number }>) =>
  db
    .updateTable('audit_entries')
    .set({ entry: p('entry') })
    .where('organization', '=', p('organization'))
    .where('sequence', '=', p('sequence')),
)

const chainEnd = query((db, p: Placeholder<{ organization: string }>) =>
  db.selectFrom('audit_heads').select(['sequence', 'hash']).where('organization', '=', p('organization')),
)

const entryAt = query((db, p: Placeholder<{ organization: string; sequence: number }>) =>
  db
    .selectFrom('audit_entries')
    .select('entry')
    .where('organization', '=', p('organization'))
    .where('sequence', '=', p('sequence')),
)

onEveryWorld('the audit log', (world) => {
  const things = openFirst(() => populate(world))

  const newest = async (key = world.acme.key) => (await world.get('/v1/audit_logs?limit=1', { key })).body.data[0]

  it('has one entry per change: who changed which fields of what, by which request', async () => {
    const id = await things.fresh('task')
    const before = await world.services.store.reader('system').first(chainEnd, { organization: world.acme.id })
    assert.ok(before !== undefined)
    const headers = { 'user-agent': 'conformance/1' }
    const reply = await world.patch(`/v1/tasks/${id}`, { title: 'Renamed', priority: 'high' }, { headers })
    assert.equal(reply.status, 200, reply.text)
    const entry = await newest()
    assert.deepEqual(entry, {
      id: entry.id,
      object: 'audit_entry',
      created: Math.floor(world.clock.now() / 1000),
      sequence: before.sequence + 1,
      mode: 'live',
      action: 'tasks.update',
      actor: { type: 'api_key', id: world.acme.keyId },
      credential: world.acme.keyId,
      target: { object: 'task', id },
      room: null,
      workspace: things.id('workspace'),
      request: reply.headers['x-request-id'],
      changed_fields: ['title', 'priority'],
      reason: null,
      source: { ip: '127.0.0.1', user_agent: 'conformance/1' },
      previous_hash: before.hash,
      hash: entry.hash,
    })
  })

  it('has no entry for reads, refusals and writes that change nothing', async () => {
    const before = await newest()
    for (const operation of catalogue.filter((each) => each.method === 'GET'))
      await sendCall(things, await things.call(operation))
    await world.post('/v1/workspaces', {})
    await world.patch('/v1/tasks/tsk_never', { title: 'x' })
    await world.patch(`/v1/workspaces/${things.id('workspace')}`, {})
    await world.get('/v1/me', { key: 'atr_live_x' })
    assert.deepEqual(await newest(), before)
  })

  it('lists only entries of the caller’s organization and realm', async () => {
    const test = await populate(world, world.acme, 'test')
    await populate(world, world.globex)
    for (const [key, mode] of [
      [test.key, 'test'],
      [world.acme.key, 'live'],
    ] as const) {
      let cursor: string | null = ''
      const seen: { mode: string; sequence: number }[] = []
      while (cursor !== null) {
        const { body } = await world.get(`/v1/audit_logs?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`, { key })
        seen.push(...body.data)
        cursor = body.next_cursor
      }
      assert.deepEqual([...new Set(seen.map((entry) => entry.mode))], [mode])
      const sequences = seen.map((entry) => entry.sequence)
      assert.deepEqual(
        sequences,
        [...new Set(sequences)].sort((a, b) => b - a),
      )
    }
  })

  it('stays one intact chain over both realms under concurrent writes', async () => {
    await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        world.post('/v1/workspaces', { title: `Chain ${i}` }, { key: i % 2 ? world.acme.key : world.acme.testKey }),
      ),
    )
    const verdict = await verifyAudit(world.services.store, world.acme.id)
    const last = Math.max((await newest()).sequence, (await newest(world.acme.testKey)).sequence)
    assert.deepEqual(verdict, { ok: true, entries: last })
    assert.equal((await verifyAudit(world.services.store)).ok, true)
  })

  it('reveals a changed entry', async () => {
    const at = { organization: world.acme.id, sequence: 5 }
    const { store } = world.services
    const { entry } = (await store.reader('system').first(entryAt, at)) as { entry: string }
    const write = (text: string) =>
      store.write('system', async (tx) => {
        await tx.run(tamper, { ...at, entry: text })
      })
    await write(entry.replace('"live"', '"test"'))
    const verdict = await verifyAudit(store, world.acme.id)
    assert.deepEqual([verdict.ok, 'sequence' in verdict && verdict.sequence], [false, 5])
    await write(entry)
    assert.equal((await verifyAudit(store, world.acme.id)).ok, true)
  })
})

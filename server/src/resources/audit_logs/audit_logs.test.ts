import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { onEveryWorld, started_at } from '../../../test/world.ts'

const start = started_at / 1000

onEveryWorld('audit logs', (world) => {
  let other: { id: string; secret: string }
  const made: string[] = []
  /** At seconds 0, 10, 20, 30: four workspaces, the third by another key; at 40 the first is renamed. */
  before(async () => {
    other = await world.key()
    for (let i = 0; i < 4; i++) {
      const key = i === 2 ? other.secret : world.acme.key
      made.push((await world.make('/v1/workspaces', { title: `Number ${i}` }, { key })).id)
      world.clock.advance(10_000)
    }
    await world.make('/v1/workspaces', { title: 'In the test realm' }, { key: world.acme.testKey })
    await world.patch(`/v1/workspaces/${made[0]}`, { title: 'Renamed' }, { headers: { 'user-agent': 'curl/8' } })
  })
  const list = async (parameters = '') => (await world.get(`/v1/audit_logs?${parameters}`)).body
  const targets = async (parameters = '') =>
    (await list(parameters)).data.map((entry: { target: { id: string } }) => made.indexOf(entry.target.id))

  it('an entry names the actor, the action, the object and the request', async () => {
    const [entry] = (await list('limit=1')).data
    const before = (await list('limit=2')).data[1]
    assert.deepEqual(entry, {
      id: entry.id,
      object: 'audit_entry',
      created: start + 40,
      sequence: 6,
      mode: 'live',
      action: 'workspaces.update',
      actor: { type: 'api_key', id: world.acme.keyId },
      credential: world.acme.keyId,
      target: { object: 'workspace', id: made[0] },
      room: null,
      workspace: made[0],
      request: entry.request,
      changed_fields: ['title'],
      reason: null,
      source: { ip: entry.source.ip, user_agent: 'curl/8' },
      previous_hash: entry.previous_hash,
      hash: entry.hash,
    })
    assert.match(entry.id, /^aud_/)
    assert.match(entry.hash, /^[0-9a-f]{64}$/)
    // Sequence 5 belongs to the test realm: the chain covers both realms, the list shows one.
    assert.deepEqual([before.sequence, before.hash === entry.previous_hash], [4, false])
  })

  it('the list shows the realm of the caller, newest first', async () => {
    assert.deepEqual(await targets(), [0, 3, 2, 1, 0])
    const test = await world.get('/v1/audit_logs', { key: world.acme.testKey })
    assert.deepEqual(
      test.body.data.map((entry: { sequence: number; mode: string }) => [entry.sequence, entry.mode]),
      [[5, 'test']],
    )
    assert.deepEqual((await world.get('/v1/audit_logs', { key: world.globex.key })).body.data, [])
  })

  it('repeated filters mean OR, different ones AND', async () => {
    assert.deepEqual(await targets('action=workspaces.create'), [3, 2, 1, 0])
    assert.deepEqual(await targets('action=workspaces.create&action=workspaces.update&limit=2'), [0, 3])
    assert.deepEqual(await targets(`actor=${other.id}`), [2])
    assert.deepEqual(await targets(`target=${made[0]}`), [0, 0])
    assert.deepEqual(await targets(`target[]=${made[1]}&target[]=${made[3]}`), [3, 1])
    assert.deepEqual(await targets(`target=${made[0]}&action=workspaces.create`), [0])
    assert.deepEqual(await targets('room=abc'), [])
    assert.deepEqual(await targets('action=workspaces.delete'), [])
  })

  it('created_after and created_before are exclusive', async () => {
    assert.deepEqual(await targets(`created_after=${start + 10}`), [0, 3, 2])
    assert.deepEqual(await targets(`created_before=${start + 10}`), [0])
    assert.deepEqual(await targets(`created_after=${start}&created_before=${start + 30}`), [2, 1])
    assert.deepEqual(await targets('created_after=9007199254740991'), [])
    assert.deepEqual(await targets('created_before=9007199254740991&limit=1'), [0])
  })

  it('pages contain every entry once during writes, and cursors belong to their filters', async () => {
    const first = await list('limit=2&action=workspaces.create')
    await world.make('/v1/workspaces', { title: 'Meanwhile' })
    const second = await list(`limit=2&action=workspaces.create&cursor=${first.next_cursor}`)
    const seen = [...first.data, ...second.data].map((entry) => made.indexOf(entry.target.id))
    assert.deepEqual([seen, second.has_more, second.next_cursor], [[3, 2, 1, 0], false, null])
    const code = async (parameters: string, options = {}) =>
      (await world.get(`/v1/audit_logs?cursor=${first.next_cursor}${parameters}`, options)).body.error?.code
    assert.equal(await code('&limit=1&action=workspaces.create'), undefined)
    assert.equal(await code(''), 'cursor_filter_mismatch')
    assert.equal(await code('&action=workspaces.create&created_after=1'), 'cursor_filter_mismatch')
    assert.equal(await code('&action=workspaces.create', { key: world.acme.testKey }), 'cursor_invalid')
    assert.equal((await world.get('/v1/audit_logs?cursor=nonsense')).body.error.code, 'cursor_invalid')
  })

  it('an invalid value is refused by name', async () => {
    for (const [parameters, param] of [
      ['created_after=yesterday', 'created_after'],
      ['created_before=-1', 'created_before'],
      ['created_before=1.5', 'created_before'],
      ['action=', 'action'],
      [`actor=${'x'.repeat(161)}`, 'actor'],
      ['limit=101', 'limit'],
      ['starting_after=aud_1', 'starting_after'],
    ]) {
      const reply = await world.get(`/v1/audit_logs?${parameters}`)
      assert.deepEqual(
        [reply.status, reply.body.error.code, reply.body.error.param],
        [400, 'invalid_query_parameter', param],
      )
    }
  })
})

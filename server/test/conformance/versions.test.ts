/**
 * Dated versions (contract/08). These tests add two older dates, in which the `title` of a workspace is called `name` and
 * `label`: requests are upgraded, answers and events are downgraded. `atrium conform` tries unknown dates at each operation
 * (server/test/conform).
 */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { VersionChange } from '../../src/api/declare/version.ts'
import { catalogue } from '../../src/catalogue.ts'
import { onEveryEngine } from '../engines.ts'
import { populate } from '../things.ts'
import { openFirst, worldOf } from '../world.ts'
import { assertRefused } from './answers.ts'
import { storedText } from './stored.ts'

const old = '2025-11-15'
const older = '2025-02-01'
const newest = '2026-08-03'

type Fields = Record<string, unknown>

function rename(object: unknown, from: string, to: string): object {
  return Object.fromEntries(Object.entries(object as Fields).map(([name, value]) => [name === from ? to : name, value]))
}

const isOfWorkspaces = (operation: string) => operation.startsWith('workspaces.')

/** Calls `title` `name`. */
const nameForTitle: VersionChange = {
  date: old,
  request: (operation, body) => (isOfWorkspaces(operation) ? rename(body, 'name', 'title') : body),
  response(operation, body) {
    if (!isOfWorkspaces(operation)) return body
    const { data } = body as { data?: object[] }
    if (data === undefined) return rename(body, 'title', 'name')
    return { ...body, data: data.map((item) => rename(item, 'title', 'name')) }
  },
  event(event) {
    const { data, type } = event as { data: Fields; type: string }
    if (!type.startsWith('workflow.workspace.')) return event
    const { object, previous_attributes: previous } = data
    const renamed = previous === null ? null : rename(previous, 'title', 'name')
    return { ...event, data: { object: rename(object, 'title', 'name'), previous_attributes: renamed } }
  },
}

/** Calls `name` `label`: two changes make a chain. */
const labelForName: VersionChange = {
  date: older,
  request: (operation, body) => (isOfWorkspaces(operation) ? rename(body, 'label', 'name') : body),
  response: (operation, body) => (isOfWorkspaces(operation) ? rename(body, 'name', 'label') : body),
}

onEveryEngine('versions', (engine) => {
  const world = worldOf(engine, { versions: [labelForName, nameForTitle] })
  const things = openFirst(() => populate(world))
  let oldKey: string
  before(async () => {
    oldKey = (await world.key({ apiVersion: old })).secret
  })

  const pin = (date: string) => ({ headers: { 'service-version': date } })

  it('a key speaks its own version', async () => {
    const made = await world.post('/v1/workspaces', { name: 'Old Words' }, { key: oldKey })
    assert.equal(made.status, 200, made.text)
    assert.equal(made.headers['service-version'], old)
    assert.deepEqual([made.body.name, made.body.title], ['Old Words', undefined])
    const { id } = made.body
    const read = await world.get(`/v1/workspaces/${id}`, { key: oldKey })
    assert.deepEqual(read.body, made.body)
    const list = await world.get('/v1/workspaces?limit=1', { key: oldKey })
    assert.deepEqual(list.body.data, [made.body])
    const changed = await world.patch(`/v1/workspaces/${id}`, { name: 'Older' }, { key: oldKey })
    assert.deepEqual([changed.body.name, changed.body.revision], ['Older', 2])
    assert.equal((await world.get(`/v1/workspaces/${id}`)).body.title, 'Older')
    assertRefused(await world.post('/v1/workspaces', { name: 'New' }), 'invalid_request_body')
  })

  it('the header overrides the key’s version', async () => {
    const made = await world.post('/v1/workspaces', { title: 'Pinned' }, { key: oldKey, ...pin(newest) })
    assert.deepEqual([made.status, made.body.title, made.headers['service-version']], [200, 'Pinned', newest])
    const path = `/v1/workspaces/${made.body.id}`
    const back = await world.get(path, pin(old))
    assert.deepEqual([back.body.name, back.headers['service-version']], ['Pinned', old])
    const furtherBack = await world.get(path, pin(older))
    assert.deepEqual([furtherBack.body.label, furtherBack.body.name], ['Pinned', undefined])
    const before = await world.post('/v1/workspaces', { label: 'Chained' }, pin(older))
    assert.deepEqual([before.status, before.body.label], [200, 'Chained'])
    const same = await world.get(path, { key: oldKey })
    assert.equal(same.headers['service-version'], old, 'the key keeps its version')
  })

  it('a tag depends on the version of the answer', async () => {
    const path = `/v1/workspaces/${things.id('workspace')}`
    const mine = await world.get(path)
    const theirs = await world.get(path, { key: oldKey })
    assert.notEqual(theirs.headers.etag, mine.headers.etag)
    assert.equal((await world.get(path, pin(old))).headers.etag, theirs.headers.etag)
    const asked = { ...pin(old), headers: { ...pin(old).headers, 'if-none-match': String(mine.headers.etag) } }
    assert.equal((await world.get(path, asked)).status, 200)
  })

  it('refusals name the requested version', async () => {
    for (const date of [newest, old]) {
      const reply = await world.get('/v1/workspaces/wsp_never', pin(date))
      assertRefused(reply, 'resource_not_found')
      assert.equal(reply.headers['service-version'], date)
    }
  })

  it('events are stored in the newest version and shown in the requested one', async () => {
    if (!catalogue.some((operation) => operation.id === 'events.list')) return
    await world.post('/v1/workspaces', { name: 'Told' }, { key: oldKey })
    const theirs = (await world.get('/v1/events?limit=1', { key: oldKey })).body.data[0]
    const mine = (await world.get('/v1/events?limit=1')).body.data[0]
    assert.deepEqual([theirs.id, theirs.data.object.name, theirs.data.object.title], [mine.id, 'Told', undefined])
    assert.deepEqual([mine.data.object.title, mine.data.object.name], ['Told', undefined])
    assert.match(await storedText(world), /"title"+:"+Told"/)
  })

  it('/v1/me reports the key’s version, whatever the header', async () => {
    const me = await world.get('/v1/me', { key: oldKey, ...pin(newest) })
    assert.deepEqual([me.status, me.body.api_version, me.headers['service-version']], [200, old, newest])
    const api = await world.get('/v1', { key: oldKey })
    assert.deepEqual([api.body.version, api.headers['service-version']], [newest, old])
  })

  it('a key whose version is no longer supported speaks the newest', async () => {
    const { secret } = await world.key({ apiVersion: '2001-01-01' })
    const reply = await world.get(`/v1/workspaces/${things.id('workspace')}`, { key: secret })
    assert.deepEqual([reply.status, reply.headers['service-version']], [200, newest])
    assert.ok('title' in reply.body)
  })
})

/** One idempotency key is one change, however many clients send it at once to however many processes. */
import assert from 'node:assert/strict'
import { after, afterEach, describe, it } from 'node:test'
import { call, type Reply } from '../call.ts'
import { type Database, onEveryEngine } from '../engines.ts'
import { migratedDatabase } from '../migrated.ts'
import { openWorld, type World } from '../world.ts'
import { type Installation, install, makeWorkspace } from './installation.ts'
import { endProcesses, type ServerProcess, serve } from './processes.ts'
import { assertReplays, assertSound, assertTasksAre, reading } from './soundness.ts'
import { Writers } from './writers.ts'

const idempotencyKey = 'the-one-key'

/** One answer is the change; all others are its replay or report that it is running. Returns the change. */
function assertOneChange(replies: readonly Reply[]): Reply {
  const done = replies.filter((reply) => reply.status === 200)
  const first = done.filter((reply) => reply.headers['idempotent-replayed'] === undefined)
  assert.equal(first.length, 1)
  for (const reply of done) assert.equal(reply.text, first[0]?.text)
  for (const reply of replies.filter((reply) => reply.status !== 200)) {
    assert.deepEqual([reply.status, reply.body.error.code], [409, 'idempotency_in_progress'])
    assert.equal(reply.headers['retry-after'], '1')
  }
  return first[0] as Reply
}

onEveryEngine('Forty posts of one key at once', (engine) => {
  let world: World
  after(() => world.close())

  it('make one workspace, one event and one audit entry; a repetition answers the same bytes', async () => {
    world = await openWorld(engine)
    const body = { title: 'Once' }
    const replies = await Promise.all(
      Array.from({ length: 40 }, () => world.post('/v1/workspaces', body, { idempotencyKey })),
    )
    const first = assertOneChange(replies)
    await world.assertWritten({ events: ['workflow.workspace.created'], audit: ['workspaces.create'] })
    const again = await world.post('/v1/workspaces', body, { idempotencyKey })
    assert.deepEqual([again.status, again.text], [200, first.text])
    assert.equal(again.headers['original-request'], first.headers['x-request-id'])
    assert.equal((await world.get('/v1/workspaces')).body.data.length, 1)
  })
})

describe('Two processes over one PostgreSQL', () => {
  let database: Database
  let installation: Installation
  let servers: [ServerProcess, ServerProcess]
  let writers: Writers | null = null

  afterEach(() => writers?.giveUp())
  after(async () => {
    endProcesses()
    await database.remove()
  })

  it('execute a key once that is sent forty times to both', async () => {
    database = await migratedDatabase('postgres')
    installation = await install(database.url, database.folder)
    servers = await Promise.all([serve(installation.environment), serve(installation.environment)])
    const { key } = installation
    const options = { key, body: { title: 'Once' }, idempotencyKey }
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        call((servers[i % 2] as ServerProcess).url, 'POST', '/v1/workspaces', options),
      ),
    )
    const first = assertOneChange(replies)
    for (const { url } of servers) {
      const again = await call(url, 'POST', '/v1/workspaces', options)
      assert.deepEqual([again.status, again.headers['idempotent-replayed'], again.text], [200, 'true', first.text])
      assert.equal((await call(url, 'GET', '/v1/workspaces', { key })).body.data.length, 1)
    }
    await reading(database.url, (reader) => assertSound(reader, installation.organization))
  })

  it('number events, audit entries and tasks without gaps while both write', async () => {
    const workspace = await makeWorkspace(servers[0].url, installation.key)
    let made = 0
    writers = new Writers(8, () => ({ path: '/v1/tasks', body: { workspace, title: `Task ${++made}` } }))
    let turn = 0
    writers.start(() => (servers[++turn % 2] as ServerProcess).url, installation.key)
    await writers.more(200)
    await writers.stop()
    assert.deepEqual(writers.wrong, [])
    for (const { url } of servers) await assertReplays(url, installation.key, writers.answered.slice(-20))
    await reading(database.url, async (reader) => {
      await assertSound(reader, installation.organization)
      await assertTasksAre(reader, installation, writers?.answered ?? [])
    })
  })
})

/** The conformance kit: a sound server passes every rule, and a fault that is planted is found by its rule. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { catalogue } from '../../src/catalogue.ts'
import type { Cell, Report } from '../../src/conform/report.ts'
import { conforms } from '../../src/conform/report.ts'
import { rules } from '../../src/conform/rules/index.ts'
import { type ConformOptions, conform, Unfit } from '../../src/conform/run.ts'
import { onEveryEngine } from '../engines.ts'
import { openReceiver, type Receiver } from '../receiver.ts'
import { openWorld, type World } from '../world.ts'
import { faults } from './faults.ts'
import { type FaultyServer, openFaultyServer } from './faulty-server.ts'
import { fill } from './organization.ts'

/** What a rule may not be tried for, on a server that has everything. */
const reasons = [
  /^it names no object$/,
  /^nothing reads its target$/,
  /^its valid call changed nothing$/,
  /^the list has fewer than two objects$/,
  /^no run of an active flow began/,
]

onEveryEngine('atrium conform', (engine) => {
  let world: World
  let receiver: Receiver
  let server: FaultyServer
  before(async () => {
    world = await openWorld(engine)
    world.clock.set(Date.now())
    receiver = await openReceiver()
    server = await openFaultyServer(world.server.url)
    await fill(world)
  })
  after(async () => {
    await server.close()
    await receiver.close()
    await world.close()
  })

  const run = (options: Partial<ConformOptions> = {}): Promise<Report> =>
    conform(catalogue, {
      ...{ url: world.server.url, key: world.acme.testKey, otherKey: world.acme.key, receiver: receiver.url },
      ...{ say: () => {}, ...options },
    })
  const bad = ({ cells }: Report): Cell[] => cells.filter(({ status }) => status === 'violation')
  const count = async (path: string) =>
    (await world.get(`${path}?limit=100`, { key: world.acme.testKey })).body.data.length

  it('finds nothing wrong with this server, tries every operation, and removes what it made', async () => {
    const lists = ['/v1/projects', '/v1/tasks', '/v1/portfolios', '/v1/api_keys', '/v1/webhook_endpoints', '/v1/boards']
    const before = await Promise.all(lists.map(count))
    const report = await run()
    assert.deepEqual(bad(report), [])
    assert.equal(report.stopped, null)
    assert.equal(conforms(report), true)
    for (const { status, messages } of report.cells.filter((cell) => cell.status === 'skipped')) {
      assert.ok(
        reasons.some((reason) => reason.test(messages.join())),
        `${status}: ${messages}`,
      )
    }
    const tried = new Set(report.cells.filter(({ status }) => status === 'ok').map(({ operation }) => operation))
    assert.deepEqual(
      catalogue.filter(({ id }) => !tried.has(id)),
      [],
    )
    for (const { name } of rules)
      assert.ok(
        report.cells.some((cell) => cell.rule === name && cell.status === 'ok'),
        name,
      )
    assert.deepEqual(await Promise.all(lists.map(count)), before)
    const left = new Set(report.left.map((each) => each.split(' ')[0]))
    assert.deepEqual([...left].sort(), ['automation_flow', 'export_job', 'workspace'])
  })

  for (const planted of faults('')) {
    it(`finds a server that ${planted.name}`, async () => {
      const { rule, operation } = planted
      const options = { url: server.url, only: [rule], operations: [operation] }
      if (engine === 'sqlite') assert.deepEqual(bad(await run(options)), [], 'without the fault nothing is found')
      server.fault = faults(world.acme.testKey).find(({ name }) => name === planted.name) ?? {}
      const report = await run(options)
      server.fault = {}
      assert.deepEqual(
        bad(report).map((cell) => [cell.rule, cell.operation]),
        [[rule, operation]],
      )
      assert.equal(conforms(report), false)
    })
  }

  it('waits as a 429 asks, and ends where that would be too long', async () => {
    const refuse = (seconds: string, times: number) => {
      let left = times
      return {
        reply: (answered: { headers: Readonly<Record<string, string>> }, { url }: { url: string }) =>
          url.startsWith('/v1/teams') && left-- > 0
            ? { status: 429, headers: { ...answered.headers, 'retry-after': seconds }, body: '{}' }
            : (answered as never),
      }
    }
    const said: string[] = []
    const options = { url: server.url, only: ['unknown-parameter'], operations: ['teams.list', 'workspaces.list'] }
    server.fault = refuse('1', 1)
    const waited = await run({ ...options, say: (line) => said.push(line) })
    assert.equal(conforms(waited), true)
    assert.deepEqual(said.slice(1), ['waiting 1 s, as 429 asks'])
    server.fault = refuse('3600', 1)
    const stopped = await run(options)
    server.fault = {}
    assert.match(String(stopped.stopped), /answered 429 with Retry-After 3600/)
    assert.equal(conforms(stopped), false)
    assert.deepEqual(
      stopped.cells.map(({ status }) => status),
      ['skipped', 'skipped'],
    )
  })

  it('begins with no live key unless that is allowed, no key of few scopes, and no key that is none', async () => {
    const only = { only: ['method'], operations: ['usage.retrieve'] }
    const before = await world.get('/v1/workspaces')
    await assert.rejects(run({ ...only, key: world.acme.key }), Unfit)
    assert.equal((await world.get('/v1/workspaces')).text, before.text)
    assert.equal(conforms(await run({ ...only, key: world.acme.key, live: true })), true)
    const few = await world.key({ mode: 'test', scopes: ['tasks:read'] })
    await assert.rejects(run({ ...only, key: few.secret }), /lacks the scopes api:read/)
    await assert.rejects(run({ ...only, key: 'atr_test_x' }), /answered 401 invalid_api_key/)
  })

  it('works in the workspace that it is given, and makes no other for it', async () => {
    const key = world.acme.testKey
    const workspace = (await world.make('/v1/workspaces', { title: 'Given' }, { key })).id
    const before = (await world.get(`/v1/workspaces/${workspace}`, { key })).text
    const report = await run({ workspace, operations: ['tasks.create', 'workspaces.retrieve'] })
    assert.deepEqual(bad(report), [])
    assert.deepEqual(report.left, [])
    assert.equal((await world.get(`/v1/workspaces/${workspace}`, { key })).text, before)
  })
})

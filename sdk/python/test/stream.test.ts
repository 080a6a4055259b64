/** The event stream of the Python SDK through connection failures: no gaps, no duplicates. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { openWorld, type World } from '../../../server/test/world.ts'
import { type FlakyProxy, openProxy } from '../../typescript/test/proxy.ts'
import { Driver, failed, onPython, type PythonClient } from './driver.ts'

const day = 86_400_000
const created = ['workflow.task.created']

onPython('a stream of the Python SDK', (flavor) => {
  let world: World
  let proxy: FlakyProxy
  let driver: Driver
  let atrium: PythonClient
  let workspace: string
  const client = (options: object = {}) =>
    driver.client(flavor, { api_key: world.acme.key, base_url: proxy.url, ...options })
  const make = (title: string) => world.make('/v1/tasks', { workspace, title })
  const titles = (events: { data: { object: { title: string } } }[]) => events.map(({ data }) => data.object.title)
  const connections = () => proxy.passed.filter(({ url }) => url.startsWith('/v1/events/stream')).length
  const connected = async (count: number) => {
    while (connections() < count) await new Promise((resolve) => setImmediate(resolve))
  }

  before(async () => {
    world = await openWorld('sqlite')
    proxy = await openProxy(() => world.server.url)
    driver = new Driver()
    atrium = await client()
    workspace = (await world.make('/v1/workspaces', { title: 'Streams' })).id
  })
  beforeEach(() => {
    proxy.passed.length = 0
    proxy.faults = []
  })
  after(async () => {
    await driver.end()
    await proxy.close()
    await world.close()
  })

  it('yields the subscribed events after its opening, as the API shows them', async () => {
    await make('Before')
    const stream = await atrium.stream(['workflow.task.*', 'workflow.project.created'])
    const task = await make('Füße – 足')
    await world.make(`/v1/tasks/${task.id}/complete`)
    await world.make('/v1/projects', { workspace, name: 'Ours' })
    const events = await stream.take(3)
    assert.deepEqual(
      events.map(({ type }) => type),
      ['workflow.task.created', 'workflow.task.completed', 'workflow.project.created'],
    )
    assert.deepEqual(events[0].data.object, task)
    assert.equal(stream.lastEventId, events[2].id)
    await stream.close()
  })

  it('resumes after broken connections, with the events in between', async () => {
    const stream = await atrium.stream(created)
    proxy.cut() // before any event: nothing but the log's end says where to go on
    await make('While away')
    const first = await stream.take(1)
    const reading = stream.take(3)
    await connected(2)
    await make('Connected')
    proxy.faults = ['pass', 'lost before', { status: 502 }, { status: 503, headers: { 'retry-after': '1' } }]
    await make('Near the end')
    proxy.cut()
    await make('Far away')
    assert.deepEqual(titles([...first, ...(await reading)]), ['While away', 'Connected', 'Near the end', 'Far away'])
    await stream.close()
  })

  it('resumes after the last handled event, in another loop or program', async () => {
    const stream = await atrium.stream(created)
    for (const title of ['One', 'Two', 'Three', 'Four']) await make(title)
    const [first, second] = [await stream.take(1), await stream.take(1)]
    await stream.close()
    const later = await (await client()).stream(created, { last_event_id: stream.lastEventId })
    assert.deepEqual(titles([...first, ...second, ...(await later.take(2))]), ['One', 'Two', 'Three', 'Four'])
    await later.close()
  })

  it('misses no event if the log was empty at its opening', async () => {
    const fresh = await client({ api_key: flavor === 'sync' ? world.globex.testKey : world.acme.testKey })
    const stream = await fresh.stream(['*'])
    assert.equal(stream.lastEventId, null)
    proxy.cut()
    const { id } = await fresh.data('workspaces.create', { title: 'The first thing' })
    await fresh.call('tasks.create', { workspace: id, title: 'The second' })
    const events = await stream.take(2)
    assert.deepEqual(
      events.map(({ type, sequence }) => [type, sequence]),
      [
        ['workflow.workspace.created', 1],
        ['workflow.task.created', 2],
      ],
    )
    await stream.close()
  })

  it('reconnects after a silent connection', async () => {
    const stream = await atrium.stream(created, { heartbeat_timeout: 0.3 }, { open: false })
    const reading = stream.take(1)
    await connected(3)
    await make('Heard')
    assert.deepEqual(titles(await reading), ['Heard'])
    await stream.close()
  })

  it('raises permanent errors at once, and transient ones at its limit', async () => {
    const refused = async (opening: Promise<unknown>, code: string) =>
      assert.equal((await failed(opening, 'ApiError')).code, code)
    await refused((await client({ api_key: 'atr_live_no' })).stream(['*']), 'invalid_api_key')
    await refused(atrium.stream(['workflow.nothing']), 'invalid_query_parameter')
    await refused(atrium.stream(['*'], { last_event_id: 'nothing' }), 'resource_not_found')
    proxy.passed.length = 0
    proxy.faults = ['pass', 'silent', 'silent'] // the end of the log, then the stream twice
    const silent = (await client({ max_retries: 1 })).stream(['*'], { heartbeat_timeout: 0.05 })
    await failed(silent, 'TimedOutError')
    assert.equal(connections(), 2)
  })

  it('ends a running loop without an error when closed, and refuses a second one', async () => {
    const stream = await atrium.stream(created)
    const reading = stream.take(9)
    await failed(stream.take(1), 'AtriumError')
    await stream.close()
    assert.deepEqual(await reading, [])
    assert.deepEqual(await stream.take(9), [])
  })

  it('resumes after its last event was dropped from the log, if no other event can be lost', async () => {
    await make('Old')
    const stream = await atrium.stream(created)
    const stale = await atrium.stream(created, { last_event_id: stream.lastEventId }, { open: false })
    world.clock.advance(31 * day)
    proxy.cut()
    await make('New')
    await make('Newer')
    assert.deepEqual(titles(await stream.take(2)), ['New', 'Newer'])
    // Of a position that another program kept this is not known.
    assert.equal((await failed(stale.take(1), 'ApiError')).code, 'resource_deleted')
    await stream.close()
  })
})

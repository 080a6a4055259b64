/** The event stream through all connection failures: no gaps, no duplicates. */
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, it } from 'node:test'
import { install } from '../../../server/test/durability/installation.ts'
import { endProcesses, serve } from '../../../server/test/durability/processes.ts'
import { newDatabase, onOneEngine } from '../../../server/test/engines.ts'
import { worldOf } from '../../../server/test/world.ts'
import { ApiError, Atrium, type AtriumEvent, type AtriumOptions, type EventOf, TimeoutError } from '../src/index.ts'
import { type FlakyProxy, openProxy } from './proxy.ts'

const day = 86_400_000
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const sleep = async (_ms: number, signal?: AbortSignal) => {
  await turn()
  signal?.throwIfAborted()
}

/** The next `count` events of a stream; leaves the loop afterwards. */
async function take<E>(stream: AsyncIterable<E>, count: number): Promise<E[]> {
  const events: E[] = []
  for await (const event of stream) if (events.push(event) >= count) break
  return events
}

onOneEngine('a stream of the SDK', (engine) => {
  const world = worldOf(engine)
  let proxy: FlakyProxy
  let atrium: Atrium
  let workspace: string
  const client = (options: Partial<AtriumOptions> = {}) =>
    new Atrium({ apiKey: world.acme.key, baseUrl: proxy.url, sleep, ...options })
  const make = async (title: string, by = atrium) => void (await by.tasks.create({ workspace, title }))
  const titles = (events: EventOf<'workflow.task.created'>[]) =>
    events.map(({ data }) => ('title' in data.object ? data.object.title : null))
  const connections = () => proxy.passed.filter(({ url }) => url.startsWith('/v1/events/stream')).length
  const connected = async (count: number) => {
    while (connections() < count) await turn()
  }

  before(async () => {
    proxy = await openProxy(() => world.server.url)
    atrium = client()
    workspace = (await atrium.workspaces.create({ title: 'Streams' })).id
  })
  beforeEach(() => {
    proxy.passed.length = 0
    proxy.faults = []
  })
  after(() => proxy.close())
  afterEach(endProcesses)

  const created = () => client().events.stream({ types: ['workflow.task.created'] })

  it('yields the subscribed events after its opening, as the API shows them', async () => {
    await make('Before')
    const stream = await client()
      .events.stream({ types: ['workflow.task.*', 'workflow.project.created'] })
      .open()
    const task = await atrium.tasks.create({ workspace, title: 'First' })
    await atrium.tasks.comments.create(task.id, { workspace, body: 'Not asked for' })
    await atrium.tasks.complete(task.id)
    const project = await atrium.projects.create({ workspace, name: 'Ours' })
    const events = await take(stream, 3)
    assert.deepEqual(
      events.map(({ type }) => type),
      ['workflow.task.created', 'workflow.task.completed', 'workflow.project.created'],
    )
    assert.deepEqual([events[0]?.data.object, events[2]?.data.object], [task, project])
    const { deliveries, ...shown } = await atrium.events.retrieve(events[0]?.id as string)
    assert.deepEqual([deliveries, shown as AtriumEvent], [[], events[0]])
    assert.equal(stream.lastEventId, events[2]?.id)
  })

  it('resumes after a broken connection, with the events in between', async () => {
    const stream = await created().open()
    proxy.cut() // before any event: nothing but the log's end says where to go on
    await make('While away')
    const [first] = await take(stream, 1)
    const reading = take(stream, 3)
    await connected(3)
    await make('Connected')
    proxy.faults = ['pass', 'lost before', { status: 502 }, { status: 503, headers: { 'retry-after': '1' } }]
    await make('Near the end')
    proxy.cut()
    await make('Far away')
    assert.deepEqual(titles([...(first ? [first] : []), ...(await reading)]), [
      'While away',
      'Connected',
      'Near the end',
      'Far away',
    ])
  })

  it('resumes after the last handled event, in another loop or program', async () => {
    const stream = await created().open()
    for (const title of ['One', 'Two', 'Three', 'Four']) await make(title)
    const first = await take(stream, 1)
    const second = await take(stream, 1)
    const later = client().events.stream(
      { types: ['workflow.task.created'] },
      { lastEventId: stream.lastEventId as string },
    )
    assert.deepEqual(titles([...first, ...second, ...(await take(later, 2))]), ['One', 'Two', 'Three', 'Four'])
    assert.equal(later.lastEventId === stream.lastEventId, false)
  })

  it('misses no event if the log was empty at its opening', async () => {
    const fresh = new Atrium({ apiKey: world.globex.testKey, baseUrl: proxy.url, sleep })
    const stream = await fresh.events.stream({ types: ['*'] }).open()
    assert.equal(stream.lastEventId, null)
    proxy.cut()
    const { id } = await fresh.workspaces.create({ title: 'The first thing' })
    await fresh.tasks.create({ workspace: id, title: 'The second' })
    const events = await take(stream, 2)
    assert.deepEqual(
      events.map(({ type, sequence }) => [type, sequence]),
      [
        ['workflow.workspace.created', 1],
        ['workflow.task.created', 2],
      ],
    )
  })

  it('resumes after its last event was dropped from the log, if no other event can be lost', async () => {
    await make('Old')
    const stream = await created().open()
    const stale = client().events.stream(
      { types: ['workflow.task.created'] },
      { lastEventId: stream.lastEventId as string },
    )
    world.clock.advance(31 * day)
    proxy.cut()
    await make('New')
    await make('Newer')
    assert.deepEqual(titles(await take(stream, 2)), ['New', 'Newer'])
    // Of a position that another program kept this is not known.
    await refused(take(stale, 1), 'resource_deleted')
  })

  it('reconnects after a silent connection', async () => {
    const stream = client().events.stream({ types: ['workflow.task.created'] }, { heartbeatTimeout: 100 })
    const reading = take(stream, 1)
    await connected(3)
    await make('Heard')
    assert.deepEqual(titles(await reading), ['Heard'])
  })

  it('rejects permanent errors at once, and transient ones at its limit', async () => {
    const open = (options: Partial<AtriumOptions>, types: string[] = ['*'], lastEventId?: string) =>
      client(options)
        .events.stream({ types: types as '*'[] }, { lastEventId })
        .open()
    await refused(open({ apiKey: 'atr_live_no' }), 'invalid_api_key')
    await refused(open({}, ['workflow.nothing']), 'invalid_query_parameter')
    await refused(open({}, ['*'], 'nothing'), 'resource_not_found')
    proxy.passed.length = 0
    proxy.faults = ['pass', 'silent', 'silent'] // the end of the log, then the stream twice
    const silent = client({ maxRetries: 1 }).events.stream({ types: ['*'] }, { heartbeatTimeout: 50 })
    await assert.rejects(silent.open(), TimeoutError)
    assert.equal(connections(), 2)
  })

  it('ends without an error when closed, and with the reason when its signal aborts', async () => {
    const closing = await created().open()
    const all = take(closing, 9)
    const { lastEventId } = closing
    await make('Last')
    while (closing.lastEventId === lastEventId) await turn()
    closing.close()
    assert.deepEqual(titles(await all), ['Last'])
    assert.deepEqual(await take(closing, 9), [])
    const controller = new AbortController()
    const reason = new Error('enough')
    const aborted = client().events.stream({ types: ['*'] }, { signal: controller.signal })
    await aborted.open()
    const reading = take(aborted, 9)
    await assert.rejects(take(aborted, 9), /already reading this stream/)
    controller.abort(reason)
    await assert.rejects(reading, reason)
  })

  it('resumes when the server is killed and starts again', async () => {
    const database = await newDatabase(engine)
    try {
      const { environment, key } = await install(database.url, database.folder)
      let server = await serve(environment)
      const own = new Atrium({ apiKey: key, baseUrl: server.url, maxRetries: Number.POSITIVE_INFINITY, sleep })
      const { id } = await own.workspaces.create({ title: 'Restarts' })
      const stream = await own.events.stream({ types: ['workflow.task.created'] }).open()
      const reading = take(stream, 6)
      for (let round = 0; round < 3; round++) {
        await own.tasks.create({ workspace: id, title: `Before ${round}` })
        await server.kill()
        const made = own.tasks.create({ workspace: id, title: `After ${round}` }) // sent while the server is down
        server = await serve({ ...environment, ATRIUM_PORT: new URL(server.url).port })
        await made
      }
      const events = await reading
      assert.deepEqual(
        titles(events),
        [0, 1, 2].flatMap((round) => [`Before ${round}`, `After ${round}`]),
      )
      assert.deepEqual(
        events.map(({ sequence }) => sequence),
        [2, 3, 4, 5, 6, 7],
      )
      await server.stop()
    } finally {
      await database.remove()
    }
  })
})

async function refused(opening: Promise<unknown>, code: string): Promise<void> {
  await assert.rejects(opening, (error) => {
    assert.ok(error instanceof ApiError, String(error))
    assert.equal(error.code, code)
    return true
  })
}

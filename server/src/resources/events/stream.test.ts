import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { EventSource } from 'eventsource'
import { call } from '../../../test/call.ts'
import { assertRefused } from '../../../test/conformance/answers.ts'
import { startSecond } from '../../../test/conformance/second-server.ts'
import { loseEvents } from '../../../test/lost-events.ts'
import { openStream, type StreamClient } from '../../../test/stream.ts'
import { onEveryWorld, type World } from '../../../test/world.ts'
import { limits } from '../../api/limits.ts'
import { idTime, newId } from '../../lib/ids.ts'

onEveryWorld('the event stream', (world) => {
  let workspace: string
  before(async () => {
    // Ids never go back within a process, and their time decides the end of retention.
    world.clock.set(idTime(newId('evt', world.clock.now())))
    workspace = (await world.make('/v1/workspaces', { title: 'Streams' })).id
  })

  const task = (title = 'Ship it') => world.make('/v1/tasks', { workspace, title })
  const tasks = (count: number, description?: string) =>
    world.make('/v1/tasks/batch', {
      workspace,
      data: Array.from({ length: count }, (_, i) => ({ title: `Task ${i}`, ...(description ? { description } : {}) })),
    })
  const open = (query = 'types[]=*', headers: Record<string, string> = {}) =>
    openStream(world.server.url, world.acme.key, query, headers)
  const resume = (id: string, query = 'types[]=*') => open(query, { 'last-event-id': id })
  const newest = async (): Promise<{ id: string; sequence: number }> =>
    (await world.get('/v1/events?limit=1')).body.data[0]
  const stream = '/v1/events/stream'
  // As unlimited as the first, which takes credits in large blocks.
  const unlimited = Object.fromEntries(
    ['MINUTE', 'DAY', 'PLAN_DAY'].map((window) => [`ATRIUM_CREDITS_PER_${window}`, 'unlimited']),
  )
  const second = (more: Record<string, string> = {}) => startSecond(world, { ...unlimited, ...more })

  /** All events after a sequence, oldest first. */
  async function since(sequence: number): Promise<{ id: string; sequence: number }[]> {
    const found: { id: string; sequence: number }[] = []
    for (let next = ''; ; ) {
      const page = (await world.get(`/v1/events?limit=100${next}`)).body
      found.push(...page.data.filter((event: { sequence: number }) => event.sequence > sequence))
      if (page.next_cursor === null || page.data.at(-1).sequence <= sequence) return found.reverse()
      next = `&cursor=${page.next_cursor}`
    }
  }

  it('shows only id and kind of an object that the credential may not read', async () => {
    const { secret } = await world.key({ scopes: ['api:read'] })
    const client = await openStream(world.server.url, secret, 'types[]=workflow.task.*')
    await client.begun()
    const { id } = await task()
    await client.has(1)
    assert.deepEqual(client.frames[0]?.data.data, { object: { id, object: 'task' }, previous_attributes: null })
    await client.close()
  })

  it('starts at the newest event, sends its retry time, and shows each event as the list does', async () => {
    const { sequence } = await newest()
    const client = await open()
    await client.begun()
    const { headers } = client.response
    assert.equal(headers['content-type'], 'text/event-stream')
    assert.equal(headers['cache-control'], 'private, no-store')
    assert.equal(headers['x-ratelimit-cost'], '5')
    assert.equal(headers.etag, `W/"${sequence}"`)
    assert.equal(client.preamble, 'retry: 3000\n: connected\n\n')
    await task()
    await client.has(1)
    const [frame] = client.frames
    const event = (await world.get('/v1/events?limit=1')).body.data[0]
    assert.deepEqual(frame, { id: event.id, event: 'workflow.task.created', data: event })
    await client.close()
  })

  it('sends the requested types, by name or pattern, of this realm only', async () => {
    const exact = await open('types[]=workflow.task.completed&types[]=workflow.workspace.created')
    const area = await open('types=workflow.task.*')
    const whole = await open('types[]=*')
    const { id } = await task()
    await world.make(`/v1/tasks/${id}/complete`, {})
    await world.make('/v1/workspaces', { title: 'Elsewhere' }, { key: world.globex.key })
    await world.make('/v1/workspaces', { title: 'In test' }, { key: world.acme.testKey })
    await world.make('/v1/workspaces', { title: 'Here' })
    await whole.has(3)
    await exact.has(2)
    await area.has(2)
    const types = (client: StreamClient) => client.frames.map((frame) => frame.event)
    assert.deepEqual(types(exact), ['workflow.task.completed', 'workflow.workspace.created'])
    assert.deepEqual(types(area), ['workflow.task.created', 'workflow.task.completed'])
    assert.deepEqual(types(whole), ['workflow.task.created', 'workflow.task.completed', 'workflow.workspace.created'])
    for (const client of [exact, area, whole]) await client.close()
  })

  it('resumes after the named event: first retained events, then new ones', async () => {
    const { id, sequence } = await newest()
    for (let i = 0; i < 3; i++) await tasks(100)
    const client = await resume(id)
    await client.has(300)
    await task('live')
    await client.has(301)
    assert.deepEqual(
      client.frames.map((frame) => frame.data.sequence),
      Array.from({ length: 301 }, (_, i) => sequence + 1 + i),
    )
    await client.close()
  })

  it('clients that disconnect and resume during writes miss and repeat no event', async () => {
    const from = await newest()
    let writing = true
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let i = 0; writing; i++) await (i % 5 === 0 ? tasks(10) : task(`${writer} ${i}`))
    })
    const follow = async (rounds: number) => {
      const ids: string[] = []
      for (let i = 0; i < rounds; i++) {
        const client = await resume(ids.at(-1) ?? from.id)
        await client.has(1 + i * 3)
        await client.close()
        ids.push(...client.frames.map((frame) => frame.id))
      }
      return ids
    }
    const followed = await Promise.all([follow(12), follow(8), follow(4)])
    writing = false
    await Promise.all(writers)
    const all = (await since(from.sequence)).map((event) => event.id)
    for (const ids of followed) {
      assert.deepEqual(ids, all.slice(0, ids.length))
      const last = await resume(ids.at(-1) as string)
      await last.has(all.length - ids.length)
      assert.deepEqual([...ids, ...last.frames.map((frame) => frame.id)], all)
      await last.close()
    }
  })

  it('sends events that another process commits', async () => {
    const other = await second()
    try {
      const client = await openStream(other.url, world.acme.key, 'types[]=workflow.task.created')
      const { id } = await task()
      await client.has(1)
      assert.equal(client.frames[0]?.data.data.object.id, id)
      await client.close()
    } finally {
      await other.close()
    }
  })

  it('refuses an unknown or foreign event with 404, one past retention with 410', async () => {
    const foreign =
      (await world.get('/v1/events?limit=1', { key: world.globex.key })).body.data[0]?.id ??
      newId('evt', world.clock.now())
    for (const id of [newId('evt', world.clock.now()), foreign, 'evt_none', 'nonsense']) {
      const reply = await world.get(`${stream}?types[]=*`, { headers: { 'last-event-id': id } })
      assertRefused(reply, 'resource_not_found')
    }
    const old = newId('evt', world.clock.now())
    const { id } = await newest()
    world.clock.advance(limits.event_retention_ms + 1000)
    for (const gone of [old, id]) {
      assertRefused(await world.get(`${stream}?types[]=*`, { headers: { 'last-event-id': gone } }), 'resource_deleted')
    }
  })

  it('ends when its events are lost in a failover, answers 410 to a client that resumes at one, and skips nothing', async () => {
    await task('survivor')
    const survivor = await newest()
    const client = await open()
    await client.begun()
    await task('lost 1')
    await task('lost 2')
    await client.has(2)
    const lost = client.frames.map((frame) => frame.id)
    await loseEvents(world, survivor.sequence)
    await task('kept')
    assert.equal(await client.ended, 'end')
    for (const id of lost) {
      const reply = await world.get(`${stream}?types[]=*`, { headers: { 'last-event-id': id } })
      assertRefused(reply, 'resource_deleted', 'Last-Event-ID')
    }
    // Other processes, and this one after a restart, know it from the database.
    const other = await second()
    for (const id of lost) {
      const ask = () =>
        call(other.url, 'GET', `${stream}?types[]=*`, { key: world.acme.key, headers: { 'last-event-id': id } })
      let reply = await ask()
      for (let i = 0; reply.status === 404 && i < 100; i++) reply = await ask()
      assertRefused(reply, 'resource_deleted', 'Last-Event-ID')
    }
    await other.close()
    const resumed = await resume(survivor.id)
    await resumed.has(1)
    const [{ data }] = resumed.frames as [(typeof resumed.frames)[0]]
    assert.deepEqual([data.sequence, data.data.object.title], [survivor.sequence + 1, 'kept'])
    await resumed.close()
  })

  it('refuses unknown types', async () => {
    for (const query of ['', '?types[]=nothing.*', '?types[]=workflow.task.created&types[]=x', '?types[]=']) {
      assertRefused(await world.get(`${stream}${query}`), 'invalid_query_parameter', 'types')
    }
  })

  it('a credential may have five streams; the sixth is refused until one has ended', async () => {
    const { secret } = await world.key()
    const openOne = () => openStream(world.server.url, secret, 'types[]=*')
    const clients = await Promise.all(Array.from({ length: limits.streams_max }, openOne))
    const refused = await world.get(`${stream}?types[]=*`, { key: secret })
    assertRefused(refused, 'rate_limit_exceeded')
    assert.equal(refused.headers['retry-after'], '3')
    const other = await open()
    await other.close()
    await clients[0]?.close()
    await ended(world, secret)
    const again = await openOne()
    assert.equal(again.response.statusCode, 200)
    for (const client of [...clients.slice(1), again]) await client.close()
  })

  it('ends cleanly when the server stops', async () => {
    const other = await second()
    const clients = await Promise.all([1, 2].map(() => openStream(other.url, world.acme.key, 'types[]=*')))
    await Promise.all(clients.map((client) => client.begun()))
    await other.close()
    for (const client of clients) assert.equal(await client.ended, 'end')
  })

  it('disconnects only a consumer that does not read', async () => {
    const { secret } = await world.key()
    const slow = await openStream(world.server.url, secret, 'types[]=*')
    await slow.begun()
    slow.response.pause()
    slow.response.socket.pause()
    const quick = await open()
    await quick.begun()
    const description = 'x'.repeat(limits.text_chars_max)
    let made = 0
    while (made < 1000 && world.services.streams.size > 1) {
      for (let i = 0; i < 4; i++) await tasks(10, description)
      made += 40
      await quick.has(made)
    }
    assert.equal(world.services.streams.size, 1)
    slow.response.socket.resume()
    slow.response.resume()
    assert.equal(await slow.ended, 'cut')
    assert.ok(slow.frames.length < made)
    assert.equal(quick.frames.length, made)
    await quick.close()
  })

  it('an EventSource resumes at its position after a restart of the server', async () => {
    let server = await second()
    const { port } = new URL(server.url)
    const got: string[] = []
    let look = () => {}
    const source = new EventSource(`${server.url}${stream}?types[]=workflow.task.created`, {
      fetch: (url, options) =>
        fetch(url, { ...options, headers: { ...options.headers, authorization: `Bearer ${world.acme.key}` } }),
    })
    source.addEventListener('workflow.task.created', (event) => {
      got.push(JSON.parse(event.data).data.object.title)
      look()
    })
    const has = (count: number) =>
      new Promise<void>((resolve) => {
        look = () => {
          if (got.length >= count) resolve()
        }
        look()
      })
    await new Promise<void>((resolve) => source.addEventListener('open', () => resolve()))
    await task('before')
    await has(1)
    await server.close()
    await task('meanwhile 1')
    await task('meanwhile 2')
    server = await second({ ATRIUM_PORT: port })
    await has(3)
    await task('after')
    await has(4)
    assert.deepEqual(got, ['before', 'meanwhile 1', 'meanwhile 2', 'after'])
    source.close()
    await server.close()
  })
})

/** A hung-up stream is noticed a moment later. */
async function ended(world: World, key: string): Promise<void> {
  for (;;) {
    const reply = await openStream(world.server.url, key, 'types[]=*')
    const { statusCode } = reply.response
    await reply.close()
    if (statusCode === 200) return
  }
}

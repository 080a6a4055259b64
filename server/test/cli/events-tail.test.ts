import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { call } from '../call.ts'
import { onOneEngine } from '../engines.ts'
import { Client } from './client.ts'
import { type Installation, newInstallation } from './installation.ts'
import type { Watched } from './terminal.ts'

interface Shown {
  readonly id: string
  readonly sequence: number
  readonly type: string
  readonly data: { readonly object: { readonly title: string } }
}

onOneEngine('atrium events tail', (engine) => {
  let installation: Installation
  let client: Client
  let server: { process: Watched; url: string }
  let workspace: string
  before(async () => {
    installation = await newInstallation(engine)
    const made = await installation.initAcme()
    server = await installation.serve()
    client = new Client(server.url, made.api_key.secret)
    workspace = (await client.json('api', 'workspaces.create', '--title', 'Kepler')).id
  })
  after(async () => {
    client.remove()
    await installation.remove()
  })

  const post = async (title: string): Promise<void> => {
    const { ATRIUM_URL: url = '', ATRIUM_KEY: key = '' } = client.environment
    assert.equal((await call(url, 'POST', '/v1/tasks', { key, body: { workspace, title } })).status, 200)
  }
  const titles = (tail: Watched): string[] => (tail.log as unknown as Shown[]).map(({ data }) => data.object.title)
  /** A tail that follows already: events are made until it shows one. */
  const begun = async (words: string[]): Promise<Watched> => {
    const tail = client.start(['events', 'tail', ...words])
    let following = false
    const shows = tail
      .until(() => tail.log.length > 0)
      .then(() => {
        following = true
      })
    while (!following) await post('First')
    await shows
    return tail
  }

  it('prints what happens from now on as JSON lines, each event once, over a restart of the server, until Ctrl-C', async () => {
    await post('Before')
    const tail = await begun(['--types', 'workflow.task.*'])
    for (let i = 0; i < 20; i++) await post(`Live ${i}`)
    await server.process.kill()
    const { port } = new URL(server.url)
    server = await installation.serve({ ATRIUM_PORT: port })
    for (let i = 0; i < 20; i++) await post(`While it comes back ${i}`)
    await tail.until(() => titles(tail).includes('While it comes back 19'))
    await post('After')
    await tail.until(() => titles(tail).includes('After'))
    tail.signal('SIGINT')
    assert.equal(await tail.exit(), 0)
    const shown = tail.log as unknown as Shown[]
    const all = (await client.json('api', 'events.list', '--all')).data as Shown[]
    const first = shown[0]?.sequence as number
    const expected = all.filter(({ type, sequence }) => type === 'workflow.task.created' && sequence >= first).reverse()
    assert.deepEqual(shown, expected)
    assert.ok(!titles(tail).includes('Before'))
    assert.match(tail.err, /^atrium: The stream was interrupted \([^\n]+\)\. Reconnecting\.\n$/)
  })

  it('begins behind --since, ends after --limit, and takes only what is asked for', async () => {
    const all = (await client.json('api', 'events.list', '--all')).data as Shown[]
    const [third, fourth, fifth] = all.toReversed().slice(2) as [Shown, Shown, Shown]
    const words = ['events', 'tail', '--since', third.id, '--limit', '2']
    const some = await client.run(words)
    assert.deepEqual([some.code, some.out], [0, [fourth, fifth].map((each) => `${JSON.stringify(each)}\n`).join('')])
    const people = await client.run([
      ...words,
      '--output',
      'table',
      '--types',
      'workflow.task.created',
      '--workspace',
      workspace,
    ])
    assert.match(
      people.out,
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC {2}workflow\.task\.created {2}KEP-\d+ \w+ {2}api_key key_\w+ {2}evt_\w+\n/,
    )
    assert.match(people.err, /^The last event was (evt_\w+)\. --since \1 continues after it\.\n$/)
  })

  it('loses nothing in a realm that had no event at all', async () => {
    const organization = (await client.json('api', 'me.retrieve')).organization.id
    const key = await installation.json('key', 'create', '--organization', organization, '--mode', 'test')
    const tail = client.start(['events', 'tail', '--limit', '3'], { ATRIUM_KEY: key.secret })
    let over = false
    const ended = tail.exit().finally(() => {
      over = true
    })
    while (!over) await call(server.url, 'POST', '/v1/workspaces', { key: key.secret, body: { title: 'One more' } })
    assert.equal(await ended, 0)
    const [first, ...others] = (tail.log as unknown as Shown[]).map(({ sequence }) => sequence) as [
      number,
      number,
      number,
    ]
    assert.deepEqual(others, [first + 1, first + 2])
  })

  it('ends with what the server refuses', async () => {
    const type = await client.refused('events', 'tail', '--types', 'workflow.tasks.*')
    assert.deepEqual([type.code, type.param], ['invalid_query_parameter', 'types'])
    const since = await client.run(['events', 'tail', '--since', 'evt_01AAAAAAAAAAAAAAAAAAAAAAAA'])
    assert.equal(since.code, 3)
    const key = await client.run(['events', 'tail'], { environment: { ATRIUM_KEY: 'atr_live_x' } })
    assert.equal(key.code, 4)
    const refused = await client.run(['events', 'tail', '--since', 'evt_x'], {
      environment: { ATRIUM_URL: 'http://127.0.0.1:1' },
    })
    assert.deepEqual([refused.code, refused.out], [7, ''])
  })
})

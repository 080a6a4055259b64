/** An import that is killed at every step, with the request lost or its answer: in the end everything is there, once. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { after, before, it } from 'node:test'
import { onOneEngine } from '../engines.ts'
import { openWorld, type World } from '../world.ts'
import { Client } from './client.ts'
import { type Cut, Gate } from './gate.ts'

const hours_ms = 3_600_000

/** 120 rows in two columns of a project; some with comments, some waiting for others. */
function rows(keyed: boolean): string {
  const lines = Array.from({ length: 120 }, (_, i) => {
    const waits = keyed && i % 60 === 59 ? `K${i - 1};K${i - 2}` : ''
    return [`K${i}`, `Row ${i}`, i % 2 === 0 ? 'Doing' : 'Done', i % 50 === 0 ? `Said of ${i}` : '', waits].join(',')
  })
  return `Id,Name,List,Remark,Waits for\n${lines.join('\n')}\n`
}

const mapping = (keyed: boolean): string[] => [
  ...['--map', 'title=Name', '--map', 'column=List', '--map', 'status=List', '--map', 'project=List:*=Rebuild'],
  ...['--map', 'comment=Remark', '--label-separator', ';'],
  ...(keyed ? ['--map', 'key=Id', '--map', 'blocked_by=Waits for'] : []),
]

onOneEngine('an import that is interrupted', (engine) => {
  let world: World
  let client: Client
  let gate: Gate
  let workspace: string
  before(async () => {
    world = await openWorld(engine)
    gate = new Gate(world.server.url)
    client = new Client(await gate.open(), world.acme.key)
  })
  after(async () => {
    gate.close()
    client.remove()
    await world.close()
  })

  /** Kills the import at a write, again and again, until it ends by itself. Returns how often. */
  const killed = async (
    words: string[],
    cuts: readonly [write: number, cut: Cut][],
    between: () => void,
  ): Promise<number> => {
    for (let kills = 0; ; kills++) {
      const [write, cut] = cuts[kills % cuts.length] as [number, Cut]
      let writes = 0
      const running = client.start(words)
      gate.onWrite = () => (++writes === write ? cut : null)
      gate.onCut = () => void running.kill()
      const code = await running.exit()
      if (code !== null) {
        assert.equal(code, 0, running.err)
        gate.onWrite = () => null
        return kills
      }
      between()
    }
  }

  const assertWhole = async (keyed: boolean): Promise<void> => {
    const all = async (path: string) =>
      (await world.get(`${path}${path.includes('?') ? '&' : '?'}workspace=${workspace}&limit=100`)).body
    const projects = (await all('/v1/projects')).data
    assert.deepEqual(
      projects.map(({ name }: { name: string }) => name),
      ['Rebuild'],
    )
    const columns = (await all('/v1/columns')).data
    assert.deepEqual(columns.map(({ name }: { name: string }) => name).sort(), ['Doing', 'Done'])
    const first = await all('/v1/tasks?sort=created')
    const tasks = [...first.data, ...(await all(`/v1/tasks?sort=created&starting_after=${first.next_cursor}`)).data]
    const byTitle = new Map(tasks.map((task) => [task.title, task]))
    assert.deepEqual([tasks.length, byTitle.size], [120, 120])
    for (let i = 0; i < 120; i++) {
      const { id, status, column } = byTitle.get(`Row ${i}`)
      assert.equal(status, i % 2 === 0 ? 'in_progress' : 'done')
      assert.equal(columns.find((each: { id: string }) => each.id === column).name, i % 2 === 0 ? 'Doing' : 'Done')
      if (i % 50 !== 0) continue
      const comments = (await all(`/v1/tasks/${id}/comments`)).data
      assert.deepEqual(
        comments.map(({ body }: { body: string }) => body),
        [`Said of ${i}`],
      )
    }
    const waits = async (i: number) => (await all(`/v1/tasks/${byTitle.get(`Row ${i}`).id}/dependencies`)).data
    const found = await Promise.all([57, 58, 117, 118].map(waits))
    assert.deepEqual(
      found.map(({ length }) => length),
      keyed ? [1, 1, 1, 1] : [0, 0, 0, 0],
    )
  }

  /** A file of its own, imported with kills; then everything is there, and once more makes nothing. */
  const survives = async (
    name: string,
    keyed: boolean,
    cuts: readonly [number, Cut][],
    between: (journal: string) => void = () => {},
  ): Promise<number> => {
    workspace = (await world.make('/v1/workspaces', { title: name })).id
    const file = client.file(`${name}.csv`, rows(keyed))
    const words = ['import', 'csv', file, '--workspace', workspace, ...mapping(keyed), '--retries', '0', '--quiet']
    const kills = await killed(words, cuts, () => between(`${file}.atrium-import`))
    await assertWhole(keyed)
    await world.markWritten()
    const again = await client.json(...words)
    assert.deepEqual(again.created, { projects: 0, columns: 0, tasks: 0, comments: 0, dependencies: 0 })
    assert.equal(again.created_before, 120)
    await world.assertWritten({ events: [], audit: [] })
    return kills
  }

  // Its first write is the one of the run before, repeated.
  const second: [number, Cut][] = [
    [2, 'before'],
    [2, 'after'],
  ]

  it('goes on by its keys: nothing twice, nothing missing', async () => {
    assert.equal(await survives('keys', true, second), 11)
  })

  it('goes on by the order of its rows: nothing twice, nothing missing', async () => {
    assert.equal(await survives('order', false, second), 7)
  })

  it('goes on when the server has forgotten the keys of its requests: what they made is found', async () => {
    const cuts: [number, Cut][] = [
      [1, 'after'],
      [1, 'after'],
      [1, 'before'],
    ]
    const kills = await survives('old', true, cuts, (journal) => {
      world.clock.advance(26 * hours_ms)
      const text = readFileSync(journal, 'utf8')
      writeFileSync(
        journal,
        text.replaceAll(/"at":(\d+)/g, (_all, at) => `"at":${Number(at) - 48 * hours_ms}`),
      )
    })
    assert.equal(kills, 17)
  })

  it('is not begun a second time without its journal, with another file or with other options', async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Again' })).id
    const file = client.file('again.csv', 'Name\nOne\nTwo\n')
    const words = ['import', 'csv', file, '--workspace', workspace, '--map', 'title=Name']
    assert.equal((await client.json(...words)).created.tasks, 2)
    await world.markWritten()
    assert.match((await client.refused(...words, '--state', `${file}.elsewhere`)).message, /was imported before/)
    assert.match((await client.refused(...words, '--cut')).message, /other options/)
    client.file('again.csv', 'Name\nOne\nTwo\nThree\n')
    assert.match((await client.refused(...words)).message, /The file has changed/)
    await world.assertWritten({ events: [], audit: [] })
    client.file('again.csv', 'Name\nOne\nTwo\n')
    assert.equal((await client.json(...words, '--fresh')).created.tasks, 2)
    assert.equal((await client.json(...words)).created.tasks, 0, 'the new journal counts')
  })

  it('a row that only the server refuses is left out of its batch and reported; the rest is made', async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Refused' })).id
    const file = client.file('refused.csv', 'Name\nOne\nTwo\nThree\n')
    let batches = 0
    gate.onWrite = (path) => {
      if (path !== '/v1/tasks/import' || ++batches > 1) return null
      const message = 'data[1].title is not liked.'
      return {
        status: 400,
        body: { error: { type: 'x', code: 'invalid_request_body', message, param: 'data[1].title' } },
      }
    }
    const words = ['import', 'csv', file, '--workspace', workspace, '--map', 'title=Name', '--json']
    const ran = await client.run(words)
    gate.onWrite = () => null
    assert.equal(ran.code, 1)
    const note = { line: 3, column: 'title', key: 'r2', action: 'refused', reason: 'title is not liked.' }
    assert.deepEqual([JSON.parse(ran.out).created.tasks, JSON.parse(ran.out).notes], [2, [note]])
    const again = await client.run(words)
    assert.deepEqual([again.code, JSON.parse(again.out).created.tasks, JSON.parse(again.out).notes], [1, 0, [note]])
    assert.equal(
      client.read('refused.csv.report.csv'),
      'line,column,key,action,reason\r\n3,title,r2,refused,title is not liked.\r\n',
    )
  })

  it('waits for credits as long as it may, and goes on later where that is not enough', async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Credits' })).id
    const file = client.file('credits.csv', rows(false))
    const words = ['import', 'csv', file, '--workspace', workspace, ...mapping(false)]
    const body = { error: { type: 'rate_limit_error', code: 'rate_limit_exceeded', message: 'No credits.' } }
    let writes = 0
    gate.onWrite = () => (++writes < 4 ? null : { status: 429, body, headers: { 'retry-after': '7200' } })
    const spent = await client.run(words)
    assert.equal(spent.code, 6)
    assert.match(spent.err, /Retry after 7200 s\. The journal records what is done: run the same command again/)
    let short = 0
    gate.onWrite = () => (++short > 3 ? null : { status: 429, body, headers: { 'retry-after': '0' } })
    assert.equal((await client.run(words)).code, 0)
    assert.equal(short > 3, true)
    gate.onWrite = () => null
    await assertWhole(false)
  })

  it('is refused while another run works with its journal; the lock of a run that is gone does not count', async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Locked' })).id
    const file = client.file('locked.csv', 'Name\nOne\n')
    const words = ['import', 'csv', file, '--workspace', workspace, '--map', 'title=Name']
    client.file('locked.csv.atrium-import.lock', String(process.pid))
    assert.match((await client.refused(...words)).message, /^Another import \(process \d+\) uses /)
    const gone = client.start(['completion', 'bash'])
    await gone.exit()
    client.file('locked.csv.atrium-import.lock', String(gone.pid))
    assert.equal((await client.json(...words)).created.tasks, 1)
  })

  it('stops between two requests at Ctrl-C, with 130, and goes on', async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Stopped' })).id
    const file = client.file('stopped.csv', rows(false))
    const words = ['import', 'csv', file, '--workspace', workspace, ...mapping(false)]
    const running = client.start(words)
    let writes = 0
    gate.onWrite = () => {
      if (++writes === 2) running.signal('SIGINT')
      return null
    }
    assert.equal(await running.exit(), 130)
    assert.match(running.err, /run the same command again to continue\.\n$/)
    gate.onWrite = () => null
    assert.equal((await client.run(words)).code, 0)
    await assertWhole(false)
  })
})

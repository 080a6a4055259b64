/** The loader's guarantees: dirty data is loaded as far as possible and reported, and nothing is created twice. */
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { it } from 'node:test'
import { onOneEngine } from '../server/test/engines.ts'
import { type World, worldOf } from '../server/test/world.ts'
import { Api, type Json, Stopped } from './load-board/api.ts'
import { type LoadOptions, loadBoard } from './load-board/load.ts'
import { stageOfLife } from './load-board/mapping.ts'
import { Progress } from './load-board/progress.ts'
import type { Report } from './load-board/report.ts'

const dirty = join(import.meta.dirname, 'fixtures/dirty-board')
const quiet = new Progress(null)
const day_ms = 86_400_000

async function load(world: World, options: Partial<LoadOptions> = {}, url = world.server.url): Promise<Report> {
  const api = new Api({ url, key: world.acme.key, pause: async () => {} })
  return await loadBoard(api, quiet, { folder: dirty, ...options })
}

async function everything(world: World, path: string): Promise<Json[]> {
  return await Array.fromAsync(new Api({ url: world.server.url, key: world.acme.key }).list(path))
}

const loaded = {
  tasks: { made: 6, there: 0, refused: 3 },
  projects: { made: 2, there: 0, refused: 1 },
  dependencies: { made: 3, there: 0, refused: 4 },
  workspaces: { made: 1, there: 0, refused: 0 },
  columns: { made: 4, there: 0, refused: 0 },
}

const found = {
  tasks: { made: 0, there: 6, refused: 3 },
  projects: { made: 0, there: 2, refused: 1 },
  dependencies: { made: 0, there: 3, refused: 4 },
  workspaces: { made: 0, there: 1, refused: 0 },
  columns: { made: 0, there: 4, refused: 0 },
}

onOneEngine('loading a dirty board', (engine) => {
  const world = worldOf(engine)

  it('creates what the API accepts and reports the reasons for the rest', async () => {
    const report = await load(world, { members: { ada: world.acme.user, bob: 'usr_01ARZ3NDEKTSV4RRFFQ69G5FAV' } })
    assert.deepEqual({ ...report.counts }, loaded)
    assert.deepEqual(
      report.refusals.map(({ what, why }) => `${what}: ${why}`),
      [
        'tasks.ndjson:8: no title',
        'tasks.ndjson:10: not a JSON object',
        'projects.ndjson:5: no name',
        'e/kep.yaml: 400 invalid_request_body: The field `title` must have at most 500 characters.',
        'a/kep.yaml → c/kep.yaml: 409 resource_conflict: Both tasks must be in the same project.',
        'b/kep.yaml → z/kep.yaml: task z/kep.yaml was not loaded',
        'h/kep.yaml → h/kep.yaml: 400 invalid_request_body: A task cannot depend on itself.',
        'e/kep.yaml → a/kep.yaml: task e/kep.yaml was not loaded',
      ],
    )
    assert.deepEqual(
      report.notes.map(({ what, why }) => `${what}: ${why}`),
      [
        'tasks.ndjson:6: a/kep.yaml is listed twice',
        'projects.ndjson:4: sig-node is listed twice',
        'dependencies.ndjson:2: a/kep.yaml → b/kep.yaml is listed twice',
        'b/kep.yaml: status "imlpemented" read as implemented',
        'c/kep.yaml: unknown status "provisional|implementable|implemented": left in the backlog',
        'c/kep.yaml: unknown stage "alpha|beta|stable": no label, kept in custom_fields',
        'd/kep.yaml: status "implemented (alpha)" read as implemented',
        'h/kep.yaml: status "Deferred" read as deferred',
        'f/kep.yaml: project "sig-nowhere" does not exist: loaded without a project',
        'b/kep.yaml: not assigned to usr_01ARZ3NDEKTSV4RRFFQ69G5FAV: not an active member',
      ],
    )
  })

  it('keeps titles and all other fields of the source', async () => {
    const { body } = await world.get('/v1/tasks?filter=custom_fields.source="a/kep.yaml"&expand=project,column')
    const [task] = body.data
    assert.equal(task.title, 'Sidecar containers – “native” ✨')
    assert.equal(task.project.name, 'sig-node')
    assert.equal(task.column.name, 'implemented')
    assert.equal(task.assignee, world.acme.user)
    assert.deepEqual([task.status, task.completed_at, task.labels], ['done', 1_700_000_000, ['sig-apps', 'stable']])
    assert.deepEqual(task.custom_fields, {
      source: 'a/kep.yaml',
      number: 1,
      kep_status: 'implemented',
      stage: 'stable',
      latest_milestone: 'v1.33',
      authors: ['“@ada”'],
      reviewers: ['bob'],
      participating: ['sig-apps'],
      feature_gates: ['SidecarContainers'],
      kep_created: 1_600_000_000,
      kep_updated: 1_700_000_000,
      milestone_alpha: 'v1.28',
    })
    const titles = (await everything(world, '/v1/tasks')).map(({ title }) => title)
    assert.ok(titles.includes('  Title with spaces around  '))
  })

  it('creates nothing in a second run, after its keys expired, or with an archived project', async () => {
    await world.markWritten()
    assert.deepEqual({ ...(await load(world)).counts }, found)
    world.clock.advance(2 * day_ms)
    assert.deepEqual({ ...(await load(world)).counts }, found)
    await world.assertWritten({ events: [], audit: [] })
    const [project] = await everything(world, '/v1/projects')
    await world.make(`/v1/projects/${project.id}/archive`, {})
    await world.markWritten()
    assert.deepEqual({ ...(await load(world)).counts }, found)
    await world.assertWritten({ events: [], audit: [] })
  })

  it('creates nothing twice with lost answers and an unreachable server', async () => {
    const { url, server, faults } = await flakyProxy(world.server.url)
    try {
      const report = await load(world, { title: 'Through a bad line' }, url)
      assert.deepEqual({ ...report.counts }, loaded)
      assert.ok(faults.lost > 0 && faults.away > 0)
    } finally {
      server.close()
    }
    const [workspace, ...more] = (await everything(world, '/v1/workspaces')).filter(
      ({ title }) => title === 'Through a bad line',
    )
    assert.equal(more.length, 0)
    for (const [noun, count] of [
      ['projects', 2],
      ['columns', 4],
      ['tasks', 6],
    ] as const) {
      assert.equal((await everything(world, `/v1/${noun}?workspace=${workspace.id}`)).length, count, noun)
    }
  })

  it('stops with a key that may not write', async () => {
    const { secret } = await world.key({ scopes: ['workspaces:read'] })
    const api = new Api({ url: world.server.url, key: secret, pause: async () => {} })
    await assert.rejects(loadBoard(api, quiet, { folder: dirty, title: 'Not mine' }), Stopped)
  })
})

onOneEngine('loading with few credits', (engine) => {
  const world = worldOf(engine, { environment: { ATRIUM_CREDITS_PER_MINUTE: '500' } })

  it('waits for the next minute before the credits run out', async () => {
    const reasons: string[] = []
    const api = new Api({
      url: world.server.url,
      key: world.acme.key,
      pause: async (ms) => world.clock.advance(ms),
      onWait: (_ms, reason) => reasons.push(reason),
    })
    for (let i = 0; i < 5; i++) {
      assert.deepEqual({ ...(await loadBoard(api, quiet, { folder: dirty, title: `Board ${i}` })).counts }, loaded)
    }
    assert.ok(reasons.length > 0)
    assert.deepEqual([...new Set(reasons)], ['the credits are used up'])
  })
})

it('reads a misspelled or annotated status, and guesses nothing else', () => {
  assert.equal(stageOfLife('imlpemented'), 'implemented')
  assert.equal(stageOfLife('Implemented (alpha)'), 'implemented')
  assert.equal(stageOfLife('provisional'), 'provisional')
  assert.equal(stageOfLife('provisional|implementable'), null)
  assert.equal(stageOfLife('done'), null)
})

/** Every third write loses its answer after its commit; every fifth request finds the server unreachable. */
async function flakyProxy(
  target: string,
): Promise<{ url: string; server: Server; faults: { lost: number; away: number } }> {
  const faults = { lost: 0, away: 0 }
  let requests = 0
  let writes = 0
  const server = createServer(async (request, response) => {
    requests++
    if (requests % 5 === 0) {
      faults.away++
      response.writeHead(503, { 'Retry-After': '1' }).end('{"error":{"code":"rate_limit_unavailable"}}')
      return
    }
    const body = Buffer.concat(await request.toArray())
    const { authorization, 'idempotency-key': key } = request.headers
    const answer = await fetch(`${target}${request.url}`, {
      method: request.method as string,
      headers: {
        authorization: authorization as string,
        ...(key === undefined ? {} : { 'idempotency-key': key as string, 'content-type': 'application/json' }),
      },
      ...(body.length === 0 ? {} : { body }),
    })
    const text = await answer.text()
    if (request.method === 'POST' && ++writes % 3 === 0) {
      faults.lost++
      request.socket.destroy()
      return
    }
    response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, faults }
}

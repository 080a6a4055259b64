import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { before, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { onEveryWorld } from '../../../test/world.ts'
import { limits } from '../../api/limits.ts'
import { query } from '../../db/query.ts'
import { exportsWorker } from '../../workers/exports.ts'
import { worker_limits } from '../../workers/limits.ts'
import { exportSweep } from '../../workers/sweeps/exports.ts'

onEveryWorld('exports', (world) => {
  let workspace: string
  let tasks: { id: string }[]
  before(async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Exports' })).id
    const data = Array.from({ length: 100 }, (_, i) => ({ title: `Täsk ${i} ☃`, status: i % 2 ? 'done' : 'todo' }))
    tasks = (await world.make('/v1/tasks/batch', { workspace, data })).data
  })

  const run = () => exportsWorker.run(world.services, 1, new AbortController().signal)
  const job = async (id: string) => (await world.get(`/v1/jobs/${id}`)).body
  const fetchFile = (url: string, headers: Record<string, string> = {}) => fetch(url, { headers })
  const finished = async (body: object = {}) => {
    const { id } = await world.make('/v1/exports', { resource: 'tasks', ...body })
    assert.equal(await run(), 1)
    return await job(id)
  }

  it('a file contains every task once, ascending, each line equal to its GET', async () => {
    await world.markWritten()
    const done = await finished({ workspace })
    assert.deepEqual([done.status, done.row_count], ['completed', 100])
    const text = await (await fetchFile(done.download_url)).text()
    const lines = text.trimEnd().split('\n')
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).id),
      tasks.map((task) => task.id),
    )
    for (const [i, task] of [tasks[0], tasks[57]].entries()) {
      assert.equal(lines[i === 0 ? 0 : 57], (await world.get(`/v1/tasks/${task?.id}`)).text)
    }
    assert.equal(createHash('sha256').update(text).digest('hex'), done.sha256)
    assert.equal(Buffer.byteLength(text), done.size_bytes)
    await world.assertWritten({
      events: ['workflow.export_job.created', 'workflow.export_job.completed'],
      audit: ['exports.create', 'exports.complete'],
    })
  })

  it('filters select as in the list', async () => {
    const done = await finished({ workspace, status: ['done'], filter: 'title:"täsk 1"' })
    const list = await world.get(
      `/v1/tasks?workspace=${workspace}&status=done&filter=title:%22täsk%201%22&limit=100`.replaceAll('ä', '%C3%A4'),
    )
    assert.equal(done.row_count, list.body.data.length)
    assert.ok(done.row_count > 0)
  })

  it('an export without matching tasks is an empty file', async () => {
    const done = await finished({ workspace, status: ['blocked'] })
    assert.deepEqual([done.status, done.row_count, done.size_bytes], ['completed', 0, 0])
    assert.equal(await (await fetchFile(done.download_url)).text(), '')
  })

  it('ranges return exactly their bytes, and one beyond the end answers 416', async () => {
    const done = await finished({ workspace })
    const whole = Buffer.from(await (await fetchFile(done.download_url)).arrayBuffer())
    for (const [range, first, last] of [
      ['bytes=0-9', 0, 10],
      ['bytes=100-', 100, whole.length],
      ['bytes=-7', whole.length - 7, whole.length],
    ] as const) {
      const part = await fetchFile(done.download_url, { range })
      assert.equal(part.status, 206)
      assert.deepEqual(Buffer.from(await part.arrayBuffer()), whole.subarray(first, last))
    }
    const beyond = await fetchFile(done.download_url, { range: `bytes=${whole.length}-` })
    assert.deepEqual([beyond.status, beyond.headers.get('content-range')], [416, `bytes */${whole.length}`])
  })

  it('gzip contains the same file', async () => {
    const done = await finished({ workspace })
    const { request } = await import('node:http')
    const packed = await new Promise<Buffer>((resolve, reject) => {
      request(done.download_url, { headers: { 'accept-encoding': 'gzip' } }, (answer) => {
        assert.equal(answer.headers['content-encoding'], 'gzip')
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => resolve(Buffer.concat(chunks)))
      })
        .on('error', reject)
        .end()
    })
    assert.equal(createHash('sha256').update(gunzipSync(packed)).digest('hex'), done.sha256)
  })

  it('a changed signature and an old link are refused, and each retrieve gives a new link', async () => {
    const done = await finished({ workspace })
    const torn = await fetchFile(done.download_url.replace(/.$/, (last: string) => (last === 'A' ? 'B' : 'A')))
    assert.equal(torn.status, 404)
    const stretched = await fetchFile(
      done.download_url.replace(/expires=(\d+)/, (_: string, at: string) => `expires=${Number(at) + 1}`),
    )
    assert.equal(stretched.status, 404)
    world.clock.advance(limits.export_url_ms)
    assert.equal((await fetchFile(done.download_url)).status, 410)
    assert.equal((await fetchFile((await job(done.id)).download_url)).status, 200)
  })

  it('another process takes over an export after the lease of a dead one, and only the last attempt counts', async () => {
    const { id } = await world.make('/v1/exports', { resource: 'tasks', workspace })
    const { store } = world.services
    const lost = { realm: world.acme.realms.live, id, until: world.clock.now() + worker_limits.export_lease_ms }
    const { updateQuery } = await import('../../db/query.ts')
    await store.write('system', async (tx) => {
      tx.write(updateQuery('export_jobs', ['status', 'attempt', 'tries', 'lease_owner', 'lease_until']), {
        ...lost,
        status: 'running',
        attempt: 1,
        tries: 1,
        lease_owner: 'a process that is gone',
        lease_until: lost.until,
      })
      tx.insert('export_chunks', {
        realm: lost.realm,
        job: id,
        attempt: 1,
        number: 0,
        offset_bytes: 0,
        size_bytes: 4,
        lines: 'half',
      })
    })
    assert.equal(await run(), 0)
    world.clock.advance(worker_limits.export_lease_ms)
    assert.equal(await run(), 1)
    const done = await job(id)
    assert.deepEqual([done.status, done.row_count], ['completed', 100])
    const text = await (await fetchFile(done.download_url)).text()
    assert.equal(createHash('sha256').update(text).digest('hex'), done.sha256)
  })

  it('after seven days the job is expired, its links are refused, and its file is swept', async () => {
    const done = await finished({ workspace })
    world.clock.advance(limits.export_file_ms - 1)
    assert.equal((await job(done.id)).status, 'completed')
    const last = (await job(done.id)).download_url
    world.clock.advance(1)
    const over = await job(done.id)
    assert.deepEqual([over.status, over.download_url, over.sha256], ['expired', null, done.sha256])
    assert.equal((await fetchFile(last)).status, 410)
    const { signal } = new AbortController()
    while ((await exportSweep.run(world.services, 20, signal)) > 0);
    const chunks = query((db) =>
      db.selectFrom('export_chunks').select('job').distinct().orderBy('job', 'desc').limit(1),
    )
    // A process whose clock is behind still shows a link.
    assert.deepEqual(await world.services.store.reader('system').all(chunks), [{ job: done.id }])
    world.clock.advance(limits.clocks_apart_ms)
    while ((await exportSweep.run(world.services, 20, signal)) > 0);
    assert.deepEqual(await world.services.store.reader('system').all(chunks), [])
  })

  it('an invalid request is refused by name', async () => {
    for (const [body, param] of [
      [{}, 'resource'],
      [{ resource: 'projects' }, 'resource'],
      [{ resource: 'tasks', workspace: 'wsp_none' }, 'workspace'],
      [{ resource: 'tasks', project: ['prj_none'] }, 'project[0]'],
      [{ resource: 'tasks', filter: 'status =' }, 'filter'],
      [{ resource: 'tasks', due_before: -1 }, 'due_before'],
    ] as const) {
      const reply = await world.post('/v1/exports', body)
      assert.deepEqual([reply.status, reply.body.error.param], [400, param], JSON.stringify(body))
    }
  })
})

/** The parts of the benchmark work: floors and product are seeded, started, and answer every job and list. No figure is asserted. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { type EngineName, newDatabase, onEveryEngine } from '../server/test/engines.ts'
import { Floors, floor_cases } from './floors.ts'
import { listCases, planOf } from './list-cases.ts'
import { listTask, rare_tasks } from './list-tasks.ts'
import { Product } from './product.ts'
import type { ServerProcess } from './server-process.ts'
import { type Job, jobs, type Target, writeTags, writeTarget } from './target.ts'

const tasks = 60

/** Sends one request of a job as `load.lua` does. */
async function request(server: ServerProcess, target: Target, job: Job, key: string): Promise<Response> {
  const id = target.ids[7] as string
  const headers = { Authorization: `Bearer ${target.key}` }
  const write = { ...headers, 'Content-Type': 'application/json', 'Idempotency-Key': key }
  if (job === 'list') return await fetch(`${server.url}${target.list}${target.ids[30]}`, { headers })
  if (job === 'get') return await fetch(`${server.url}/v1/tasks/${id}`, { headers })
  if (job === '304') {
    const tag = (await fetch(`${server.url}/v1/tasks/${id}`, { headers })).headers.get('etag') as string
    return await fetch(`${server.url}/v1/tasks/${id}`, { headers: { ...headers, 'If-None-Match': tag } })
  }
  const [method, path, body] =
    job === 'update' ? ['PATCH', `/v1/tasks/${id}`, target.update] : ['POST', '/v1/tasks', target.create]
  return await fetch(`${server.url}${path}`, { method, headers: write, body: JSON.stringify(body) })
}

async function assertAnswers(server: ServerProcess, target: Target, engine: EngineName): Promise<void> {
  for (const job of jobs) {
    if (floor_cases[engine][job] === null) continue
    const answer = await request(server, target, job, `bench-test-${job}`)
    assert.equal(Math.floor(answer.status / 100), job === '304' ? 3 : 2, `${job}: ${answer.status}`)
    if (job === 'list') assert.equal(((await answer.json()) as { data: object[] }).data.length, 20)
  }
}

onEveryEngine('the benchmark', (engine) => {
  const work = mkdtempSync(join(tmpdir(), 'atrium-bench-'))
  after(() => rmSync(work, { recursive: true, force: true }))

  it('seeds the floor, which answers every job', async () => {
    const database = await newDatabase(engine)
    const floors = new Floors(work)
    const target = floors.seed(tasks, engine === 'postgres' ? database.url : undefined)
    const server = await (engine === 'postgres' ? floors.startPostgres(database.url) : floors.startSqlite())
    try {
      await assertAnswers(server, target, engine)
    } finally {
      await server.stop()
      await database.remove()
    }
  })

  it('gets an answer and a plan for every list, with the rare tasks only', async () => {
    const database = await newDatabase(engine)
    const product = new Product(work)
    const seeded = await product.seed(database.url, { tasks: rare_tasks * 40, task: listTask, tokens: 2 })
    const server = await product.start(database.url)
    try {
      assert.equal(new Set([seeded.key, ...seeded.tokens]).size, 3)
      for (const one of listCases(seeded.frame)) {
        const ask = `${server.url}/v1/tasks?${new URLSearchParams({ ...one.query, limit: '100' })}`
        const answer = await fetch(ask, { headers: { Authorization: `Bearer ${seeded.tokens[1]}` } })
        const { data } = (await answer.json()) as { data: object[] }
        const found = one.name.includes('none') ? 0 : one.name.endsWith('one') ? 1 : rare_tasks
        if (/rare|one$/.test(one.name)) assert.equal(data.length, found, one.name)
        else assert.ok(data.length >= 5 || found === 0, `${one.name}: ${data.length}`)
        assert.match(await planOf(engine, database.url, seeded.frame, one), /tasks/, one.name)
      }
    } finally {
      await server.stop()
      await database.remove()
    }
  })

  it('seeds the product, which answers every job', async () => {
    const database = await newDatabase(engine)
    const product = new Product(work)
    const target = await (engine === 'postgres' ? product.seed(database.url, { tasks }) : product.seedSqlite(tasks))
    assert.equal(target.ids.length, tasks)
    const server = await (engine === 'postgres' ? product.start(database.url) : product.startSqlite())
    try {
      await assertAnswers(server, target, engine)
      const made = await fetch(`${server.url}/v1/tasks/batch`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${target.key}`, 'Content-Type': 'application/json', 'Idempotency-Key': 'b' },
        body: JSON.stringify(target.batch),
      })
      assert.equal(((await made.json()) as { data: object[] }).data.length, 100)
      const folder = join(work, 'load')
      writeTarget(folder, target)
      await writeTags(folder, target, server.url)
      assert.equal(readFileSync(join(folder, 'tags.txt'), 'utf8').trimEnd().split('\n').length, tasks)
    } finally {
      await server.stop()
      await database.remove()
    }
  })
})

/** A Citus cluster with one organization, a server, and clients that write and read while nodes fail and shards move. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { call } from '../call.ts'
import { type Citus, startCitus } from '../citus.ts'
import type { Postgres } from '../postgres.ts'
import { type Installation, install, makeWorkspace } from './installation.ts'
import { type ServerProcess, serve } from './processes.ts'
import { assertReplays, assertSound, assertTasksAre, reading } from './soundness.ts'
import { Writers } from './writers.ts'

const writers_count = 6
const readers_count = 3

export interface Place {
  readonly shard: number
  readonly host: string
  readonly port: number
}

export class CitusLoad implements AsyncDisposable {
  readonly citus: Citus
  readonly installation: Installation
  readonly server: ServerProcess
  readonly writers: Writers
  /** Answers to reads, other than the task itself. */
  readonly misread = new Map<string, number>()
  private readonly folder: string
  private reading: Promise<unknown> | null = null
  private going = true

  private constructor(
    citus: Citus,
    folder: string,
    installation: Installation,
    server: ServerProcess,
    workspace: string,
  ) {
    this.citus = citus
    this.folder = folder
    this.installation = installation
    this.server = server
    let made = 0
    this.writers = new Writers(writers_count, () => ({
      path: '/v1/tasks',
      body: { workspace, title: `Task ${++made}` },
    }))
  }

  static async open(programs: string): Promise<CitusLoad> {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-test-'))
    const citus = await startCitus(programs)
    try {
      const installation = await install(citus.url, folder)
      const server = await serve(installation.environment)
      const workspace = await makeWorkspace(server.url, installation.key)
      return new CitusLoad(citus, folder, installation, server, workspace)
    } catch (error) {
      await citus[Symbol.asyncDispose]()
      throw error
    }
  }

  /** Writes and reads until `settle`. */
  start(): void {
    this.writers.start(() => this.server.url, this.installation.key)
    this.reading = Promise.all(Array.from({ length: readers_count }, () => this.read()))
  }

  private async read(): Promise<void> {
    const { answered } = this.writers
    while (this.going) {
      const one = answered[Math.floor(Math.random() * answered.length)]
      if (one === undefined) {
        await new Promise(setImmediate)
        continue
      }
      const id = JSON.parse(one.text).id as string
      const { key } = this.installation
      const reply = await call(this.server.url, 'GET', `/v1/tasks/${id}`, { key }).catch(() => null)
      if (reply?.status === 200 && reply.body.id === id) continue
      const seen = reply === null ? 'no answer' : `${reply.status} ${reply.body?.error?.code}`
      this.misread.set(seen, (this.misread.get(seen) ?? 0) + 1)
    }
  }

  /** Stops the clients. Nothing answered is lost or doubled, and clients have seen only what they may repeat. */
  async settle(): Promise<void> {
    const { writers, installation, server, citus } = this
    await writers.stop()
    this.going = false
    await this.reading
    assert.deepEqual(writers.wrong, [])
    assert.equal(writers.seen.get(0), undefined, 'every write was answered')
    for (const seen of this.misread.keys()) assert.match(seen, /^503 /, `a read was answered with ${seen}`)
    await assertReplays(server.url, installation.key, writers.answered)
    await reading(citus.url, async (reader) => {
      await assertSound(reader, installation.organization)
      await assertTasksAre(reader, installation, writers.answered)
    })
    assert.equal(await server.stop(), 0, server.log())
  }

  async ask<R extends object>(text: string, url = this.citus.url): Promise<R[]> {
    const client = new pg.Client(url)
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }

  /** Where the organization's rows are. */
  async place(): Promise<Place> {
    const [found] = await this.ask<Place>(
      `select placement.shardid::int as shard, nodename as host, nodeport as port from pg_dist_node
       join pg_dist_placement as placement using (groupid) where placement.shardid =
         get_shard_id_for_distribution_column('event_heads', ${this.installation.realms.live})`,
    )
    assert.ok(found)
    return found
  }

  /** The worker with the organization's rows, and the other one. */
  async workers(): Promise<{ own: Postgres; other: Postgres }> {
    const { port } = await this.place()
    const [one, two] = this.citus.workers as [Postgres, Postgres]
    return one.port === port ? { own: one, other: two } : { own: two, other: one }
  }

  /** Writes of the shard wait meanwhile: PostgreSQL cannot replicate to tables with row-level security as their owner. */
  async move(to: Postgres): Promise<void> {
    const { shard, host, port } = await this.place()
    const target = new URL(to.url)
    await this.ask(
      `select citus_move_shard_placement(${shard}, '${host}', ${port}, '${target.hostname}', ${target.port}, 'block_writes')`,
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.going = false
    this.writers.giveUp()
    await this.server.kill()
    await this.citus[Symbol.asyncDispose]()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

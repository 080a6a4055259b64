/** The surroundings of one benchmark: a folder, databases of one engine, and servers. Everything is removed at the end. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { buildServer, built, isBuilt } from '../build/server.ts'
import type { Postgres } from '../server/test/postgres.ts'
import { familyMicros, pin, server_core, watchOthers } from './machine.ts'
import { Product, type Start } from './product.ts'
import type { ServerProcess } from './server-process.ts'

export type Engine = 'sqlite' | 'postgres'

export const work = join(import.meta.dirname, '.work')

export class Stage {
  readonly engine: Engine
  readonly folder: string
  readonly product: Product
  /** The folder for CPU profiles of the servers; `null`: no profiles. */
  profiles: string | null = null
  private readonly postgres: Postgres | null
  private readonly running = new Set<ServerProcess>()
  private watched = { busy: 0, seconds: 0 }

  constructor(engine: Engine, folder: string, postgres: Postgres | null) {
    this.engine = engine
    this.folder = folder
    this.postgres = postgres
    this.product = new Product(folder)
  }

  /** The URL of a new, empty database. */
  async newDatabase(name: string): Promise<string> {
    if (this.postgres === null) return `file:${join(this.folder, `${name}.db`)}`
    await ask(this.postgres.url, `create database ${name}`)
    const url = new URL(this.postgres.url)
    url.pathname = `/${name}`
    return url.href
  }

  /** What PostgreSQL does by itself soon after an import. SQLite needs nothing. */
  async settle(databaseUrl: string): Promise<void> {
    if (this.engine === 'postgres') await ask(databaseUrl, 'vacuum analyze')
  }

  /** Starts the product, on the server's core by default. */
  async start(databaseUrl: string, start: Start = {}): Promise<ServerProcess> {
    const { core = server_core, environment = {} } = start
    const profiled: Record<string, string> =
      this.profiles === null
        ? {}
        : { NODE_OPTIONS: `${environment.NODE_OPTIONS ?? ''} --cpu-prof --cpu-prof-dir=${this.profiles}` }
    const server = await this.product.start(databaseUrl, { core, environment: { ...environment, ...profiled } })
    this.running.add(server)
    return server
  }

  async stop(server: ServerProcess): Promise<void> {
    this.running.delete(server)
    await server.stop()
  }

  /** CPU time of the database server in microseconds; 0 on SQLite, which runs in the product. */
  databaseMicros(): number {
    return this.postgres === null ? 0 : familyMicros(postmaster(this.postgres))
  }

  /** The same for a server that the benchmark started itself. */
  microsOf(postgres: Postgres): number {
    return familyMicros(postmaster(postgres))
  }

  /** Measures other processes meanwhile. A server started by `job` must be stopped by it. */
  async measured<T>(job: () => Promise<T>): Promise<T> {
    const from = performance.now()
    const others = watchOthers(() => this.ownMicros())
    const result = await job()
    const seconds = (performance.now() - from) / 1000
    this.watched = { busy: this.watched.busy + others() * seconds, seconds: this.watched.seconds + seconds }
    return result
  }

  private ownMicros(): number {
    let sum = this.databaseMicros()
    for (const server of this.running) sum += server.cpuMicros()
    return sum
  }

  /** Cores used by other processes during `measured`. */
  others(): number {
    return this.watched.seconds === 0 ? 0 : this.watched.busy / this.watched.seconds
  }

  async close(): Promise<void> {
    for (const server of this.running) await server.stop()
    await this.postgres?.stop()
  }
}

/** Runs a job with its own stage, on the load's core. PostgreSQL is not pinned, and its commits are durable. */
export async function onStage<T>(engine: Engine, name: string, job: (stage: Stage) => Promise<T>): Promise<T> {
  mkdirSync(work, { recursive: true })
  // The built program, as installed: from source it takes 30 MiB more and starts later.
  if (!isBuilt()) await buildServer(built)
  const folder = mkdtempSync(join(work, `${name}-`))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  const { startPostgres } = await import('../server/test/postgres.ts')
  // Child processes inherit the cores.
  pin('anywhere')
  const stage = new Stage(engine, folder, engine === 'postgres' ? await startPostgres({ fsync: true }) : null)
  pin('load')
  try {
    return await job(stage)
  } finally {
    await stage.close()
    process.off('exit', remove)
    remove()
  }
}

function postmaster({ dataDir }: Postgres): number {
  return Number(readFileSync(join(dataDir, 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0])
}

export async function ask(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

/** The product as a target: `bin/atrium serve` with every rule on, over a seeded database. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { copyDatabase } from './floors.ts'
import { type Seed, type Seeded, seedProduct } from './seed-product.ts'
import { type ServerProcess, startServer } from './server-process.ts'

const program = join(import.meta.dirname, '../bin/atrium')
/** Only so that a database can be moved between folders; it protects nothing here. */
const secret_key = Buffer.alloc(32, 7).toString('base64')

export interface Start {
  readonly core?: number
  /** Variables besides those that every start has. */
  readonly environment?: Readonly<Record<string, string>>
}

export class Product {
  private readonly work: string

  /** `work` takes the databases. */
  constructor(work: string) {
    this.work = work
  }

  private environment(databaseUrl: string): Record<string, string> {
    return {
      ATRIUM_DATABASE_URL: databaseUrl,
      ATRIUM_DATA_DIR: this.work,
      ATRIUM_SECRET_KEY: secret_key,
      ATRIUM_PORT: '0',
      ATRIUM_CREDITS_PER_MINUTE: 'unlimited',
      ATRIUM_CREDITS_PER_DAY: 'unlimited',
      ATRIUM_CREDITS_PER_PLAN_DAY: 'unlimited',
    }
  }

  /** Fills an empty database of either engine. */
  seed(databaseUrl: string, seed: Seed): Promise<Seeded> {
    return seedProduct(this.environment(databaseUrl), seed)
  }

  start(databaseUrl: string, { core, environment = {} }: Start = {}): Promise<ServerProcess> {
    return startServer({
      command: [program, 'serve'],
      environment: { ...this.environment(databaseUrl), ...environment },
      ready: listeningAt,
      ...(core === undefined ? {} : { core }),
    })
  }

  /** Makes the SQLite database that every start copies. */
  seedSqlite(tasks: number): Promise<Seeded> {
    const database = join(this.work, 'product.db')
    for (const end of ['', '-wal', '-shm']) rmSync(`${database}${end}`, { force: true })
    return this.seed(`file:${database}`, { tasks })
  }

  startSqlite(core?: number): Promise<ServerProcess> {
    // A folder of its own: what the product keeps beside its database is new too.
    const folder = join(this.work, 'run', 'product')
    rmSync(folder, { recursive: true, force: true })
    const database = join(folder, 'product.db')
    copyDatabase(join(this.work, 'product.db'), database)
    return this.start(`file:${database}`, core === undefined ? {} : { core })
  }
}

function listeningAt(line: string): string | null {
  if (!line.startsWith('{')) return null
  const said = JSON.parse(line) as { msg?: string; url?: string }
  return said.msg === 'listening' ? (said.url ?? null) : null
}

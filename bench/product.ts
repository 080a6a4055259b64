/** The product as a target: `bin/atrium serve` with all rules over a seeded database. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { copyDatabase } from './floors.ts'
import { type Seed, type Seeded, seedOrganizations, seedProduct } from './seed-product.ts'
import { type ServerProcess, startServer } from './server-process.ts'

const program = join(import.meta.dirname, '../bin/atrium')
/** Fixed, so that a database can move between folders. */
const secret_key = Buffer.alloc(32, 7).toString('base64')

export interface Start {
  readonly core?: number
  /** Additional variables. */
  readonly environment?: Readonly<Record<string, string>>
}

/** The settings of a measured server: any free port, unlimited credits. */
export function productEnvironment(databaseUrl: string, dataDir: string): Record<string, string> {
  return {
    ATRIUM_DATABASE_URL: databaseUrl,
    ATRIUM_DATA_DIR: dataDir,
    ATRIUM_SECRET_KEY: secret_key,
    ATRIUM_PORT: '0',
    ATRIUM_CREDITS_PER_MINUTE: 'unlimited',
    ATRIUM_CREDITS_PER_DAY: 'unlimited',
    ATRIUM_CREDITS_PER_PLAN_DAY: 'unlimited',
  }
}

export class Product {
  private readonly work: string

  /** `work`: for the databases. */
  constructor(work: string) {
    this.work = work
  }

  private environment(databaseUrl: string): Record<string, string> {
    return productEnvironment(databaseUrl, this.work)
  }

  /** Fills an empty database. */
  seed(databaseUrl: string, seed: Seed): Promise<Seeded> {
    return seedProduct(this.environment(databaseUrl), seed)
  }

  /** The same with several organizations, each with the seed's number of tasks. */
  seedOrganizations(databaseUrl: string, seed: Seed, organizations: number): Promise<Seeded[]> {
    return seedOrganizations(this.environment(databaseUrl), seed, organizations)
  }

  start(databaseUrl: string, { core, environment = {} }: Start = {}): Promise<ServerProcess> {
    return startServer({
      command: [program, 'serve'],
      environment: { ...this.environment(databaseUrl), ...environment },
      ready: listeningAt,
      ...(core === undefined ? {} : { core }),
    })
  }

  /** Creates the SQLite database that every start copies. */
  seedSqlite(tasks: number): Promise<Seeded> {
    const database = join(this.work, 'product.db')
    for (const end of ['', '-wal', '-shm']) rmSync(`${database}${end}`, { force: true })
    return this.seed(`file:${database}`, { tasks })
  }

  startSqlite(core?: number): Promise<ServerProcess> {
    // A new folder, because the product keeps files beside its database.
    const folder = join(this.work, 'run', 'product')
    rmSync(folder, { recursive: true, force: true })
    const database = join(folder, 'product.db')
    copyDatabase(join(this.work, 'product.db'), database)
    return this.start(`file:${database}`, core === undefined ? {} : { core })
  }
}

export function listeningAt(line: string): string | null {
  if (!line.startsWith('{')) return null
  const entry = JSON.parse(line) as { msg?: string; url?: string }
  return entry.msg === 'listening' ? (entry.url ?? null) : null
}

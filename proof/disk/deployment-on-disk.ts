/** A deployment whose database is in a given folder, such as a mounted image, with one server over it. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { checkIntegrity } from '../../server/src/db/backup/inspect.ts'
import { install } from '../../server/test/durability/installation.ts'
import { startPostgres } from '../../server/test/postgres.ts'
import { type Deployment, openDeployment } from '../deployment.ts'
import type { Dice } from '../dice.ts'
import { type Plant, planted } from '../plant.ts'
import type { EngineName } from '../row.ts'
import { withStore } from '../with-store.ts'
import type { Image } from './image.ts'
import { assertPagesSound, checkpoint, hasGivenUp } from './postgres-state.ts'
import { RestartableServer } from './restartable-server.ts'

export interface DeploymentOnDisk extends Omit<Deployment, 'serve'> {
  /** With SQLite it has the files of the folder open; with PostgreSQL only the database server has. */
  readonly server: RestartableServer
  /** Ends the processes that have files of the folder open, as a crash of the machine does. `kill`: also the server. */
  stop(kill: boolean): Promise<void>
  start(): Promise<void>
  /** Restarts a PostgreSQL that gave up, as a supervisor would. Returns whether it had to. */
  revive(): Promise<boolean>
  /** The folders of the database's files. */
  folders(): string[]
  /** Makes PostgreSQL write its pages. Never rejects. */
  checkpoint(): Promise<void>
}

export interface DiskOptions {
  /** Planted in the server, besides the plants of this process. */
  readonly plants?: readonly Plant[]
  /** The environment of the processes that open the database's files. */
  readonly preload?: Readonly<Record<string, string>>
}

/** Creates a database with an organization in the folder and starts a server over it. */
export async function openOnDisk(
  folder: string,
  engine: EngineName,
  options: DiskOptions = {},
): Promise<DeploymentOnDisk> {
  const opened = await (engine === 'sqlite' ? openSqlite : openPostgres)(folder, options)
  await opened.server.open()
  return opened
}

async function openSqlite(disk: string, { plants = [], preload = {} }: DiskOptions): Promise<DeploymentOnDisk> {
  const folder = join(disk, 'data')
  const database = { url: `file:${join(folder, 'atrium.db')}`, folder, remove: async () => {} }
  const installation = await install(database.url, folder)
  const server = new RestartableServer({ ...planted(plants), ...installation.environment, ...preload })
  return {
    engine: 'sqlite',
    ...{ database, installation, server, folders: () => [folder] },
    async stop(kill) {
      // A server that cannot close on a dead disk keeps files open until its process ends.
      if (kill || (await server.close()) !== null) await server.kill()
    },
    start: () => server.open(),
    revive: async () => false,
    async checkpoint() {},
    [Symbol.asyncDispose]: () => server.kill(),
  }
}

async function openPostgres(disk: string, { plants = [], preload = {} }: DiskOptions): Promise<DeploymentOnDisk> {
  const dataDir = join(disk, 'postgres')
  const postgres = await withEnvironment(preload, () => startPostgres({ dataDir, fsync: true }))
  const named = process.env.ATRIUM_TEST_POSTGRES_URL
  process.env.ATRIUM_TEST_POSTGRES_URL = postgres.url
  const deployment = await openDeployment('postgres')
  const server = new RestartableServer({ ...planted(plants), ...deployment.installation.environment })
  const restart = () => withEnvironment(preload, () => postgres.restart())
  return {
    ...{ ...deployment, server, folders: () => foldersOf(join(dataDir, 'cluster')) },
    async stop(kill) {
      if (kill) await server.kill()
      await postgres.kill()
    },
    async start() {
      await restart()
      if (!server.isAlive) await server.open()
    },
    async revive() {
      const isDown = await hasGivenUp(postgres.url)
      if (isDown) await postgres.kill().then(restart)
      return isDown
    },
    checkpoint: () => checkpoint(postgres.url),
    async [Symbol.asyncDispose]() {
      await server.kill()
      try {
        await deployment[Symbol.asyncDispose]()
      } catch {
        // The cluster may be down for good. Its folder goes with the image.
      }
      await postgres.kill()
      if (named === undefined) delete process.env.ATRIUM_TEST_POSTGRES_URL
      else process.env.ATRIUM_TEST_POSTGRES_URL = named
    },
  }
}

/** Extends this process's environment while `work` starts processes. */
async function withEnvironment<T>(more: Readonly<Record<string, string>>, work: () => Promise<T>): Promise<T> {
  const before = Object.keys(more).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, more)
  try {
    return await work()
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}

function foldersOf(cluster: string): string[] {
  const bases = readdirSync(join(cluster, 'base')).map((name) => join(cluster, 'base', name))
  return [join(cluster, 'pg_wal'), ...bases]
}

const page_bytes = 4096
/** How many of the newest files get some pages written back. */
const files_max = 6

/** Writes back random pages, as the system may do at any time in any order. Returns how many. */
export function writeBackSome(image: Image, { folders }: DeploymentOnDisk, dice: Dice): number {
  const files = folders().flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  const large = files.filter((path) => statSync(path).isFile() && statSync(path).size > page_bytes)
  const newest = large.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs).slice(0, files_max)
  let pages = 0
  for (const path of newest) {
    const last = Math.floor(statSync(path).size / page_bytes) - 1
    const ranges = Array.from({ length: dice.int(1, 24) }, () => {
      const count = dice.int(1, 4)
      pages += count
      return [dice.int(0, last) * page_bytes, count * page_bytes]
    })
    image.writeBack(path, ranges.flat())
  }
  return pages
}

/** Checks every page, row and index. Rejects with what is wrong. */
export async function assertWhole({ engine, database }: Pick<Deployment, 'engine' | 'database'>): Promise<void> {
  if (engine === 'postgres') return await assertPagesSound(database.url)
  const findings = await withStore(database.url, checkIntegrity)
  if (findings.length > 0) throw new Error(findings.join('; '))
}

/** A place whose database lies in a folder that somebody may do something to, and a server over it. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { checkIntegrity } from '../../server/src/db/inspect.ts'
import { openStore } from '../../server/src/db/open.ts'
import { install } from '../../server/test/durability/installation.ts'
import { serve } from '../../server/test/durability/processes.ts'
import { startPostgres } from '../../server/test/postgres.ts'
import type { Dice } from '../dice.ts'
import { openPlace, type Place } from '../place.ts'
import { type Plant, planted } from '../plant.ts'
import type { EngineName } from '../row.ts'
import type { Image } from './image.ts'
import { assertPagesSound, checkpoint, hasGivenUp } from './postgres-state.ts'
import { Stand } from './stand.ts'

export interface Grounded extends AsyncDisposable {
  readonly engine: EngineName
  readonly place: Place
  /** The server: with SQLite it has the files of the folder open, with PostgreSQL it is on another machine. */
  readonly server: Stand
  /** Whoever has files of the folder open ends, as in a crash of the machine. `kill`: the server's process ends, too. */
  stop(kill: boolean): Promise<void>
  /** All of them come back. */
  start(): Promise<void>
  /** A PostgreSQL that gave up is started again, as its supervisor would; whether it was. */
  revive(): Promise<boolean>
  /** The folders of the database's files. */
  folders(): string[]
  /** Has PostgreSQL write its pages; never rejects. */
  checkpoint(): Promise<void>
}

export interface Grounding {
  /** Planted in the server, besides what is planted here. */
  readonly plants?: readonly Plant[]
  /** The environment of the processes that have the database's files open. */
  readonly preload?: Readonly<Record<string, string>>
}

/** Makes a database with an organization in the folder, and opens a server over it. */
export async function openOn(folder: string, engine: EngineName, grounding: Grounding = {}): Promise<Grounded> {
  const opened = await (engine === 'sqlite' ? openSqlite : openPostgres)(folder, grounding)
  await opened.server.open()
  return opened
}

async function openSqlite(ground: string, { plants = [], preload = {} }: Grounding): Promise<Grounded> {
  const folder = join(ground, 'data')
  const database = { url: `file:${join(folder, 'atrium.db')}`, folder, remove: async () => {} }
  const installation = await install(database.url, folder)
  const environment = { ...planted(plants), ...installation.environment, ...preload }
  const server = new Stand(environment)
  const place: Place = {
    ...{ engine: 'sqlite', database, installation },
    serve: (more = {}) => serve({ ...environment, ...more }),
    async [Symbol.asyncDispose]() {},
  }
  return {
    ...{ engine: 'sqlite', place, server, folders: () => [folder] },
    async stop(kill) {
      // A server that fails to close on a dead disk holds files open; then only its end lets go of them.
      if (kill || (await server.close()) !== null) await server.kill()
    },
    start: () => server.open(),
    revive: async () => false,
    async checkpoint() {},
    [Symbol.asyncDispose]: () => server.kill(),
  }
}

async function openPostgres(ground: string, { plants = [], preload = {} }: Grounding): Promise<Grounded> {
  const dataDir = join(ground, 'postgres')
  const postgres = await within(preload, () => startPostgres({ dataDir, fsync: true }))
  const named = process.env.ATRIUM_TEST_POSTGRES_URL
  process.env.ATRIUM_TEST_POSTGRES_URL = postgres.url
  const place = await openPlace('postgres')
  const server = new Stand({ ...planted(plants), ...place.installation.environment })
  const restart = () => within(preload, () => postgres.restart())
  return {
    ...{ engine: 'postgres', place, server, folders: () => foldersOf(join(dataDir, 'cluster')) },
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
        await place[Symbol.asyncDispose]()
      } catch {
        // Its database goes with its cluster, which may be down for good.
      }
      await postgres.kill()
      if (named === undefined) delete process.env.ATRIUM_TEST_POSTGRES_URL
      else process.env.ATRIUM_TEST_POSTGRES_URL = named
    },
  }
}

/** With more in this process's environment, for the processes that are started there. */
async function within<T>(more: Readonly<Record<string, string>>, work: () => Promise<T>): Promise<T> {
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
/** Files of one place that the system writes back parts of. */
const files_max = 6

/** The system writes some of the pages back by itself, in an order of its own. Returns how many it was asked for. */
export function strew(image: Image, { folders }: Grounded, dice: Dice): number {
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

/** Every page, row and index is as it should be; rejects with what is not. */
export async function assertWhole({ engine, database }: Pick<Place, 'engine' | 'database'>): Promise<void> {
  if (engine === 'postgres') return await assertPagesSound(database.url)
  const store = await openStore(database.url)
  const findings = await checkIntegrity(store).finally(() => store.close())
  if (findings.length > 0) throw new Error(findings.join('; '))
}

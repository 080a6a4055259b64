/** A PostgreSQL server for one round: its whole cluster is backed up, and it is killed. */
import { chownSync, copyFileSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { programsFolder, startPostgres } from '../../server/test/postgres.ts'

const variable = 'ATRIUM_TEST_POSTGRES_URL'

export interface OwnServer extends AsyncDisposable {
  /** For restored files: the account of the server owns it. */
  readonly folder: string
  readonly dataDir: string
  /** Where the command line finds the programs. */
  readonly environment: Readonly<Record<string, string>>
  /** Kills it and starts it again. */
  crash(): Promise<void>
}

/** Databases are made on this server until it is disposed. */
export async function openOwnServer(): Promise<OwnServer> {
  const before = process.env[variable]
  const server = await startPostgres()
  process.env[variable] = server.url
  const folder = ownedFolder(tmpdir(), server.dataDir)
  return {
    folder,
    dataDir: server.dataDir,
    environment: { ATRIUM_POSTGRES_PROGRAMS: await programsFolder() },
    async crash() {
      await server.kill()
      await server.restart()
    },
    async [Symbol.asyncDispose]() {
      if (before === undefined) delete process.env[variable]
      else process.env[variable] = before
      await server.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

function ownedFolder(place: string, like: string): string {
  const folder = mkdtempSync(join(place, 'atrium-restored-'))
  const { uid, gid } = statSync(like)
  chownSync(folder, uid, gid)
  return folder
}

export interface RestoredServer extends AsyncDisposable {
  /** The URL of a database of the original server in the restored one. */
  urlOf(original: string): string
}

/** Starts a server over restored files, and removes them at the end. */
export async function restoredOwnServer(own: OwnServer, files: string): Promise<RestoredServer> {
  const dataDir = ownedFolder(own.folder, own.dataDir)
  renameSync(files, join(dataDir, 'cluster'))
  copyFileSync(join(own.dataDir, 'password'), join(dataDir, 'password'))
  const server = await startPostgres({ dataDir })
  return {
    urlOf(original) {
      const url = new URL(server.url)
      url.pathname = new URL(original).pathname
      return url.href
    },
    async [Symbol.asyncDispose]() {
      await server.stop()
      rmSync(dataDir, { recursive: true })
    },
  }
}

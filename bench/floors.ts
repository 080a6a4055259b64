/** The floors as targets: the repository's own, or a given folder with the same programs (c-sqlite, f-pg, seed). */
import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { key, seedId, workspace } from './floors/common.ts'
import { type ServerProcess, startServer } from './server-process.ts'
import type { Target } from './target.ts'

/** The floor's case that a job is compared with, as the floors name it. */
export const floor_cases = {
  sqlite: {
    get: 'c get sqlite rev-etag',
    '304': 'c get sqlite rev-etag, 304',
    list: 'd list sqlite',
    mix: 'm mix group',
    update: 'e update group FULL',
    create: 'e write group FULL',
  },
  postgres: { get: 'f get pg', '304': null, list: 'f list pg', mix: null, update: null, create: 'f write tx pg' },
} as const

export class Floors {
  private readonly folder: string
  private readonly work: string
  private readonly extension: string

  /** `given`: a folder of floors to use instead. `work`: for temporary files. `kept`: for their packages. */
  constructor(work: string, given?: string, kept = join(work, 'given')) {
    this.work = work
    this.folder = given === undefined ? join(import.meta.dirname, 'floors') : installed(given, kept)
    this.extension = existsSync(join(this.folder, 'c-sqlite.ts')) ? 'ts' : 'mjs'
  }

  private program(name: string): string[] {
    return [process.execPath, join(this.folder, `${name}.${this.extension}`)]
  }

  /** Creates the database that every start copies. */
  seed(tasks: number, postgresUrl?: string): Target {
    const [node, file] = this.program('seed') as [string, string]
    const environment = {
      ...process.env,
      DATA: this.work,
      TASKS: String(tasks),
      ...(postgresUrl === undefined ? {} : { PGURL: postgresUrl }),
    }
    execFileSync(node, [file], { env: environment, cwd: this.folder, stdio: ['ignore', 'ignore', 'inherit'] })
    return {
      key,
      ids: Array.from({ length: tasks }, (_, i) => seedId(i)),
      list: `/v1/tasks?workspace=${workspace}&limit=20&starting_after=`,
      create: {
        workspace,
        project: 'prj_1',
        title: 'A new task of ordinary length',
        description:
          'A description of ordinary length, as people write them in trackers: two sentences. This is the second one.',
        status: 'todo',
        priority: 'normal',
        assignee: 'usr_7',
        due_at: 1790000000,
        labels: ['backend', 'urgent'],
        custom_fields: { points: 3 },
      },
      update: { title: 'Renamed NUMBER', status: 'doing' },
    }
  }

  startSqlite(core?: number): Promise<ServerProcess> {
    const database = join(this.work, 'run', 'floor.db')
    copyDatabase(join(this.work, 'base.db'), database)
    return this.start('c-sqlite', { DB: database, DATA: this.work, COMMIT: 'group' }, core)
  }

  startPostgres(url: string, core?: number): Promise<ServerProcess> {
    return this.start('f-pg', { PGURL: url, DATA: this.work, DRIVER: 'pg', POOL: '10', WMODE: 'tx' }, core)
  }

  private start(name: string, environment: Record<string, string>, core: number | undefined): Promise<ServerProcess> {
    const port = String(randomInt(20_000, 32_000))
    return startServer({
      command: this.program(name),
      environment: { ...environment, PORT: port },
      ready: (line) => (line.startsWith('ready') ? `http://127.0.0.1:${port}` : null),
      cwd: this.folder,
      ...(core === undefined ? {} : { core }),
    })
  }
}

/** Copies a seeded database with its log, which may have what is not in the file yet. Removes the log of an earlier run. */
export function copyDatabase(from: string, to: string): void {
  mkdirSync(join(to, '..'), { recursive: true })
  for (const end of ['-wal', '-shm']) rmSync(`${to}${end}`, { force: true })
  for (const end of ['', '-wal']) if (existsSync(`${from}${end}`)) copyFileSync(`${from}${end}`, `${to}${end}`)
}

/** Given floors run from a copy with its own packages, unless they are installed in place. */
function installed(given: string, copy: string): string {
  if (existsSync(join(given, 'node_modules'))) return given
  if (!existsSync(join(copy, 'node_modules'))) {
    mkdirSync(copy, { recursive: true })
    for (const name of readdirSync(given)) cpSync(join(given, name), join(copy, name), { recursive: true })
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: copy, stdio: ['ignore', 'ignore', 'inherit'] })
  }
  return copy
}

/** The environment of simulated seeds: files in memory, the configuration of all processes, the outside hosts. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Config, readConfig } from '../../server/src/config.ts'
import { logFileOf } from '../../server/src/db/sqlite/log/file.ts'

/** Noon on a Tuesday. */
export const epoch_ms = Date.parse('2026-08-04T12:00:00.000Z')

/** Short waits between delivery attempts, so that a seed ends soon. */
const schedule_seconds = [1, 1, 2, 2, 3, 3, 5, 5, 8, 8, 8, 8, 8, 8]
/** Credits per key and minute; few, so that some keys run out. */
export const credits_per_minute = 1500

export const hosts = {
  all: 'all.hooks.example.com',
  tasks: 'tasks.hooks.example.com',
  failing: 'failing.hooks.example.com',
  hanging: 'hanging.hooks.example.com',
  late: 'late.hooks.example.com',
  steps: 'steps.example.com',
} as const

/** A folder in memory if possible: nothing here outlives the process. */
export function newFolder(): string {
  const parent = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  return mkdtempSync(join(parent, 'atrium-simulation-'))
}

export class Files {
  readonly folder: string
  readonly config: Config
  readonly database: string
  private readonly template: string

  constructor(folder: string) {
    this.folder = folder
    mkdirSync(folder, { recursive: true })
    this.database = join(folder, 'atrium.db')
    this.template = join(folder, 'template.db')
    this.config = readConfig({
      ATRIUM_DATABASE_URL: `file:${this.database}`,
      ATRIUM_DATA_DIR: folder,
      ATRIUM_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      ATRIUM_LOG_LEVEL: 'error',
      ATRIUM_WEBHOOK_SCHEDULE_SECONDS: schedule_seconds.join(),
      ATRIUM_CREDITS_PER_MINUTE: String(credits_per_minute),
    })
  }

  keepTemplate(): void {
    copyFileSync(this.database, this.template)
    copyFileSync(logFileOf(this.database), logFileOf(this.template))
  }

  /** Restores the database to its state when the template was saved. */
  begin(): void {
    for (const file of [this.database, logFileOf(this.database)]) {
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
    }
    copyFileSync(this.template, this.database)
    copyFileSync(logFileOf(this.template), logFileOf(this.database))
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

export interface Installed {
  readonly organization: string
  readonly realm: number
  /** With all scopes: for the clients, for exports and administration, for the greedy client. */
  readonly keys: { readonly clients: string; readonly admin: string; readonly greedy: string }
  readonly workspace: string
  readonly project: string
  /** The last event of the installation. */
  readonly last: { readonly id: string; readonly sequence: number }
  /** Flow ids. */
  readonly flows: { readonly event: string; readonly clock: string }
}

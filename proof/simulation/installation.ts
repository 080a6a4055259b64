/** Where seeds are simulated: files in memory, the configuration of all processes, the hosts outside. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Config, readConfig } from '../../server/src/config.ts'
import { logFileOf } from '../../server/src/db/sqlite-log-file.ts'

/** Noon of a Tuesday. */
export const epoch_ms = Date.parse('2026-08-04T12:00:00.000Z')

/** Waits between attempts to deliver: short, so that a seed is over soon. */
const schedule_seconds = [1, 1, 2, 2, 3, 3, 5, 5, 8, 8, 8, 8, 8, 8]
/** Credits of a key for a minute; small, so that some run out. */
export const credits_per_minute = 1500

export const hosts = {
  all: 'all.hooks.example.com',
  tasks: 'tasks.hooks.example.com',
  failing: 'failing.hooks.example.com',
  hanging: 'hanging.hooks.example.com',
  late: 'late.hooks.example.com',
  steps: 'steps.example.com',
} as const

/** A place in memory where there is one: nothing here is to outlive the process. */
export function newFolder(): string {
  const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  return mkdtempSync(join(place, 'atrium-simulation-'))
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

  /** The database as it was when the template was kept. */
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
  /** Of every scope: of the clients, of who exports and administers, of who is greedy. */
  readonly keys: { readonly clients: string; readonly admin: string; readonly greedy: string }
  readonly workspace: string
  readonly project: string
  /** The last event of what was installed. */
  readonly last: { readonly id: string; readonly sequence: number }
  /** Flow ids. */
  readonly flows: { readonly event: string; readonly clock: string }
}

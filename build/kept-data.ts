/** The data that released versions left behind: `build/kept/VERSION`, written by `keep-data.ts`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const about_file = 'about.json'
export const backup_file = 'backup.gz'
export const data_file = 'data.tar.gz'

/** The settings of the server that made the data, and of those that open them. The secret key protects nothing else. */
export const kept_environment = {
  ATRIUM_PORT: '0',
  ATRIUM_LOG_LEVEL: 'error',
  ATRIUM_SECRET_KEY: Buffer.from('the key of data that are public.').toString('base64'),
  ATRIUM_CREDITS_PER_MINUTE: 'unlimited',
  ATRIUM_CREDITS_PER_DAY: 'unlimited',
  ATRIUM_CREDITS_PER_PLAN_DAY: 'unlimited',
  ATRIUM_WORKERS: 'false',
} as const

/** What the data contain, as the program that made them answered. */
export interface KeptFacts {
  readonly version: string
  readonly organization: string
  /** An API key with all scopes. */
  readonly key: string
  readonly workspace: string
  /** Number of tasks in the workspace. */
  readonly tasks: number
  readonly task: { readonly id: string; readonly title: string }
  readonly file: { readonly id: string; readonly content: string }
  readonly audit_entries: number
  /** Rows of all tables that are in the backup. */
  readonly rows: number
  readonly migrations: readonly string[]
}

/** The data in the repository. */
export const repository_folder = join(import.meta.dirname, 'kept')
/** What is tried: larger data are kept elsewhere. */
const kept = process.env.ATRIUM_TEST_KEPT ?? repository_folder

export function keptFolder(version: string): string {
  return join(kept, version)
}

export function readKept(version: string): KeptFacts {
  return JSON.parse(readFileSync(join(keptFolder(version), about_file), 'utf8'))
}

/** The versions that have data. */
export function keptVersions(): string[] {
  return readdirSync(kept).sort()
}

/** The versions that a changelog says were released and whose data are missing. */
export function withoutData(changelog: string): string[] {
  const released = [...changelog.matchAll(/^## \[(\d+\.\d+\.\d+)\]/gm)].map(([, version = '']) => version)
  const files = [about_file, backup_file, data_file]
  return released.filter((version) => !files.every((file) => existsSync(join(keptFolder(version), file))))
}

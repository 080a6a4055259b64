/** Rows as the program writes them: those of the demo organization, with its six days of work. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { foundDemo } from '../../server/src/cli/founding.ts'
import { readConfig } from '../../server/src/config.ts'
import { readBackup, type Section, writeBackup } from '../../server/src/db/backup.ts'
import { openServices } from '../../server/src/main.ts'
import { test_secret_key } from '../../server/test/secret-key.ts'
import { over } from './dump.ts'

export interface Written extends Section {
  readonly rows: readonly (readonly (string | number | null)[])[]
}

/** Who may read it, and the environment of processes over it. */
export interface Told {
  readonly environment: Readonly<Record<string, string>>
  readonly key: string
}

/** Has the demo's story told in a database at `url`, whose data directory is `folder`. */
export async function tellDemo(url: string, folder: string): Promise<Told> {
  const environment = {
    ATRIUM_PORT: '0',
    ATRIUM_WORKERS: 'false',
    ATRIUM_DATA_DIR: folder,
    ATRIUM_DATABASE_URL: url,
    ATRIUM_SECRET_KEY: test_secret_key,
    ATRIUM_LOG_LEVEL: 'error',
    ATRIUM_CREDITS_PER_MINUTE: 'unlimited',
    ATRIUM_CREDITS_PER_DAY: 'unlimited',
    ATRIUM_CREDITS_PER_PLAN_DAY: 'unlimited',
  }
  const services = await openServices(readConfig(environment))
  try {
    const access = await foundDemo(services)
    if (access === null) throw new Error('the database is not empty')
    return { environment, key: access.api_key.secret }
  } finally {
    await services.close()
  }
}

/** Every table that the story leaves rows in. */
export async function writtenRows(): Promise<readonly Written[]> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-written-'))
  try {
    const url = `file:${join(folder, 'atrium.db')}`
    await tellDemo(url, folder)
    return await readRows(url, join(folder, 'backup.gz'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function readRows(url: string, path: string): Promise<readonly Written[]> {
  await over(url, (store) => writeBackup(store, path, { created: 0, secret_key: '' }))
  const found = new Map<string, Section & { rows: (readonly (string | number | null)[])[] }>()
  await readBackup(path, {
    row(section, values) {
      if (!found.has(section.table)) found.set(section.table, { ...section, rows: [] })
      found.get(section.table)?.rows.push(values)
    },
  })
  return [...found.values()]
}

/** Rows as the program writes them: those of the demo organization. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { foundDemo } from '../../server/src/cli/founding.ts'
import { readConfig } from '../../server/src/config.ts'
import { readBackup, type Section, writeBackup } from '../../server/src/db/backup/backup.ts'
import { openServices } from '../../server/src/main.ts'
import { serverEnvironment } from '../../server/test/durability/installation.ts'
import { withStore } from '../with-store.ts'

export interface TableRows extends Section {
  readonly rows: (readonly (string | number | null)[])[]
}

export interface DemoAccess {
  readonly environment: Readonly<Record<string, string>>
  readonly key: string
}

/** Creates the demo organization in the database at `url`, with the data directory `folder`. */
export async function foundDemoAt(url: string, folder: string): Promise<DemoAccess> {
  const environment = serverEnvironment(url, folder)
  const services = await openServices(readConfig(environment))
  try {
    const access = await foundDemo(services)
    if (access === null) throw new Error('the database is not empty')
    return { environment, key: access.api_key.secret }
  } finally {
    await services.close()
  }
}

/** The demo organization's rows, by table. */
export async function demoRows(): Promise<readonly TableRows[]> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-demo-'))
  try {
    const url = `file:${join(folder, 'atrium.db')}`
    const backup = join(folder, 'backup.gz')
    await foundDemoAt(url, folder)
    await withStore(url, (store) => writeBackup(store, backup, { created: 0, secret_key: '' }))
    const found = new Map<string, TableRows>()
    await readBackup(backup, {
      row(section, values) {
        if (!found.has(section.table)) found.set(section.table, { ...section, rows: [] })
        found.get(section.table)?.rows.push(values)
      },
    })
    return [...found.values()]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

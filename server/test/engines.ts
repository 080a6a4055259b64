/** The engines that every test of guarantees runs on, and an empty database of each for whoever asks. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'node:test'
import pg from 'pg'

export type EngineName = 'sqlite' | 'postgres'

export interface Database {
  readonly url: string
  /** A folder of the database's own, for a data directory. */
  readonly folder: string
  remove(): Promise<void>
}

/** The URL of the suite's PostgreSQL server; the suite's runner starts one. */
export function postgresUrl(): string {
  const url = process.env.ATRIUM_TEST_POSTGRES_URL
  if (url === undefined) throw new Error('run tests with: node server/test/run.ts [FILE…]')
  return url
}

/** A new database, empty or, on PostgreSQL, a copy of a template's. */
export async function newDatabase(engine: EngineName, template?: string): Promise<Database> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-test-'))
  const removeFolder = () => rmSync(folder, { recursive: true, force: true })
  if (engine === 'sqlite') {
    return { url: `file:${join(folder, 'atrium.db')}`, folder, remove: async () => removeFolder() }
  }
  const name = `atrium_${randomUUID().replaceAll('-', '')}`
  // Files are copied in half the time that writing their pages to the log takes.
  const copied = template === undefined ? '' : ` template ${template} strategy file_copy`
  await administer(`create database ${name}${copied}`)
  const url = new URL(postgresUrl())
  url.pathname = `/${name}`
  return {
    url: url.href,
    folder,
    async remove() {
      await administer(`drop database if exists ${name} with (force)`)
      removeFolder()
    },
  }
}

/** A statement about databases as such, to the server. */
export async function administer(statement: string): Promise<void> {
  const client = new pg.Client(postgresUrl())
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** The same suite on both engines. */
export function onEveryEngine(title: string, suite: (engine: EngineName) => void): void {
  for (const engine of ['sqlite', 'postgres'] as const) describe(`${title} (${engine})`, () => suite(engine))
}

/**
 * For programs that only speak HTTP, and for pages: what they meet is the same on both engines, as the tests of the API
 * itself show, and a second round would try nothing new.
 */
export function onOneEngine(title: string, suite: (engine: EngineName) => void): void {
  describe(title, () => suite('sqlite'))
}

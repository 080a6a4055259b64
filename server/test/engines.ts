/** The engines on which every guarantee is tested, and new databases of each. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'node:test'
import pg from 'pg'
import { createDatabase, dropDatabase } from './citus.ts'

export type EngineName = 'sqlite' | 'postgres'

export interface Database {
  readonly url: string
  /** A folder for this database only, to use as the data directory. */
  readonly folder: string
  remove(): Promise<void>
}

/** The URL of the suite's PostgreSQL server, which the runner starts. */
export function postgresUrl(): string {
  const url = process.env.ATRIUM_TEST_POSTGRES_URL
  if (citus_url !== null) return citus_url
  if (url === undefined) throw new Error('Run tests with: node server/test/run.ts [FILE…]')
  return url
}

/**
 * The URL of a Citus coordinator, if the suite runs on one: the tests of PostgreSQL then run on the cluster, and those of SQLite
 * do not run.
 */
export const citus_url: string | null = process.env.ATRIUM_TEST_CITUS_URL ?? null

/** Creates a database: empty, or on PostgreSQL a copy of `template`. */
export async function newDatabase(engine: EngineName, template?: string): Promise<Database> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-test-'))
  const removeFolder = () => rmSync(folder, { recursive: true, force: true })
  if (engine === 'sqlite') {
    return { url: `file:${join(folder, 'atrium.db')}`, folder, remove: async () => removeFolder() }
  }
  const name = `atrium_${randomUUID().replaceAll('-', '')}`
  const url = new URL(postgresUrl())
  url.pathname = `/${name}`
  if (citus_url !== null) {
    await createDatabase(citus_url, name, template ?? null)
    const remove = async () => {
      await dropDatabase(citus_url, name)
      removeFolder()
    }
    return { url: url.href, folder, remove }
  }
  // Copying files takes half as long as writing their pages to the log.
  await administer(`create database ${name} template ${template ?? 'template1'} strategy file_copy`)
  return {
    url: url.href,
    folder,
    async remove() {
      await administer(`drop database if exists ${name} with (force)`)
      removeFolder()
    },
  }
}

/** Runs a statement about whole databases. */
export async function administer(statement: string): Promise<void> {
  const client = new pg.Client(postgresUrl())
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Declares the suite on both engines, or on a Citus cluster as PostgreSQL. */
export function onEveryEngine(title: string, suite: (engine: EngineName) => void): void {
  if (citus_url !== null) return void describe(`${title} (citus)`, () => suite('postgres'))
  for (const engine of ['sqlite', 'postgres'] as const) describe(`${title} (${engine})`, () => suite(engine))
}

/**
 * Declares the suite on both engines, but not on a cluster: it damages tables with statements that Citus refuses, or looks at plans,
 * which do not show there what nodes read.
 */
export function onEveryServer(title: string, suite: (engine: EngineName) => void): void {
  if (citus_url === null) onEveryEngine(title, suite)
}

/** Declares a suite about one PostgreSQL server: its plans, its locks, and statements that name tables. */
export function onPostgresServer(title: string, suite: () => void): void {
  if (citus_url === null) describe(title, suite)
}

/**
 * Declares a suite of pages, or of programs that only speak HTTP, on one engine: the tests of the API show that HTTP behaves the
 * same on both, so a second round would try nothing new.
 */
export function onOneEngine(title: string, suite: (engine: EngineName) => void): void {
  describe(title, () => suite('sqlite'))
}

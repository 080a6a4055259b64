/**
 * New databases with all tables. Most tests need an empty installation, not its migrations. Copying a template takes a third of
 * the time that the migrations take on PostgreSQL, and a fiftieth on SQLite.
 */
import { hash, randomUUID } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { closeDatabase, createDatabase, dropDatabase, renameDatabase } from './citus.ts'
import { administer, citus_url, type Database, type EngineName, newDatabase, postgresUrl } from './engines.ts'

const folder = join(import.meta.dirname, '../src/db')

/** The template's name is a hash of the migrations, so a template of other tables is never used. */
function templateName(): string {
  const files = [
    ...readdirSync(join(folder, 'migrations')).map((name) => join('migrations', name)),
    'postgres/row-security.ts',
    'dialect.ts',
    ...(citus_url === null ? [] : ['citus/placements.ts', 'citus/distribute.ts']),
  ]
  const texts = files.sort().map((name) => readFileSync(join(folder, name), 'utf8'))
  return `atrium_template_${hash('sha256', texts.join('\0')).slice(0, 16)}`
}

/** Creates a database with the current tables, all empty. */
export async function migratedDatabase(engine: EngineName): Promise<Database> {
  if (engine === 'sqlite') {
    const database = await newDatabase(engine)
    template_folder ??= findTemplateFolder()
    cpSync(await template_folder, database.folder, { recursive: true })
    return database
  }
  const server = postgresUrl()
  const template = templates.get(server) ?? findTemplate()
  templates.set(server, template)
  return await newDatabase(engine, await template)
}

/** The same for a program that makes its own secret key: on SQLite empty, because it makes one beside a new database only. */
export async function databaseOfProgram(engine: EngineName): Promise<Database> {
  return await (engine === 'sqlite' ? newDatabase(engine) : migratedDatabase(engine))
}

let template_folder: Promise<string> | undefined

/** The files of an empty SQLite database. They stay for later runs, until the migrations change. */
async function findTemplateFolder(): Promise<string> {
  const cache = join(import.meta.dirname, '../../node_modules/.cache/sqlite-templates')
  const folder = join(cache, templateName())
  if (existsSync(folder)) return folder
  mkdirSync(cache, { recursive: true })
  const made = mkdtempSync(join(cache, 'new-'))
  await createTables(`file:${join(made, 'atrium.db')}`)
  try {
    renameSync(made, folder)
  } catch (error) {
    // Another test file was first.
    rmSync(made, { recursive: true })
    if (!existsSync(folder)) throw error
  }
  return folder
}

/** By server: a long proof starts several, one after the other. */
const templates = new Map<string, Promise<string>>()

async function findTemplate(): Promise<string> {
  const name = templateName()
  if (!(await exists(name))) await makeTemplate(name)
  return name
}

async function exists(name: string): Promise<boolean> {
  const client = new pg.Client(postgresUrl())
  await client.connect()
  try {
    return (await client.query('select 1 from pg_database where datname = $1', [name])).rowCount === 1
  } finally {
    await client.end()
  }
}

/** Two test files may create it at the same time: the first to rename its database wins. */
async function makeTemplate(name: string): Promise<void> {
  const made = `atrium_${randomUUID().replaceAll('-', '')}`
  if (citus_url === null) await administer(`create database ${made}`)
  else await createDatabase(citus_url, made, null)
  const url = new URL(postgresUrl())
  url.pathname = `/${made}`
  await createTables(url.href)
  await rename(made, name).catch(async (error) => {
    if (citus_url === null) await administer(`drop database ${made}`)
    else await dropDatabase(citus_url, made)
    if (!(await exists(name))) throw error
  })
}

async function createTables(url: string): Promise<void> {
  // One file of a run makes the template; the others need not load this.
  const [{ openStore }, { migrate }] = await Promise.all([import('../src/db/open.ts'), import('../src/db/migrate.ts')])
  const store = await openStore(url)
  await migrate(store, 0)
  await store.close()
}

/** Citus keeps a worker process in each database that was used, and a database in use cannot be copied. */
async function rename(made: string, name: string): Promise<void> {
  if (citus_url === null) return await administer(`alter database ${made} rename to ${name}`)
  await closeDatabase(citus_url, made)
  await renameDatabase(citus_url, made, name)
}

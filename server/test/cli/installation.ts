/** An installation as its operator has it: a data directory or a database, and `bin/atrium` run on it. */
import assert from 'node:assert/strict'
import { type EngineName, newDatabase } from '../engines.ts'
import { test_secret_key } from '../environment.ts'
import { databaseOfProgram } from '../migrated.ts'
import { type Document, type Environment, type Ran, type RunOptions, Terminal, type Watched } from './terminal.ts'

export class Installation extends Terminal {
  private readonly removeDatabase: () => Promise<void>

  constructor(folder: string, environment: Environment, removeDatabase: () => Promise<void>) {
    super(folder, environment)
    this.removeDatabase = removeDatabase
  }

  /** Runs a command; it prints either its result or one line of error. */
  override async run(words: readonly string[], options: RunOptions = {}): Promise<Ran> {
    const ran = await super.run(words, options)
    if (words.includes('--json')) assert.match(ran.err, ran.code === 0 ? /^$/ : /^([^\n]+\n)?$/)
    return ran
  }

  /** Creates the organization Acme; returns what `init` printed. */
  initAcme(...words: string[]): Promise<Document> {
    return this.json('init', '--organization', 'Acme', '--owner', 'ada@acme.example', ...words)
  }

  /** Starts a server and waits until it listens. */
  async serve(environment: Environment = {}): Promise<{ process: Watched; url: string }> {
    const server = this.start(['serve'], environment)
    return { process: server, url: (await server.line('listening')).url as string }
  }

  /** Kills running processes and removes all data. */
  async remove(): Promise<void> {
    await Promise.all(this.started.map((each) => each.kill()))
    await this.removeDatabase()
  }
}

/** A new installation without an organization. On PostgreSQL it has its tables already, unless it shall be `empty`. */
export async function newInstallation(engine: EngineName, { empty = false } = {}): Promise<Installation> {
  const database = await (empty ? newDatabase(engine) : databaseOfProgram(engine))
  const unlimited = { ATRIUM_CREDITS_PER_MINUTE: 'unlimited', ATRIUM_CREDITS_PER_DAY: 'unlimited' }
  const postgres: Environment =
    engine === 'sqlite' ? {} : { ATRIUM_DATABASE_URL: database.url, ATRIUM_SECRET_KEY: test_secret_key }
  const environment = { ATRIUM_DATA_DIR: database.folder, ATRIUM_PORT: '0', ...unlimited, ...postgres }
  return new Installation(database.folder, environment, () => database.remove())
}

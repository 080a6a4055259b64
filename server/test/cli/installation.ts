/**
 * An installation as its operator has it: a data directory or a database of its own, and the real `bin/atrium` run
 * over it, as commands that end and as processes that serve. Every wait is for something that the process says.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { type EngineName, newDatabase } from '../engines.ts'
import { test_secret_key } from '../secret-key.ts'

const root = join(import.meta.dirname, '../../..')
export const program = join(root, 'bin/atrium')

type Environment = Readonly<Record<string, string>>

export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** The environment without the variables that this suite was started with. */
function clean(environment: Environment): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('ATRIUM_'))
  return { ...Object.fromEntries(own), ...environment }
}

/** Longest wait for a process; only a broken one comes near it. */
const patience_ms = 60_000

/** Runs a program to its end. */
export async function execute(
  file: string,
  words: readonly string[],
  environment: Environment = {},
  input: string | Buffer | null = null,
): Promise<Ran> {
  const stdin = input === null ? 'ignore' : 'pipe'
  const child = spawn(file, words, { cwd: root, env: clean(environment), stdio: [stdin, 'pipe', 'pipe'] })
  child.stdin?.on('error', () => {})
  child.stdin?.end(input)
  const watched = new Watched(child)
  return { code: await watched.exit(), out: watched.out, err: watched.err }
}

/** A process and what it has said so far. */
export class Watched {
  out = ''
  err = ''
  private readonly child: ChildProcess
  private readonly ended: Promise<number | null>
  private readonly listeners = new Set<() => void>()

  constructor(child: ChildProcess) {
    this.child = child
    child.stdout?.setEncoding('utf8').on('data', (text: string) => this.said('out', text))
    child.stderr?.setEncoding('utf8').on('data', (text: string) => this.said('err', text))
    this.ended = new Promise((resolve) => child.once('close', (code) => resolve(code)))
    void this.ended.then(() => this.said('out', ''))
  }

  private said(stream: 'out' | 'err', text: string): void {
    this[stream] += text
    for (const listener of this.listeners) listener()
  }

  get pid(): number {
    return this.child.pid as number
  }

  /** The lines of its log so far. */
  get log(): Record<string, unknown>[] {
    const whole = this.out.slice(0, this.out.lastIndexOf('\n') + 1)
    return whole
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  }

  /** The line of its log with this message, once it is there. */
  async line(msg: string): Promise<Record<string, unknown>> {
    const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>()
    const look = (): void => {
      const found = this.log.find((line) => line.msg === msg)
      if (found !== undefined) resolve(found)
      else if (this.child.exitCode !== null) reject(this.failure(`ended without saying "${msg}"`))
    }
    const timer = setTimeout(() => reject(this.failure(`did not say "${msg}"`)), patience_ms)
    this.listeners.add(look)
    look()
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      this.listeners.delete(look)
    }
  }

  /** Waits until something that it has said makes this true. */
  async until(isTrue: () => boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const look = (): void => {
      if (isTrue()) resolve()
      else if (this.child.exitCode !== null) reject(this.failure('ended without saying what was waited for'))
    }
    const timer = setTimeout(() => reject(this.failure('did not say what was waited for')), patience_ms)
    this.listeners.add(look)
    look()
    try {
      await promise
    } finally {
      clearTimeout(timer)
      this.listeners.delete(look)
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal)
  }

  /** Its exit code, once it has ended by itself. */
  async exit(): Promise<number | null> {
    const { promise, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(this.failure('did not end')), patience_ms)
    try {
      return await Promise.race([this.ended, promise])
    } finally {
      clearTimeout(timer)
    }
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL')
    await this.ended
  }

  private failure(what: string): Error {
    return new Error(`the process ${what}\nstandard output:\n${this.out}\nstandard error:\n${this.err}`)
  }
}

export class Installation {
  readonly folder: string
  readonly environment: Environment
  private readonly removeDatabase: () => Promise<void>
  private readonly started: Watched[] = []

  constructor(folder: string, environment: Environment, remove: () => Promise<void>) {
    this.folder = folder
    this.environment = environment
    this.removeDatabase = remove
  }

  /** Runs a command to its end. */
  run(words: readonly string[], environment: Environment = {}): Promise<Ran> {
    return execute(program, words, { ...this.environment, ...environment })
  }

  /** Runs a command that must succeed with `--json`, and returns its document. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read documents of every shape
  async json(...words: string[]): Promise<any> {
    const { code, out, err } = await this.run([...words, '--json'])
    assert.equal(code, 0, err)
    assert.equal(err, '')
    assert.match(out, /^[^\n]+\n$/, 'exactly one document in one line')
    return JSON.parse(out)
  }

  /** Runs a command that must be refused with `--json`; returns its exit code and the error. */
  async refused(...words: string[]): Promise<{ code: number | null; message: string; param?: string }> {
    const { code, out, err } = await this.run([...words, '--json'])
    assert.equal(out, '')
    assert.match(err, /^[^\n]+\n$/, 'exactly one document in one line')
    return { code, ...(JSON.parse(err) as { error: { message: string; param?: string } }).error }
  }

  start(words: readonly string[], environment: Environment = {}): Watched {
    const env = clean({ ...this.environment, ...environment })
    const watched = new Watched(spawn(program, words, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] }))
    this.started.push(watched)
    return watched
  }

  /** A server that listens. */
  async serve(environment: Environment = {}): Promise<{ process: Watched; url: string }> {
    const server = this.start(['serve'], environment)
    return { process: server, url: (await server.line('listening')).url as string }
  }

  /** Ends what still runs and removes everything. */
  async remove(): Promise<void> {
    await Promise.all(this.started.map((each) => each.kill()))
    await this.removeDatabase()
  }
}

/** A new installation on an empty database. */
export async function newInstallation(engine: EngineName): Promise<Installation> {
  const database = await newDatabase(engine)
  const unlimited = { ATRIUM_CREDITS_PER_MINUTE: 'unlimited', ATRIUM_CREDITS_PER_DAY: 'unlimited' }
  const own: Environment =
    engine === 'sqlite' ? {} : { ATRIUM_DATABASE_URL: database.url, ATRIUM_SECRET_KEY: test_secret_key }
  const environment = { ATRIUM_DATA_DIR: database.folder, ATRIUM_PORT: '0', ...unlimited, ...own }
  return new Installation(database.folder, environment, () => database.remove())
}

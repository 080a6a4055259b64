/**
 * `bin/atrium` in a terminal: commands that end, and processes that keep running. Every wait is for output of the process and
 * has a time limit. The ATRIUM_* variables of the suite are not passed on.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')
export const program = join(root, 'bin/atrium')

export type Environment = Readonly<Record<string, string>>

export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface RunOptions {
  readonly environment?: Environment
  /** Standard input; empty by default. */
  readonly input?: string | Buffer
}

// biome-ignore lint/suspicious/noExplicitAny: tests read documents of every shape
export type Document = any

/** The suite's environment without its ATRIUM_* variables, and with these. */
export function environmentWith(environment: Environment): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('ATRIUM_'))
  return { ...Object.fromEntries(inherited), ...environment }
}

/** Longest wait for a process. */
const patience_ms = 60_000

function start(file: string, words: readonly string[], environment: Environment, input?: string | Buffer): Watched {
  const stdin = input === undefined ? 'ignore' : 'pipe'
  const child = spawn(file, words, { cwd: root, env: environmentWith(environment), stdio: [stdin, 'pipe', 'pipe'] })
  child.stdin?.on('error', () => {})
  child.stdin?.end(input)
  return new Watched(child)
}

/** Runs a program to its end. */
export async function execute(
  file: string,
  words: readonly string[],
  { environment = {}, input }: RunOptions = {},
): Promise<Ran> {
  const watched = start(file, words, environment, input)
  return { code: await watched.exit(), out: watched.out, err: watched.err }
}

/** A process and its output so far. */
export class Watched {
  out = ''
  err = ''
  private readonly child: ChildProcess
  private readonly ended: Promise<number | null>
  private readonly listeners = new Set<() => void>()

  constructor(child: ChildProcess) {
    this.child = child
    child.stdout?.setEncoding('utf8').on('data', (text: string) => this.receive('out', text))
    child.stderr?.setEncoding('utf8').on('data', (text: string) => this.receive('err', text))
    this.ended = new Promise((resolve) => child.once('close', (code) => resolve(code)))
    void this.ended.then(() => this.receive('out', ''))
  }

  private receive(stream: 'out' | 'err', text: string): void {
    this[stream] += text
    for (const listener of this.listeners) listener()
  }

  get pid(): number {
    return this.child.pid as number
  }

  /** The complete lines of its log so far. */
  get log(): Record<string, unknown>[] {
    const complete = this.out.slice(0, this.out.lastIndexOf('\n') + 1)
    return complete
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  }

  /** Waits for the log line with this message. */
  async line(msg: string): Promise<Record<string, unknown>> {
    const find = () => this.log.find((line) => line.msg === msg)
    await this.until(() => find() !== undefined, `"${msg}"`)
    return find() as Record<string, unknown>
  }

  /** Waits until output makes this true. */
  async until(isTrue: () => boolean, expected = 'the expected output'): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const check = (): void => {
      if (isTrue()) resolve()
      else if (this.child.exitCode !== null) reject(this.failure(`ended without ${expected}`))
    }
    this.listeners.add(check)
    check()
    try {
      await this.withinPatience(promise, `did not print ${expected}`)
    } finally {
      this.listeners.delete(check)
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal)
  }

  /** Waits for the process to end by itself; returns its exit code. */
  async exit(): Promise<number | null> {
    return await this.withinPatience(this.ended, 'did not end')
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL')
    await this.ended
  }

  private async withinPatience<T>(awaited: Promise<T>, problem: string): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(this.failure(problem)), patience_ms)
    try {
      return await Promise.race([awaited, promise])
    } finally {
      clearTimeout(timer)
    }
  }

  private failure(problem: string): Error {
    return new Error(`the process ${problem}\nstandard output:\n${this.out}\nstandard error:\n${this.err}`)
  }
}

/** Commands with one environment, and a folder for files. */
export class Terminal {
  readonly folder: string
  readonly environment: Environment
  protected readonly started: Watched[] = []

  constructor(folder: string, environment: Environment) {
    this.folder = folder
    this.environment = environment
  }

  /** Runs a command to its end. */
  run(words: readonly string[], { environment = {}, input }: RunOptions = {}): Promise<Ran> {
    const merged = { ...this.environment, ...environment }
    return execute(program, words, { environment: merged, ...(input === undefined ? {} : { input }) })
  }

  /** Runs a command that must succeed with `--json`; returns its document. */
  async json(...words: string[]): Promise<Document> {
    const { code, out, err } = await this.run([...words, '--json'])
    assert.equal(code, 0, err)
    return oneDocument(out)
  }

  /** Runs a command that must fail with `--json`; returns its exit code and the error. Progress may come before the error. */
  async refused(...words: string[]): Promise<Document> {
    const { code, out, err } = await this.run([...words, '--json'])
    assert.equal(out, '')
    return { code, ...JSON.parse(err.trimEnd().split('\n').at(-1) as string).error }
  }

  /** Starts a command that keeps running. */
  start(words: readonly string[], environment: Environment = {}): Watched {
    const watched = start(program, words, { ...this.environment, ...environment })
    this.started.push(watched)
    return watched
  }

  /** Writes a file in the folder; returns its path. */
  file(name: string, content: string | Buffer): string {
    const path = join(this.folder, name)
    writeFileSync(path, content)
    return path
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8')
  }
}

/** The document of an output that must be one line of JSON. */
export function oneDocument(out: string): Document {
  assert.match(out, /^[^\n]+\n$/, 'exactly one document in one line')
  return JSON.parse(out)
}

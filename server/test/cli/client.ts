/** Somebody with a terminal: runs `bin/atrium` against the world's server with a key, and a folder of their own. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { World } from '../world.ts'
import { execute, program, type Ran, Watched } from './installation.ts'

export interface Running {
  readonly environment?: Readonly<Record<string, string>>
  readonly input?: string | Buffer
}

export class Client {
  readonly folder = mkdtempSync(join(tmpdir(), 'atrium-client-'))
  readonly environment: Record<string, string>

  constructor(url: string, key: string) {
    this.environment = { ATRIUM_URL: url, ATRIUM_KEY: key, XDG_CONFIG_HOME: this.folder }
  }

  static of(world: World): Client {
    return new Client(world.server.url, world.acme.key)
  }

  /** Runs a command to its end. */
  run(words: readonly string[], { environment = {}, input }: Running = {}): Promise<Ran> {
    return execute(program, words, { ...this.environment, ...environment }, input ?? null)
  }

  /** Runs a command that must end with 0 and, with `--json`, print one document in one line. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read documents of every shape
  async json(...words: string[]): Promise<any> {
    const { code, out, err } = await this.run([...words, '--json'])
    assert.equal(code, 0, err)
    assert.match(out, /^[^\n]+\n$/, 'exactly one document in one line')
    return JSON.parse(out)
  }

  /** Runs a command that must be refused with `--json`; returns its exit code and the error. */
  // biome-ignore lint/suspicious/noExplicitAny: errors have fields of every shape
  async refused(...words: string[]): Promise<any> {
    const { code, out, err } = await this.run([...words, '--json'])
    assert.equal(out, '')
    const lines = err.trimEnd().split('\n')
    return { code, ...JSON.parse(lines.at(-1) as string).error }
  }

  /** A command that goes on. */
  start(words: readonly string[], environment: Readonly<Record<string, string>> = {}): Watched {
    const own = Object.entries(process.env).filter(([name]) => !name.startsWith('ATRIUM_'))
    const env = { ...Object.fromEntries(own), ...this.environment, ...environment }
    return new Watched(spawn(program, words, { env, stdio: ['ignore', 'pipe', 'pipe'] }))
  }

  /** A file of the folder. */
  file(name: string, content: string | Buffer): string {
    const path = join(this.folder, name)
    writeFileSync(path, content)
    return path
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8')
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

export function fixture(name: string): Buffer {
  return readFileSync(join(import.meta.dirname, 'fixtures', name))
}

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { type Document, type Environment, environmentWith, oneDocument } from './terminal.ts'

/** `atrium api` in one process for all calls: a process per call would take minutes. */
export class Calls {
  private readonly child: ChildProcess
  private text = ''
  private waiting: (() => void) | null = null

  constructor(environment: Environment) {
    this.child = spawn(process.execPath, [join(import.meta.dirname, 'many-calls.ts')], {
      env: environmentWith(environment),
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.text += text
      this.waiting?.()
    })
    this.child.on('exit', () => this.waiting?.())
  }

  async run(words: readonly string[]): Promise<{ code: number; out: string }> {
    this.text = ''
    this.child.stdin?.write(`${JSON.stringify(words)}\n`)
    for (;;) {
      const [all, out = '', code] = /^([^\0]*)\0(\d+)\n$/.exec(this.text) ?? []
      if (all !== undefined) return { code: Number(code), out }
      if (this.child.exitCode !== null) throw new Error(`the process ended: ${this.text}`)
      await new Promise<void>((resolve) => {
        this.waiting = resolve
      })
    }
  }

  /** A call that must succeed; returns its document. */
  async json(...words: string[]): Promise<Document> {
    const { code, out } = await this.run([...words, '--json'])
    assert.equal(code, 0, out)
    return oneDocument(out)
  }

  /** A call that must fail; returns the error. */
  async refused(...words: string[]): Promise<Document> {
    const { code, out } = await this.run([...words, '--json'])
    assert.notEqual(code, 0, out)
    return JSON.parse(out)
  }

  async end(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('exit', resolve))
    this.child.stdin?.end()
    await ended
  }
}

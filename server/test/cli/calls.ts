import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'

/** One process for all calls: starting one for each would take minutes. */
export class Calls {
  private readonly child: ChildProcess
  private text = ''
  private waiting: (() => void) | null = null

  constructor(environment: Record<string, string>) {
    const own = Object.entries(process.env).filter(([name]) => !name.startsWith('ATRIUM_'))
    this.child = spawn(process.execPath, [join(import.meta.dirname, 'many-calls.ts')], {
      env: { ...Object.fromEntries(own), ...environment },
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

  /** A call that must be answered; returns its document. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  async json(...words: string[]): Promise<any> {
    const { code, out } = await this.run([...words, '--json'])
    assert.equal(code, 0, out)
    assert.match(out, /^[^\n]+\n$/, 'exactly one document in one line')
    return JSON.parse(out)
  }

  /** A call that must be refused; returns the error. */
  // biome-ignore lint/suspicious/noExplicitAny: errors have fields of every shape
  async refused(...words: string[]): Promise<any> {
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

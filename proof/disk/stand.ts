/** A server that can be stopped and started again for little (`standing.ts`), or killed like any other. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { planted } from '../plant.ts'

type Environment = Readonly<Record<string, string>>

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export class Stand {
  /** Where it serves; of a stopped one, where it did. */
  url = ''
  private readonly environment: Environment
  private process: { child: ChildProcess; answers: AsyncIterator<string>; told: string[] } | null = null

  /** What is planted here is planted there too; `environment` is all else it gets, besides PATH and HOME. */
  constructor(environment: Environment) {
    this.environment = environment
  }

  /** Serves; rejects when it cannot. */
  async open(): Promise<void> {
    this.process ??= await this.spawn()
    const said = await this.ask('open')
    if (said.url === undefined) throw new Error(`the server does not start: ${said.wrong}`)
    this.url = said.url
  }

  /** Stops serving as on SIGTERM, whatever its disk is like. Returns what went wrong with that, `null` for nothing. */
  async close(): Promise<string | null> {
    return (await this.ask('close')).wrong ?? null
  }

  /** Whether its process runs. */
  get isAlive(): boolean {
    const child = this.process?.child
    return child !== undefined && child.exitCode === null && child.signalCode === null
  }

  /** Ends the process as a crash does; `open` then starts another. */
  async kill(): Promise<void> {
    const ending = this.process?.child
    const isAlive = this.isAlive
    this.process = null
    if (ending === undefined || !isAlive) return
    ending.kill('SIGKILL')
    await once(ending, 'exit')
  }

  private async spawn() {
    const { PATH = '', HOME = '', NODE_COMPILE_CACHE } = process.env
    const inherited = { PATH, HOME, ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }) }
    const child = spawn(process.execPath, [join(import.meta.dirname, 'standing.ts')], {
      env: { ...inherited, ...planted(), ...this.environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    running.add(child)
    child.once('exit', () => running.delete(child))
    const told: string[] = []
    createInterface(child.stderr).on('line', (line) => void told.push(line))
    const answers = createInterface(child.stdout)[Symbol.asyncIterator]()
    const started = { child, answers, told }
    await this.answer(started)
    return started
  }

  private async ask(line: 'open' | 'close'): Promise<{ url?: string; wrong?: string }> {
    if (this.process === null) throw new Error('this server was not started')
    this.process.child.stdin?.write(`${line}\n`)
    return await this.answer(this.process)
  }

  /** Its log goes the same way: what is no answer is passed over. */
  private async answer(from: { answers: AsyncIterator<string>; told: string[] }) {
    for (;;) {
      const { value, done } = await from.answers.next()
      if (done === true) throw new Error(`the server ended:\n${from.told.slice(-20).join('\n')}`)
      const said = value.startsWith('{') ? JSON.parse(value) : {}
      if (['ready', 'url', 'closed', 'wrong'].some((key) => said[key] !== undefined && said.msg === undefined))
        return said
    }
  }
}

/** A server that stops and starts quickly within one process (`restartable-program.ts`), or is killed like any other. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { inheritedEnvironment } from '../../server/test/durability/processes.ts'
import { planted } from '../plant.ts'

type Environment = Readonly<Record<string, string>>

interface Started {
  readonly child: ChildProcess
  readonly answers: AsyncIterator<string>
  readonly stderr: string[]
}

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export class RestartableServer {
  /** Where it serves, or served last. */
  url = ''
  private readonly environment: Environment
  private process: Started | null = null

  /** The server has the plants of this process; its environment is `environment`, PATH and HOME. */
  constructor(environment: Environment) {
    this.environment = environment
  }

  /** Rejects if the server does not start. */
  async open(): Promise<void> {
    this.process ??= await this.spawn()
    const { url, wrong } = await this.ask('open')
    if (url === undefined) throw new Error(`the server does not start: ${wrong}`)
    this.url = url
  }

  /** Stops serving as on SIGTERM. Returns the error, or `null`. */
  async close(): Promise<string | null> {
    return (await this.ask('close')).wrong ?? null
  }

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

  private async spawn(): Promise<Started> {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'restartable-program.ts')], {
      env: { ...inheritedEnvironment(), ...planted(), ...this.environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    running.add(child)
    child.once('exit', () => running.delete(child))
    const stderr: string[] = []
    createInterface(child.stderr).on('line', (line) => void stderr.push(line))
    const started = { child, answers: createInterface(child.stdout)[Symbol.asyncIterator](), stderr }
    await this.answer(started)
    return started
  }

  private async ask(line: 'open' | 'close'): Promise<{ url?: string; wrong?: string }> {
    if (this.process === null) throw new Error('this server was not started')
    this.process.child.stdin?.write(`${line}\n`)
    return await this.answer(this.process)
  }

  /** Skips the lines of the server's log. */
  private async answer({ answers, stderr }: Started) {
    for (;;) {
      const { value, done } = await answers.next()
      if (done === true) throw new Error(`the server ended:\n${stderr.slice(-20).join('\n')}`)
      const answer = value.startsWith('{') ? JSON.parse(value) : {}
      const isAnswer = ['ready', 'url', 'closed', 'wrong'].some((key) => answer[key] !== undefined)
      if (isAnswer && answer.msg === undefined) return answer
    }
  }
}

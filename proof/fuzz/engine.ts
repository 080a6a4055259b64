/** The row's handle of a server of one engine in a child process: its port, and commands by message. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { EngineName } from '../row.ts'
import type { Answered, Commands, Message } from './served.ts'

const program = join(import.meta.dirname, 'served.ts')

type Given<E extends keyof Commands> = Awaited<ReturnType<Commands[E]>>

export class Engine implements AsyncDisposable {
  readonly name: EngineName
  port = 0
  private readonly child: ChildProcess
  private readonly waiting = new Map<number, (answered: Answered) => void>()
  private count = 0

  private constructor(name: EngineName) {
    this.name = name
    this.child = fork(program, [name], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    this.child.on('message', (answered: Answered) => {
      this.waiting.get(answered.number)?.(answered)
      this.waiting.delete(answered.number)
    })
    this.child.once('exit', (code) => {
      for (const [number, settle] of this.waiting) settle({ number, error: `the server of ${name} ended with ${code}` })
    })
  }

  /** Resolves when it listens. The environment names the PostgreSQL server. */
  static async start(name: EngineName): Promise<Engine> {
    const engine = new Engine(name)
    await engine.hear(0)
    engine.port = await engine.ask('port')
    return engine
  }

  async ask<E extends keyof Commands>(errand: E, value?: number): Promise<Given<E>> {
    const number = ++this.count
    const heard = this.hear(number)
    this.child.send({ number, errand, ...(value === undefined ? {} : { value }) } satisfies Message)
    return (await heard) as Given<E>
  }

  private async hear(number: number): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<Answered>()
    this.waiting.set(number, resolve)
    const { value, error } = await promise
    if (error !== undefined) throw new Error(error)
    return value
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    this.child.disconnect()
    await once(this.child, 'exit')
  }
}

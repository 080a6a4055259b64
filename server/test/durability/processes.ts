/** Atrium as its users run it: in its own process, which a test can end in any way. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const program = join(import.meta.dirname, '../../../bin/atrium')

export interface ServerProcess {
  readonly url: string
  /** False once its exit was seen. */
  alive(): boolean
  /** Its log so far. */
  log(): string
  /** Resolves when it has ended, whatever ended it. */
  ended(): Promise<void>
  /** Ends it like a crash, by SIGKILL. */
  kill(): Promise<void>
  /** Asks it to end and returns its exit code. */
  stop(): Promise<number | null>
}

const running = new Set<ChildProcess>()
process.once('exit', endProcesses)

/** Ends the processes that a failed test has left running. */
export function endProcesses(): void {
  for (const child of running) child.kill('SIGKILL')
}

/** The only variables that a server process inherits from the tests. */
export function inheritedEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE } = process.env
  return { PATH, HOME, ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }) }
}

/** Starts a server and waits until it listens. */
export async function serve(environment: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const child = spawn(program, ['serve'], {
    env: { ...inheritedEnvironment(), ...environment, ATRIUM_LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  const ended = once(child, 'exit').then(() => running.delete(child))
  const lines: string[] = []
  createInterface(child.stderr).on('line', (line) => lines.push(line))
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      lines.push(line)
      const said = line.startsWith('{') ? JSON.parse(line) : {}
      if (said.msg === 'listening') resolve(said.url)
    })
    void ended.then(() => reject(new Error(`the server ended:\n${lines.join('\n')}`)))
  })
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await ended
    return child.exitCode
  }
  return {
    url,
    alive: () => child.exitCode === null && child.signalCode === null,
    log: () => lines.join('\n'),
    ended: async () => void (await ended),
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  }
}

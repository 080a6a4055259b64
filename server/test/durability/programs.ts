/** The helper programs beside this file, each as a process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface Program {
  /** The next line it prints; undefined when it has ended. */
  line(): Promise<string | undefined>
  /** Sends it a signal. */
  signal(name: NodeJS.Signals): void
  /** Writes to its input. */
  tell(text: string): void
  /** Ends its input and waits until it has ended. Returns its exit code. */
  end(): Promise<number>
}

export function run(name: string, ...given: string[]): Program {
  const child = spawn(process.execPath, [join(import.meta.dirname, name), ...given], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  const ended = once(child, 'exit')
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return {
    line: async () => (await lines.next()).value,
    signal: (name) => void child.kill(name),
    tell: (text) => void child.stdin.write(text),
    async end() {
      child.stdin.end()
      return (await ended)[0] as number
    },
  }
}

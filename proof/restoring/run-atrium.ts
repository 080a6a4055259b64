/** The command line as operators run it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { planted } from '../plant.ts'

export const program = join(import.meta.dirname, '../../bin/atrium')

/** Runs a command, with the planted fault. Rejects with its stderr if it fails. */
export async function runAtrium(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<void> {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(program, args, {
    env: { PATH, HOME, ...planted(), ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [stderr] = await Promise.all([text(child.stderr), once(child, 'exit')])
  if (child.exitCode !== 0) throw new Error(`atrium ${args[0]} ended with ${child.exitCode}: ${stderr}`)
}

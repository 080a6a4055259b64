/** The command line as operators run it, over the database of a place or another. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { planted } from '../plant.ts'

const program = join(import.meta.dirname, '../../bin/atrium')

export interface Ended {
  /** `null`: ended by a signal. */
  readonly code: number | null
  readonly told: string
}

/** Runs a command to its end; it has the planted fault too. */
export async function atrium(given: readonly string[], environment: Readonly<Record<string, string>>): Promise<Ended> {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(program, given, {
    env: { PATH, HOME, ...planted(), ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [told] = await Promise.all([text(child.stderr), once(child, 'exit')])
  return { code: child.exitCode, told }
}

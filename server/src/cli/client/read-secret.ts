/** A secret as a command takes it: from standard input, never from its words, which others can see. */
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { cli_limits } from '../limits.ts'
import { readText } from './read-in.ts'

/** One line of standard input; on a terminal it is asked for and not shown. */
export async function readSecret(prompt: string, bytes_max: number = cli_limits.client_key_bytes_max): Promise<string> {
  if (!process.stdin.isTTY) return (await readText('-', bytes_max)).trim()
  process.stderr.write(prompt)
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output, terminal: true })
  try {
    return (await lines.question('')).trim()
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}

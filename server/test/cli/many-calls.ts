/** A program: runs `atrium api` for each line of words on standard input, in one process. Ends each with a line of NUL and exit code. */
import { createInterface } from 'node:readline'
import { runApi } from '../../src/cli/api/api.ts'
import { Failure } from '../../src/cli/command.ts'

for await (const line of createInterface({ input: process.stdin })) {
  let code = 0
  try {
    await runApi(JSON.parse(line) as string[])
  } catch (error) {
    code = error instanceof Failure ? error.exit : 2
    process.stdout.write(`${String(error)}\n`)
  }
  process.stdout.write(`\0${code}\n`)
}

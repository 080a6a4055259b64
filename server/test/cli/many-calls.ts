/**
 * A program: runs `atrium api` for each JSON array of words on standard input, in one process. After the output of a call it
 * prints NUL, the exit code and a newline; the output of a refused call is the error as JSON.
 */
import { createInterface } from 'node:readline'
import { runApi } from '../../src/cli/api/api.ts'
import { Failure, UsageError } from '../../src/cli/command.ts'

for await (const line of createInterface({ input: process.stdin })) {
  let code = 0
  try {
    await runApi(JSON.parse(line) as string[])
  } catch (error) {
    code = error instanceof Failure ? error.exit : error instanceof UsageError ? 2 : 1
    const { message, param, fields } = error as UsageError & Failure
    process.stdout.write(JSON.stringify({ message, param, ...fields }))
  }
  process.stdout.write(`\0${code}\n`)
}

/**
 * A program: runs `atrium api` for each line of words on standard input, in one process. Behind what a call printed stand
 * NUL, its exit code and a line end; of a call that was refused the printed text is the error as JSON.
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

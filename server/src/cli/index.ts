/**
 * The command line's entry, run by `bin/atrium`. Invariants: standard output carries the result and nothing else; an
 * error is one line on standard error; exit 0 done, 1 not done or found bad, 2 called wrongly.
 */
import { CommanderError } from 'commander'
import { Refusal } from '../api/errors.ts'
import { ConfigError } from '../config.ts'
import { StoreUnavailable } from '../db/store.ts'
import { Failure, type Outcome, UsageError } from './command.ts'
import { commands } from './commands.ts'
import { type ErrorLine, printError, refusalLine } from './print.ts'
import { createProgram } from './program.ts'

async function main(words: readonly string[]): Promise<number> {
  const json = words.includes('--json')
  const outcomes: (Outcome | null)[] = []
  const program = createProgram(commands, (outcome) => outcomes.push(outcome))
  try {
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    if (error instanceof CommanderError && error.code === 'commander.help') {
      if (json) printError('atrium', { message: 'no command was given' }, json)
      return 2
    }
    printError(`atrium${nameOf(words)}`, lineOf(error), json)
    return error instanceof CommanderError || error instanceof UsageError ? 2 : 1
  }
  const outcome = outcomes[0] ?? null
  return outcome === null ? 0 : print(outcome, json)
}

function print(outcome: Outcome, json: boolean): number {
  process.stdout.write(`${json ? JSON.stringify(outcome.json) : outcome.text}\n`)
  return outcome.bad ? 1 : 0
}

/** The command's words, for the head of an error line. */
function nameOf(words: readonly string[]): string {
  const found = commands.find(({ name }) => name.split(' ').every((word, i) => words[i] === word))
  return found === undefined ? '' : ` ${found.name}`
}

function lineOf(error: unknown): ErrorLine {
  if (error instanceof Refusal) return refusalLine(error)
  if (error instanceof CommanderError) return usageLine(error)
  if (error instanceof UsageError) {
    return { message: error.message, ...(error.param === undefined ? {} : { param: error.param }) }
  }
  if (error instanceof ConfigError) {
    const param = /ATRIUM_[A-Z_]+/.exec(error.message)?.[0]
    return { message: error.message, ...(param === undefined ? {} : { param }) }
  }
  if (error instanceof StoreUnavailable) return { message: `the database cannot be used: ${error.message}` }
  if (error instanceof Failure) return { message: error.message }
  return { message: `this is a fault of Atrium: ${error instanceof Error ? (error.stack ?? error.message) : error}` }
}

function usageLine(error: CommanderError): ErrorLine {
  const message = error.message.replace(/^error: /, '')
  const param = /--([a-z][a-z-]*)/.exec(message)?.[1]?.replaceAll('-', '_')
  return { message: `${message} (see --help)`, ...(param === undefined ? {} : { param }) }
}

// A reader that has gone away, as `| head`, is no reason to stop serving.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})
process.exitCode = await main(process.argv.slice(2))

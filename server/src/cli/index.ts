/**
 * The command line's entry, run by `bin/atrium`. Invariants: standard output carries the result and nothing else; an
 * error is one line on standard error; exit 0 done, 1 not done or found bad, 2 called wrongly. Commands that speak to a
 * server have further codes, in `client/exit-codes.ts`.
 */
import { CommanderError } from 'commander'
import { Refusal } from '../api/declare/errors.ts'
import { ConfigError } from '../config.ts'
import { NewerDatabase, StoreUnavailable } from '../db/store.ts'
import { keepThreadPoolAwake } from '../lib/thread-pool.ts'
import { type Command, Failure, type Outcome, UsageError } from './command.ts'
import { commands } from './commands.ts'
import { type ErrorLine, printError, refusalLine, sentence } from './print.ts'
import { createProgram } from './program.ts'

async function main(words: readonly string[]): Promise<number> {
  if (words[0] === '__complete') return await complete(words.slice(1))
  keepThreadPoolAwake()
  const json = words.includes('--json')
  const outcomes: (Outcome | null)[] = []
  const program = createProgram(commands, (outcome) => outcomes.push(outcome))
  const reader = commandOf(words)
  try {
    if (reader?.words !== undefined) outcomes.push(await reader.words.run(words.slice(reader.name.split(' ').length)))
    else await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    if (error instanceof CommanderError && error.code === 'commander.help') {
      if (json) printError('atrium', { message: "No command was given. 'atrium --help' lists the commands." }, json)
      return 2
    }
    printError(`atrium${nameOf(words)}`, lineOf(error), json)
    if (error instanceof Failure) return error.exit
    return error instanceof CommanderError || error instanceof UsageError ? 2 : 1
  }
  const outcome = outcomes[0] ?? null
  return outcome === null ? 0 : print(outcome, json)
}

/** For the script of `atrium completion`: one line for each possible last word, with its meaning. */
async function complete(words: readonly string[]): Promise<number> {
  const { candidatesFor } = await import('./completion/candidates.ts')
  const found = candidatesFor(commands, words[0] === '--' ? words.slice(1) : words)
  process.stdout.write(found.map(({ value, does }) => (does === '' ? `${value}\n` : `${value}\t${does}\n`)).join(''))
  return 0
}

function print(outcome: Outcome, json: boolean): number {
  if (!json && outcome.hint !== undefined) process.stderr.write(`${outcome.hint}\n`)
  process.stdout.write(`${json ? JSON.stringify(outcome.json) : outcome.text}\n`)
  return outcome.bad ? 1 : 0
}

function commandOf(words: readonly string[]): Command | undefined {
  return commands.find(({ name }) => name.split(' ').every((word, i) => words[i] === word))
}

/** The command's words, for the head of an error line. */
function nameOf(words: readonly string[]): string {
  const found = commandOf(words)
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
  if (error instanceof StoreUnavailable) return { message: `The database cannot be used: ${error.message}.` }
  if (error instanceof NewerDatabase) return { message: sentence(error.message) }
  if (error instanceof Failure) return { message: error.message, ...error.fields }
  return { message: `This is a fault of Atrium: ${error instanceof Error ? (error.stack ?? error.message) : error}.` }
}

function usageLine(error: CommanderError): ErrorLine {
  const message = error.message.replace(/^error: /, '').replace(/\s*\((Did you mean [^)?]*\?)\)$/, '. $1')
  const param = /--([a-z][a-z-]*)/.exec(message)?.[1]?.replaceAll('-', '_')
  return { message: `${sentence(message)} See --help.`, ...(param === undefined ? {} : { param }) }
}

// A reader that closes its end, such as `| head`, must not stop a server.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})
process.exitCode = await main(process.argv.slice(2))

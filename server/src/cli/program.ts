/** The command line as commander sees it, derived from the commands: parsing, refusals and `--help`. */
import { Command as Commander, Option as CommanderOption, InvalidArgumentError } from 'commander'
import { client_variables, variables } from '../config.ts'
import { programVersion } from '../lib/program-version.ts'
import { type Command, Fault, type Group, groups, type Option, type Outcome, spelled } from './command.ts'
import { sentence, table } from './print.ts'

const intro = `Atrium: work management behind one API, self-hosted.

Commands work beside a running server, which sees their effect within a second.`

/** The program for these commands. `ran` is called with what a command returned. */
export function createProgram(commands: readonly Command[], ran: (outcome: Outcome | null) => unknown): Commander {
  const program = new Commander('atrium')
    .description(intro)
    .version(programVersion(), '--version', 'Show the version.')
    .helpOption('-h, --help', 'Show help.')
    .helpCommand(false)
    .enablePositionalOptions() // `key create --version DATE` is not `--version`
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .configureHelp({
      helpWidth: 110,
      visibleCommands: (parent) => leaves(parent),
      subcommandTerm: fullTerm,
      groupItems: (_all, visible, groupOf) => grouped(visible, groupOf),
    })
  for (const command of commands) add(program, command, ran)
  program.addHelpText('after', () => `${environment()}\n\nFirst steps:\n\n${first_steps}\n`)
  return program
}

const first_steps = `  atrium serve                                                    creates a demo organization in an empty database
  atrium init --organization Acme --owner ada@acme.example        creates your own and prints its first key
  atrium <command> --help                                         options and examples of a command`

function environment(): string {
  const rows = Object.entries({ ...variables, ...client_variables }).map(([name, [fallback, meaning]]) => [
    `  ${name}`,
    fallback || '(none)',
    meaning,
  ])
  return `\nEnvironment (variable, default, meaning; any other ATRIUM_* variable is refused):\n${table(rows)}`
}

/** Adds a command below its noun: `key create` below `key`. */
function add(program: Commander, command: Command, ran: (outcome: Outcome | null) => unknown): void {
  const words = command.name.split(' ')
  const verb = words.pop() as string
  let parent = program
  for (const word of words) {
    parent = parent.commands.find((each) => each.name() === word) ?? parent.command(word).helpCommand(false)
  }
  const added = parent.command(verb).summary(command.summary).helpGroup(`${command.group}:`)
  added.description([command.summary, ...(command.details === undefined ? [] : ['', command.details])].join('\n'))
  if (command.argument !== undefined) added.argument(command.argument.shows, command.argument.does)
  if (command.words !== undefined) added.argument(command.words.shows)
  for (const [name, option] of Object.entries(command.options ?? {})) added.addOption(toOption(name, option))
  added.option('--json', 'Print one JSON document.')
  added.addHelpText('after', `\nExamples:\n${command.examples.map((line) => `  ${line}`).join('\n')}`)
  added.action(async (...parameters: unknown[]) => {
    const argument = command.argument === undefined ? '' : String(parameters[0])
    ran(await command.run(added.opts(), argument))
  })
}

function toOption(name: string, option: Option): CommanderOption {
  const made = new CommanderOption(`--${spelled(name, '-')}${option.flag ? '' : ` ${option.shows}`}`, option.does)
  if (option.choices !== undefined) made.choices(option.choices as string[])
  const { read } = option
  if (read !== undefined || option.many) {
    made.argParser((text: string, before: unknown) => {
      const value = read === undefined ? text : readOr(() => read(text))
      return option.many ? [...((before as unknown[] | undefined) ?? []), value] : value
    })
  }
  return option.required ? made.makeOptionMandatory() : made
}

function readOr<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof Fault ? new InvalidArgumentError(sentence(`It ${error.message}`)) : error
  }
}

function leaves(parent: Commander): Commander[] {
  return parent.commands.flatMap((each) => (each.commands.length === 0 ? [each] : leaves(each)))
}

function fullTerm(command: Commander): string {
  const words: string[] = command.registeredArguments.map((argument) => `<${argument.name()}>`)
  for (let at: Commander | null = command; at?.parent != null; at = at.parent) words.unshift(at.name())
  return words.join(' ')
}

/** Groups in the order of `groups`; items of no group of ours (options) stay together. */
function grouped<T>(visible: T[], groupOf: (item: T) => string): Map<string, T[]> {
  const order = (heading: string) => groups.indexOf(heading.slice(0, -1) as Group)
  const found = Map.groupBy(visible, groupOf)
  return new Map([...found].sort(([a], [b]) => order(a) - order(b)))
}

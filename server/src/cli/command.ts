/**
 * A command is a declaration, from which help, parsing and refusals are derived, and a `run` that returns what is printed.
 * Its file imports what it works with inside `run`, so that starting one command loads nothing of the others.
 */

/** The headings of `atrium --help`, in their order. */
export const groups = [
  'Running',
  'Using the API',
  'Bringing data in',
  'Setting up',
  'Credentials',
  'People',
  'Work management',
  'Whiteboard',
  'Automations',
  'Keeping watch',
] as const
export type Group = (typeof groups)[number]

/** An option that takes a value. Its flag is its name in the declaration: `firstName` is `--first-name`. */
export interface Option<T = unknown> {
  /** The placeholder of the value in help: `<id>`. */
  readonly shows: string
  readonly does: string
  readonly required?: true
  /** May be given more than once. */
  readonly many?: true
  /** Takes no value. */
  readonly flag?: true
  readonly choices?: readonly T[]
  /** Parses the text, or throws a Fault. Without it the value is the text. */
  readonly read?: (text: string) => T
}

export type Options = Readonly<Record<string, Option>>

type Value<O> = O extends { readonly flag: true }
  ? true
  : O extends { readonly choices: readonly (infer T)[] }
    ? T
    : O extends { readonly read: (text: string) => infer T }
      ? T
      : string

type Plain<O> = O extends { readonly many: true } ? readonly Value<O>[] : Value<O>

/** The options of a call: one that is not required may be missing. */
export type Given<O extends Options> = {
  readonly [K in keyof O]: O[K] extends { readonly required: true } ? Plain<O[K]> : Plain<O[K]> | undefined
}

/** What a command prints: the document with `--json`, else the text. */
export interface Outcome {
  readonly json: unknown
  readonly text: string
  /** Goes to standard error with the text, so that standard output holds only what scripts read. */
  readonly hint?: string
  /** The command ran and found something bad: exit 1. */
  readonly bad?: boolean
}

interface Declaration<O extends Options> {
  /** As typed: `key create`. */
  readonly name: string
  readonly group: Group
  /** One line for the list of commands. */
  readonly summary: string
  /** More text for the command's own help. */
  readonly details?: string
  readonly argument?: { readonly shows: string; readonly does: string }
  /** The command parses its words itself, including --help, because its flags depend on them. */
  readonly words?: { readonly shows: string; run(words: readonly string[]): Promise<Outcome | null> }
  readonly options?: O
  /** Complete command lines that work. */
  readonly examples: readonly string[]
  /** Returns null when it has printed by itself. */
  run(given: Given<O>, argument: string): Promise<Outcome | null>
}

/** A command whose options' types are forgotten, as the program keeps it. */
export type Command = Omit<Declaration<Options>, 'run'> & {
  run(given: Readonly<Record<string, unknown>>, argument: string): Promise<Outcome | null>
}

export function command<const O extends Options = Record<never, never>>(declaration: Declaration<O>): Command {
  return declaration
}

/** An option's value is invalid. The message is the predicate of a sentence: `must be …`. */
export class Fault extends Error {}

/** The command was called wrongly: exit 2. The message is a sentence. */
export class UsageError extends Error {
  readonly param: string | undefined

  constructor(message: string, param?: string) {
    super(message)
    this.param = param
  }
}

/** The command failed: exit 1, unless the reason has its own code. The message is a sentence. */
export class Failure extends Error {
  readonly exit: number
  /** Further fields for programs. */
  readonly fields: Readonly<Record<string, unknown>>

  constructor(message: string, exit = 1, fields: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.exit = exit
    this.fields = fields
  }
}

/** `firstName` as the flag `first-name`, or with another separator as the parameter `first_name`. */
export function spelled(name: string, separator: '-' | '_'): string {
  return name.replaceAll(/[A-Z]/g, (letter) => separator + letter.toLowerCase())
}

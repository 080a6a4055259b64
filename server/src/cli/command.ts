/**
 * What a command is: a declaration that help, parsing and refusals are derived from, and one `run` that returns what
 * is printed. A command's file stays light: what it works with is imported inside `run`, so that starting one command
 * loads nothing of the others.
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
  /** What stands for the value in help: `<id>`. */
  readonly shows: string
  readonly does: string
  readonly required?: true
  /** May be given more than once. */
  readonly many?: true
  /** Takes no value: it is given or not. */
  readonly flag?: true
  readonly choices?: readonly T[]
  /** The value of the text, or a Fault. Without it the value is the text. */
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

/** What the caller gave: an option that is not required may be missing. */
export type Given<O extends Options> = {
  readonly [K in keyof O]: O[K] extends { readonly required: true } ? Plain<O[K]> : Plain<O[K]> | undefined
}

/** What a command prints: the document with `--json`, else the text. */
export interface Outcome {
  readonly json: unknown
  readonly text: string
  /** Goes to standard error with the text, so that standard output holds only what scripts read. */
  readonly hint?: string
  /** It ran, and what it found is bad: exit 1. */
  readonly bad?: boolean
}

interface Declaration<O extends Options> {
  /** As typed: `key create`. */
  readonly name: string
  readonly group: Group
  /** One line for the list of commands. */
  readonly summary: string
  /** More of it, for the command's own help. */
  readonly details?: string
  readonly argument?: { readonly shows: string; readonly does: string }
  /** It reads its words by itself, help and all: what it takes is known only when they are read. */
  readonly words?: { readonly shows: string; run(words: readonly string[]): Promise<Outcome | null> }
  readonly options?: O
  /** Whole lines that work. */
  readonly examples: readonly string[]
  /** Returns null when it has printed by itself. */
  run(given: Given<O>, argument: string): Promise<Outcome | null>
}

/** A command whose options' types are forgotten, as the program keeps it. */
export type Command = Omit<Declaration<Options>, 'run'> & {
  run(given: Readonly<Record<string, unknown>>, argument: string): Promise<Outcome | null>
}

export function command<const O extends Options = Record<never, never>>(declaration: Declaration<O>): Command {
  // The declaration has checked its options; the list of commands holds all without their types.
  return declaration as unknown as Command
}

/** The value of an option cannot be used. */
export class Fault extends Error {}

/** The command was called wrongly: exit 2. */
export class UsageError extends Error {
  readonly param: string | undefined

  constructor(message: string, param?: string) {
    super(message)
    this.param = param
  }
}

/** It cannot be done, for a reason that is one sentence: exit 1, unless there is a code for the reason. */
export class Failure extends Error {
  readonly exit: number
  /** What a program branches on, beside the message. */
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

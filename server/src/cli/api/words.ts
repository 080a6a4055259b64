/**
 * Parses the words after `atrium api` by the catalogue. Before the operation's name, flags are the client's; after it, the
 * operation's own flags take precedence, so that a field called `url` can be given.
 */
import type { Operation } from '../../api/declare/operation.ts'
import { catalogue } from '../../catalogue.ts'
import { quoted } from '../../lib/quoted.ts'
import { Fault, type Option, UsageError } from '../command.ts'
import { type ClientFlag, clientFlagNames, clientFlags, type Flag, flagsOf, pathNames } from './flags.ts'
import { didYouMean } from './suggest.ts'

export interface Words {
  /** Null if no operation was named. */
  readonly operation: Operation | null
  readonly client: Readonly<Partial<Record<ClientFlag, unknown>>>
  /** The texts given for each of the operation's flags, by field. */
  readonly given: ReadonlyMap<string, readonly string[]>
}

export const operationsById: ReadonlyMap<string, Operation> = new Map(catalogue.map((each) => [each.id, each]))

export function readWords(words: readonly string[]): Words {
  const reader = new Reader(words)
  reader.run()
  return reader
}

class Reader implements Words {
  operation: Operation | null = null
  readonly client: Partial<Record<ClientFlag, unknown>> = {}
  readonly given = new Map<string, string[]>()
  private readonly words: readonly string[]
  private flags = new Map<string, Flag>()
  private paths: string[] = []
  private at = 0

  constructor(words: readonly string[]) {
    this.words = words
  }

  run(): void {
    let open = true
    while (this.at < this.words.length) {
      const word = this.words[this.at++] as string
      if (open && word === '--') open = false
      else if (open && word === '-h') this.client.help = true
      else if (open && word.length > 2 && word.startsWith('--')) this.flag(word.slice(2))
      else if (open && word.length > 1 && word.startsWith('-') && !/^-\d/.test(word)) {
        throw new UsageError(`There is no flag ${quoted(word)}: flags begin with two dashes.`)
      } else this.bare(word)
    }
  }

  /** The operation's name, then the ids of its path; `-` is standard input as the body. */
  private bare(word: string): void {
    if (this.operation === null) {
      const found = operationsById.get(word)
      if (found === undefined) {
        const advice = didYouMean(word, operationsById.keys()) || " 'atrium api' lists the operations."
        throw new UsageError(`There is no operation ${quoted(word)}.${advice}`)
      }
      this.operation = found
      this.flags = new Map(flagsOf(found).map((flag) => [flag.name, flag]))
      this.paths = pathNames(found)
      return
    }
    if (word === '-') {
      this.setClient('input', '-')
      return
    }
    const name = this.paths.find((each) => !this.given.has(each))
    if (name === undefined) {
      const takes = this.paths.length === 0 ? 'no argument' : `only ${this.paths.join(' and ')}`
      throw new UsageError(
        `${this.operation.id} takes ${takes} without a flag, so ${quoted(word)} has no meaning here.`,
      )
    }
    this.given.set(name, [word])
  }

  private flag(text: string): void {
    const equals = text.indexOf('=')
    const spelling = equals < 0 ? text : text.slice(0, equals)
    const value = equals < 0 ? null : text.slice(equals + 1)
    const name = spelling.replaceAll('_', '-')
    const own = this.flags.get(name)
    if (own !== undefined) this.own(own, value)
    else if (clientFlagNames.has(name)) this.known(clientFlagNames.get(name) as ClientFlag, value)
    else if (name.startsWith('no-') && this.flags.get(name.slice(3))?.type.kind === 'boolean' && value === null) {
      this.give(this.flags.get(name.slice(3)) as Flag, 'false')
    } else this.refuse(name)
  }

  private own(flag: Flag, value: string | null): void {
    if (flag.type.kind !== 'boolean' || value !== null) {
      this.give(flag, value ?? this.next(flag.name))
      return
    }
    const next = this.words[this.at]
    const said = next === 'true' || next === 'false' || (next === 'null' && flag.type.nullable)
    if (said) this.at++
    this.give(flag, said ? next : 'true')
  }

  private give(flag: Flag, text: string): void {
    const before = this.given.get(flag.field)
    if (before !== undefined && flag.type.kind !== 'list') {
      throw new UsageError(`--${flag.name} is given twice.`, flag.field)
    }
    this.given.set(flag.field, [...(before ?? []), text])
  }

  private known(name: ClientFlag, value: string | null): void {
    const option: Option = clientFlags[name]
    if (option.flag) {
      if (value !== null) throw new UsageError(`--${name} takes no value.`, name)
      this.client[name] = true
    } else this.setClient(name, value ?? this.next(name))
  }

  private setClient(name: ClientFlag, text: string): void {
    const option: Option = clientFlags[name]
    const typed = [...clientFlagNames].find(([, each]) => each === name)?.[0] as string
    if (this.client[name] !== undefined) throw new UsageError(`--${typed} is given twice.`, typed.replaceAll('-', '_'))
    if (option.choices !== undefined && !option.choices.includes(text)) {
      const message = `--${typed} cannot be ${quoted(text)}. Use ${option.choices.join(', ')}.${didYouMean(text, option.choices as string[])}`
      throw new UsageError(message, typed.replaceAll('-', '_'))
    }
    try {
      this.client[name] = option.read === undefined ? text : option.read(text)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      // A URL may contain a password.
      const value = typed === 'url' ? '' : `, not ${quoted(text)}`
      throw new UsageError(`--${typed} ${error.message}${value}.`, typed.replaceAll('-', '_'))
    }
  }

  /** A flag in place of a value means that the value is missing; `--title=--all` passes such a value. */
  private next(name: string): string {
    const value = this.words[this.at++]
    const flag = value?.startsWith('--') ? value.slice(2) : ''
    if (value === undefined || this.flags.has(flag) || clientFlagNames.has(flag))
      throw new UsageError(`--${name} needs a value.`, name.replaceAll('-', '_'))
    return value
  }

  private refuse(name: string): never {
    if (/^(api-)?key$/.test(name) || name === 'token') {
      const message =
        'A key is not accepted on the command line, where others can see it. Set ATRIUM_KEY or give --key-file.'
      throw new UsageError(message, 'key')
    }
    const of = this.operation === null ? 'atrium api' : this.operation.id
    const advice = didYouMean(name, [...this.flags.keys(), ...clientFlagNames.keys()], '--')
    throw new UsageError(`${of} has no flag --${name.slice(0, 80)}.${advice || ' --help lists its flags.'}`, name)
  }
}

/** What can stand in place of the last word of a command line. Derived from the commands and the catalogue. */
import { eventTypes } from '../../api/declare/event.ts'
import { catalogue } from '../../catalogue.ts'
import { readClientEnvironment } from '../../config.ts'
import { answerFields, clientFlagNames, clientFlags, type Flag, flagsOf } from '../api/flags.ts'
import { operationsById } from '../api/words.ts'
import { readProfiles } from '../client/profiles.ts'
import { type Command, type Option, spelled } from '../command.ts'

export interface Candidate {
  readonly value: string
  readonly does: string
}

const named = (values: Iterable<string>, does = ''): Candidate[] => [...values].map((value) => ({ value, does }))

/** The candidates for the last of the words; none where a file or free text is meant. */
export function candidatesFor(commands: readonly Command[], given: readonly string[]): Candidate[] {
  const words = joined(given)
  const current = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const command = commands.find(({ name }) => name.split(' ').every((word, i) => before[i] === word))
  const all =
    command === undefined
      ? nextNames(commands, before)
      : command.words !== undefined
        ? ofApi(before.slice(1), current)
        : ofCommand(command, before.slice(command.name.split(' ').length), current)
  return all.filter(({ value }) => value.startsWith(current))
}

/** Bash takes `--flag=value` apart at the equals sign. */
function joined(words: readonly string[]): string[] {
  const whole: string[] = []
  for (const [i, word] of words.entries()) {
    const glued =
      whole.length > 0 && (word === '=' || words[i - 1] === '=') && (whole.at(-1) as string).startsWith('--')
    if (glued) whole.push((whole.pop() as string) + word)
    else whole.push(word)
  }
  return whole
}

/** The next word of the commands that begin so. */
function nextNames(commands: readonly Command[], before: readonly string[]): Candidate[] {
  const found = new Map<string, string>()
  for (const { name, summary } of commands) {
    const parts = name.split(' ')
    if (parts.length <= before.length || !before.every((word, i) => parts[i] === word)) continue
    const next = parts[before.length] as string
    found.set(next, found.has(next) || parts.length > before.length + 1 ? '' : summary)
  }
  return [...found].map(([value, does]) => ({ value, does }))
}

function ofCommand(command: Command, before: readonly string[], current: string): Candidate[] {
  const options = new Map(Object.entries(command.options ?? {}).map(([name, each]) => [spelled(name, '-'), each]))
  const last = before.at(-1)
  const waiting = last?.startsWith('--') ? options.get(last.slice(2)) : undefined
  if (waiting !== undefined && !waiting.flag) return ofOption(last?.slice(2) as string, waiting)
  if (!current.startsWith('-')) {
    if (command.name.startsWith('profile ') && command.name !== 'profile add') return profileNames()
    return command.name === 'completion' ? named(['bash', 'zsh', 'fish']) : []
  }
  const json: [string, Option] = ['json', { shows: '', flag: true, does: 'Print one JSON document.' }]
  return [...options, json]
    .filter(([name, option]) => option.many || !before.includes(`--${name}`))
    .map(([name, { does }]) => ({ value: `--${name}`, does }))
}

function ofOption(name: string, option: Option): Candidate[] {
  if (option.choices !== undefined) return named(option.choices as readonly string[])
  if (name === 'profile') return profileNames()
  return name === 'types' ? eventPatterns() : []
}

function profileNames(): Candidate[] {
  try {
    const { profiles } = readProfiles(readClientEnvironment().folder)
    return Object.entries(profiles).map(([value, { url }]) => ({ value, does: url }))
  } catch {
    return []
  }
}

function eventPatterns(): Candidate[] {
  const types = [...eventTypes.keys()]
  const patterns = types.flatMap((type) => [`${type.split('.')[0]}.*`, `${type.slice(0, type.lastIndexOf('.'))}.*`])
  return named(new Set(['*', ...patterns, ...types]))
}

/** Behind `atrium api`. */
function ofApi(before: readonly string[], current: string): Candidate[] {
  const operation = before.map((word) => operationsById.get(word)).find((each) => each !== undefined)
  const own = new Map((operation === undefined ? [] : flagsOf(operation)).map((flag) => [flag.name, flag]))
  const spelling = current.startsWith('--') && current.includes('=') ? current.slice(2, current.indexOf('=')) : null
  const last = before.at(-1)
  const waiting = spelling ?? (last?.startsWith('--') && !last.includes('=') ? last.slice(2) : null)
  const values =
    waiting === null ? null : valuesOf(waiting, own, operation === undefined ? [] : answerFields(operation), current)
  if (values !== null) return spelling === null ? values : values.map((each) => glued(spelling, each))
  if (operation === undefined && !current.startsWith('-')) {
    return catalogue.map(({ id, summary }) => ({ value: id, does: summary }))
  }
  if (!current.startsWith('-')) return []
  const flags = [...own.values()].filter(({ name, type }) => type.kind === 'list' || !before.includes(`--${name}`))
  const theirs = [...clientFlagNames].filter(([name]) => !own.has(name) && !before.includes(`--${name}`))
  return [
    ...flags.map(({ name, does }) => ({ value: `--${name}`, does })),
    ...theirs.map(([name, flag]) => ({ value: `--${name}`, does: clientFlags[flag].does })),
  ]
}

const glued = (flag: string, { value, does }: Candidate): Candidate => ({ value: `--${flag}=${value}`, does })

/** The values of a flag; `null` when it takes none, so that something else stands here. */
function valuesOf(
  name: string,
  own: ReadonlyMap<string, Flag>,
  fields: readonly string[],
  current: string,
): Candidate[] | null {
  const flag = own.get(name)
  if (flag !== undefined) {
    if (flag.field === 'types' || flag.field === 'event_types') return eventPatterns()
    const words = flag.type.item?.words ?? flag.type.words
    if (flag.type.kind === 'boolean') return current === '' || !/^[tf]/.test(current) ? null : named(['true', 'false'])
    return flag.commas ? commaList(words, current) : named(words)
  }
  const client = clientFlagNames.get(name)
  if (client === undefined || (clientFlags[client] as Option).flag) return null
  return client === 'fields' ? commaList(fields, current) : ofOption(name, clientFlags[client])
}

/** The next name of a list with commas, with what stands there already before it. */
function commaList(names: readonly string[], current: string): Candidate[] {
  const text = current.slice(current.indexOf('=') + 1)
  const done = text.slice(0, text.lastIndexOf(',') + 1)
  const used = new Set(done.split(','))
  return named(names.filter((name) => !used.has(name)).map((name) => done + name))
}

/** Help of `atrium api`: the operations there are, and of each what it takes, needs and costs. */
import type { Operation } from '../../api/declare/operation.ts'
import { catalogue } from '../../catalogue.ts'
import { spelled } from '../command.ts'
import { table } from '../print.ts'
import { type FieldType, shownType, showsWords } from './field-types.ts'
import { clientFlags, type Flag, flagsOf, pathNames } from './flags.ts'

const examples = [
  "atrium api tasks.list --workspace wsp_01… --filter 'priority >= high' --all",
  "atrium api tasks.create --workspace wsp_01… --title 'Write the proposal' --labels docs --due-at 2026-08-04",
  'atrium api tasks.update KEP-42 --status in_review --if-match 7',
  'atrium api tasks.create --input task.json --dry-run --json',
  'atrium api files.create --workspace wsp_01… --input screenshot.png',
]

const apiSummary = 'Call an operation of the API'

/** Help of the command, with every operation. */
export function apiHelp(): string {
  const rows = catalogue.map(({ id, summary }) => [`  ${id}`, summary])
  return [
    'Usage: atrium api [flags] <operation> [ids] [flags]',
    '',
    apiSummary,
    '',
    'Each parameter and field is a flag. Repeat the flag for a list; write an object as JSON; @FILE is the content of a file.',
    'The ids of the path may follow the operation without flags. Flags before the operation belong to the command itself.',
    '',
    'Operations (atrium api <operation> --help shows the flags of one):',
    table(rows),
    '',
    clientHelp(),
    '',
    'Examples:',
    ...examples.map((line) => `  ${line}`),
  ].join('\n')
}

/** Help of one operation. */
export function operationHelp(operation: Operation): string {
  const flags = flagsOf(operation)
  const ids = pathNames(operation).map((name) => `<${name}>`)
  const example = exampleOf(operation)
  return [
    `Usage: ${['atrium api', operation.id, ...ids, '[flags]'].join(' ')}`,
    '',
    operation.summary,
    '',
    `  ${operation.method} ${operation.path}`,
    `  scope: ${operation.scope ?? 'none'}; credits: ${operation.credits}${operation.paging === null ? '' : '; a list: --all, --limit'}`,
    ...(flags.length === 0 ? [] : ['', 'Its flags:', table(flags.map(rowOf))]),
    '',
    clientHelp(),
    ...(example === null ? [] : ['', 'Example:', `  ${example}`]),
  ].join('\n')
}

function rowOf({ name, place, type, required, does }: Flag): string[] {
  const shown = shownType(type)
  const how = [
    ...(required ? ['required'] : []),
    ...(place === 'body' ? [] : [place]),
    ...(type.nullable ? ['or null'] : []),
    ...(type.kind === 'list' ? ['may be repeated'] : []),
    ...(wordsOf(type).length > 0 && !showsWords(type.item ?? type) ? [`one of ${wordsOf(type).join(', ')}`] : []),
  ].join(', ')
  const text = [does, how === '' ? '' : `(${how})`].filter((each) => each !== '').join(' ')
  return [`  --${name}${shown === '' ? '' : ` <${shown}>`}`, text]
}

const wordsOf = (type: FieldType): readonly string[] => type.item?.words ?? type.words

function clientHelp(): string {
  const rows = Object.entries(clientFlags).map(([name, option]) => {
    const flag = `  --${spelled(name, '-')}${option.shows === '' ? '' : ` ${option.shows}`}`
    return [flag, option.does]
  })
  return `Flags of every operation:\n${table(rows)}`
}

/** The declared example as a line of the shell. */
function exampleOf(operation: Operation): string | null {
  const words = exampleWords(operation)
  if (words === null) return null
  return ['atrium api', ...words.map((word) => (/^[\w.:{}@,/=-]+$/.test(word) ? word : quoted(word)))].join(' ')
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/** The declared example as words; names in braces stand for ids. */
export function exampleWords(operation: Operation, example = operation.example): string[] | null {
  const words = [operation.id]
  for (const name of pathNames(operation)) words.push(example.params?.[name] ?? `{${name}}`)
  for (const [name, text] of Object.entries(example.query ?? {})) {
    // A file is uploaded under its own name.
    if (operation.uploads && name === 'name') words.push('--input', text)
    else words.push(`--${name.replace('[]', '').replaceAll('_', '-')}`, text)
  }
  if (typeof example.body !== 'object' || example.body === null) return words
  for (const [name, value] of Object.entries(example.body)) {
    const flag = `--${name.replaceAll('_', '-')}`
    if (Array.isArray(value) && value.length > 0) for (const each of value) words.push(flag, textOf(each))
    else words.push(flag, textOf(value))
  }
  return words
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  return value.startsWith('@') ? `@${value}` : value
}

/** The regular expressions of the product: literals, arguments of `new RegExp`, and each `pattern` of a schema. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { limits } from '../server/src/api/limits.ts'
import { word_form } from '../server/src/automations/schema-values.ts'
import { console_limits } from '../server/src/console/limits.ts'
import { forms } from '../server/src/imports/dates.ts'
import { idPattern } from '../server/src/lib/ids.ts'
import { spaceless_form } from '../server/src/search/words.ts'

export interface PatternInUse {
  readonly source: string
  readonly flags: string
  /** The files that contain it. */
  readonly at: readonly string[]
}

const root = join(import.meta.dirname, '..')
const document = 'docs/openapi.json'

/** The files that build expressions at run time, and what they build. */
const made: Readonly<Record<string, readonly string[]>> = {
  'server/src/api/request-log/log-batches.ts': [idPattern('req')],
  'server/src/resources/request_logs/retrieve.ts': [idPattern('req')],
  'server/src/resources/tasks/shared/filter.ts': [idPattern('flt')],
  'server/src/resources/events/queries.ts': [idPattern('evt')],
  'server/src/resources/boards/board.ts': [idPattern('brd')],
  'server/src/automations/sketch.ts': [word_form],
  'server/src/automations/validate/config.ts': [`^[a-z][a-z0-9_]{0,${limits.custom_field_key_chars_max - 1}}$`],
  'server/src/console/sessions/cookie.ts': [`^[0-9A-Za-z]{${console_limits.session_secret_chars}}$`],
  'server/src/http/console-files.ts': [String.raw`\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))`],
  'server/src/imports/dates.ts': forms.map(({ source }) => source),
  'server/src/search/words.ts': [spaceless_form],
  'server/src/conform/rules/input.ts': ['^name($|[.[])'],
  'server/src/derive/sdk/python/text.ts': [String.raw`\bName\b`],
  'server/src/derive/sdk/typescript/files.ts': [String.raw`\bName\b`],
  'server/src/derive/sdk/typescript/components.ts': [String.raw`\bName\b`],
  'sdk/typescript/src/response-info.ts': [String.raw`"([^"]+)";r=(\d+);t=(\d+)`],
  // Schemas, whose patterns are in the document.
  'server/src/automations/shape-limits.ts': [],
  'server/src/automations/shape.ts': [],
}

/** All of them, each once, sorted. Throws on a `new RegExp` in a file that is not listed here. */
export function patternsInUse(): PatternInUse[] {
  const found = new Map<string, { source: string; flags: string; at: Set<string> }>()
  const add = (source: string, flags: string, at: string): void => {
    const key = `/${source}/${flags}`
    const one = found.get(key) ?? { source, flags, at: new Set() }
    one.at.add(at)
    found.set(key, one)
  }
  for (const file of sources()) addPatternsOf(file, add)
  for (const source of patternsOf(JSON.parse(readFileSync(join(root, document), 'utf8')))) add(source, 'u', document)
  return [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { source, flags, at }]) => ({ source, flags, at: [...at].sort() }))
}

function sources(): string[] {
  const folders = ['server/src', 'console/src', 'sdk/typescript/src']
  return folders.flatMap((folder) =>
    globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root })
      .filter((file) => !file.includes('.test.'))
      .sort(),
  )
}

type Add = (source: string, flags: string, at: string) => void

function addPatternsOf(file: string, add: Add): void {
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/')
      add(node.text.slice(1, end), node.text.slice(end + 1), file)
    } else if (isConstruction(node)) {
      const sources = made[file]
      if (sources === undefined) throw new Error(`${file} builds a RegExp. List it in proof/patterns-in-use.ts.`)
      for (const source of sources) add(source, flagsOf(node), file)
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true))
}

function isConstruction(node: ts.Node): node is ts.NewExpression | ts.CallExpression {
  return (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp'
}

function flagsOf({ arguments: given }: ts.NewExpression | ts.CallExpression): string {
  const flags = given?.[1]
  return flags !== undefined && ts.isStringLiteral(flags) ? flags.text : ''
}

/** The values of every `pattern` in a JSON document of schemas. */
function patternsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) =>
    name === 'pattern' && typeof each === 'string' ? [each] : patternsOf(each),
  )
}

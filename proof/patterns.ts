/**
 * Every regular expression of the product, and whether a hostile text can make it slow. `proof/patterns.json` keeps what the
 * analyser recheck found; `npm run proof:patterns` asks it anew (it needs the npm registry), and the tests hold the list to
 * the sources: a pattern that nobody looked at is refused.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PatternInUse, patternsInUse } from './patterns-in-use.ts'

/** How the time grows with a text that is made for it. */
export type Growth = 'safe' | 'polynomial' | 'exponential' | 'unknown'

export interface Judged {
  readonly source: string
  readonly flags: string
  readonly growth: Growth
}

const analyser = 'recheck@4.5.0'
const path = join(import.meta.dirname, 'patterns.json')

/** Where patterns may stand whose time grows faster than their text, and why no stranger can make it long there. */
export const reasons: Readonly<Record<string, string>> = {
  'server/src/derive/': 'reads the sources of the product, while it is built',
  'server/src/conform/client.ts': 'an address that the operator gives',
  'server/src/cli/': 'runs for the operator alone, over one field of a file at a time',
  'server/src/config.ts': 'an address that the operator gives',
  'server/src/lib/ai-provider.ts': 'an address that the operator gives',
  'server/src/db/postgres-statement.ts': 'what PostgreSQL says that it did: "INSERT 0 5"',
  'server/src/db/table-keys.ts': 'the schema of the product',
  'server/src/automations/expressions.ts': 'a message about an expression of at most 2,000 characters',
  'console/src/pages/work/filter-words.ts': 'what a person types, in their own browser',
  'sdk/typescript/src/transport.ts': 'an address that the program itself gives',
}

export function keyOf({ source, flags }: Pick<Judged, 'source' | 'flags'>): string {
  return `/${source}/${flags}`
}

/** The files that hold a pattern that is not known to be safe, without a reason why that is in order. */
export function unexcused(patterns: readonly Judged[], inUse: readonly PatternInUse[]): string[] {
  const files = new Map(inUse.map((each) => [keyOf(each), each.at]))
  return patterns
    .filter(({ growth }) => growth !== 'safe')
    .flatMap((pattern) => (files.get(keyOf(pattern)) ?? []).map((file) => ({ file, pattern })))
    .filter(({ file }) => !Object.keys(reasons).some((place) => file.startsWith(place)))
    .map(({ file, pattern }) => `${file}: ${keyOf(pattern)} is ${pattern.growth}`)
}

export function judged(): readonly Judged[] {
  return JSON.parse(readFileSync(path, 'utf8')).patterns
}

interface Found {
  readonly status: 'safe' | 'vulnerable' | 'unknown'
  readonly complexity?: { readonly type: string }
}

type Check = (source: string, flags: string, options: { checker: string; timeout: number }) => Found

function growthOf(check: Check, source: string, flags: string): Growth {
  for (const checker of ['automaton', 'fuzz']) {
    const { status, complexity } = check(source, flags, { checker, timeout: 20_000 })
    if (status === 'safe') return 'safe'
    if (status === 'vulnerable') return complexity?.type === 'polynomial' ? 'polynomial' : 'exponential'
  }
  return 'unknown'
}

/** Installs the analyser in a folder of its own: its programs for other machines are too large for everybody's `npm ci`. */
function withAnalyser<T>(job: (check: Check) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-patterns-'))
  try {
    writeFileSync(join(folder, 'package.json'), '{"private":true}')
    execFileSync('npm', ['install', '--omit=optional', '--no-audit', '--no-fund', analyser], {
      cwd: folder,
      stdio: 'ignore',
    })
    process.env.RECHECK_BACKEND = 'pure'
    return job(createRequire(join(folder, 'package.json'))('recheck').checkSync)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function judgeAll(): void {
  const patterns = withAnalyser((check) => {
    if (growthOf(check, '(a+)+$', '') !== 'exponential') throw new Error('the analyser does not notice (a+)+$')
    return patternsInUse().map(({ source, flags }) => ({ source, flags, growth: growthOf(check, source, flags) }))
  })
  const lines = patterns.map((each) => `  ${JSON.stringify(each)}`)
  writeFileSync(path, `{\n "analyser": ${JSON.stringify(analyser)},\n "patterns": [\n${lines.join(',\n')}\n ]\n}\n`)
}

if (import.meta.main) judgeAll()

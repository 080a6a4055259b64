/**
 * Whether a hostile text can make a regular expression of the product slow. `proof/patterns.json` records the verdicts of the
 * analyser recheck; `npm run proof:patterns` runs it again (it needs the npm registry). Tests compare the list with the sources
 * and reject patterns without a verdict.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PatternInUse, patternsInUse } from './patterns-in-use.ts'

/** How the matching time grows with the length of the worst text. */
export type Growth = 'safe' | 'polynomial' | 'exponential' | 'unknown'

export interface Judged {
  readonly source: string
  readonly flags: string
  readonly growth: Growth
}

const analyser = 'recheck@4.5.0'
const path = join(import.meta.dirname, 'patterns.json')

/** Where slow patterns are allowed, and why no stranger can supply a long text there. */
export const reasons: Readonly<Record<string, string>> = {
  'server/src/derive/': 'reads the sources of the product while it is built',
  'server/src/conform/client.ts': 'an address from the operator',
  'server/src/cli/': 'runs for the operator only, over one field of a file at a time',
  'server/src/imports/': 'runs in clients, over a date of at most 80 characters or a name in the own file of a person',
  'server/src/config.ts': 'an address from the operator',
  'server/src/egress/ai-provider.ts': 'an address from the operator',
  'server/src/db/postgres/statement.ts': 'what PostgreSQL says that it did: "INSERT 0 5"',
  'server/src/db/tables/keys.ts': 'the schema of the product',
  'server/src/automations/expressions.ts': 'a message about an expression of at most 2,000 characters',
  'console/src/app/filter/suggestions.ts': 'text that users type in their own browser',
  'sdk/typescript/src/transport.ts': 'an address from the calling program',
}

export function keyOf({ source, flags }: Pick<Judged, 'source' | 'flags'>): string {
  return `/${source}/${flags}`
}

/** The files with a pattern that is not known to be safe and has no reason. */
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

interface CheckResult {
  readonly status: 'safe' | 'vulnerable' | 'unknown'
  readonly complexity?: { readonly type: string }
}

type Check = (source: string, flags: string, options: { checker: string; timeout: number }) => CheckResult

function growthOf(check: Check, source: string, flags: string): Growth {
  for (const checker of ['automaton', 'fuzz']) {
    const { status, complexity } = check(source, flags, { checker, timeout: 20_000 })
    if (status === 'safe') return 'safe'
    if (status === 'vulnerable') return complexity?.type === 'polynomial' ? 'polynomial' : 'exponential'
  }
  return 'unknown'
}

/** Installs the analyser in a temporary folder: its binaries for other platforms are too large for `npm ci`. */
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

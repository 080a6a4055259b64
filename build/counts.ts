/**
 * Counts what the house rules limit or demand: `bin/check counts`, or `node build/counts.ts COMMIT` to compare with an
 * earlier commit. The figures are for comparison; other steps refuse violations.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPhrases } from './words.ts'

const root = join(import.meta.dirname, '..')

/** A checkout or an unpacked commit; paths are relative to its folder. */
class Tree {
  private readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  has(path: string): boolean {
    return existsSync(join(this.folder, path))
  }

  /** Empty if the file does not exist. */
  text(path: string): string {
    return this.has(path) ? readFileSync(join(this.folder, path), 'utf8') : ''
  }

  files(...patterns: readonly string[]): string[] {
    return globSync(patterns, { cwd: this.folder, exclude: (path) => path === 'node_modules' || path === 'dist' })
      .filter((path) => statSync(join(this.folder, path)).isFile())
      .sort()
  }

  lines(...patterns: readonly string[]): string[] {
    return this.files(...patterns).flatMap((path) => this.text(path).split('\n').slice(0, -1))
  }

  count(pattern: RegExp, ...patterns: readonly string[]): number {
    return this.lines(...patterns).filter((line) => pattern.test(line)).length
  }
}

const source = ['server/src/**/*.ts', 'console/src/**/*.{ts,tsx}', 'sdk/typescript/src/*.ts']
const everything = ['{server,console,proof,bench,sdk,examples,build}/**/*.{ts,tsx,mjs,css}', '*.md', 'docs/**/*.md']
const cast = /(?<!\* .*)\bas (?:never|unknown as)\b/
const tests = '{server,console,proof,bench,sdk,examples,build}/**/*.test.ts'

/** The counts, in the order of the report. */
const counts: readonly (readonly [what: string, count: (tree: Tree) => number])[] = [
  [
    'citations of a contract that the repository does not hold',
    (tree) => tree.count(/(?:contract|decisions) §/, ...everything),
  ],
  ['citations of docs/contract', (tree) => tree.count(/\bcontract\/\d\d#/, ...everything)],
  ['pages of docs/contract', (tree) => tree.files('docs/contract/[0-9]*.md').length],
  ['phrases that `bin/check words` finds', (tree) => phrasesIn(tree)],
  ['words of README.md', (tree) => tree.text('README.md').split(/\s+/).length],
  ['request fields with a description, per cent', (tree) => described(tree, true)],
  ['component properties with a description, per cent', (tree) => described(tree, false)],
  ['casts through `never` or `unknown`', (tree) => tree.count(cast, ...source)],
  ['…without a reason beside them', (tree) => castsWithoutReason(tree)],
  [
    "callers and tables that pose as others (`as Caller`, `as 'tasks'`)",
    (tree) => tree.count(/\bas (?:Caller\b(?!\[)|'tasks')/, ...source),
  ],
  ['bounds in prose, "(bound: …)"', (tree) => tree.count(/^\s*\/?\*.*\(bound: /, ...source)],
  [
    'files of server/src/api and server/src/db outside of a room',
    (tree) => tree.files('server/src/{api,db}/*.ts').length,
  ],
  ["prefixes that do a folder's work (files `NAME-…` beside three others)", (tree) => prefixed(tree)],
  ['files `queries…` without SQL', (tree) => queriesWithoutSql(tree)],
  ['packages at run time', (tree) => runTimePackages(tree)],
  ['lines of docs/events.md', (tree) => tree.lines('docs/events.md').length],
  [
    'lines of the bill of materials and of old benchmark runs',
    (tree) => tree.lines('docs/sbom*', 'bench/results/*').length,
  ],
  ['lines of production code', (tree) => tree.lines(...source).length - tree.lines('server/src/**/*.test.ts').length],
  ['lines of test files', (tree) => tree.lines(tests, 'console/test/**/*.ts', 'server/test/**/[!.]*[!t].ts').length],
  ['lines of proofs and benchmarks', (tree) => tree.lines('{proof,bench}/**/*.ts').length],
]

function phrasesIn(tree: Tree): number {
  const own = new Set(['build/words.ts', 'server/test/docs/words.test.ts'])
  const files = tree.files(...everything).filter((path) => !own.has(path) && !path.includes('generated'))
  return files.reduce((sum, path) => sum + findPhrases(path, tree.text(path)).length, 0)
}

interface Schema {
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly $ref?: string
}

/** How many properties of request bodies, or of all components, have a description. */
function described(tree: Tree, inRequests: boolean): number {
  if (!tree.has('docs/openapi.json')) return 0
  const document = JSON.parse(tree.text('docs/openapi.json'))
  const schemas: Record<string, Schema> = document.components.schemas
  const bodies = Object.values(document.paths as Record<string, Record<string, { requestBody?: unknown }>>)
    .flatMap((path) => Object.values(path))
    .flatMap((operation) => bodySchema(operation.requestBody, schemas))
  const properties = (inRequests ? bodies : Object.values(schemas)).flatMap((one) =>
    Object.values(one.properties ?? {}),
  )
  return Math.round((100 * properties.filter((one) => one.description !== undefined).length) / properties.length)
}

function bodySchema(body: unknown, schemas: Readonly<Record<string, Schema>>): Schema[] {
  const schema = (body as { content?: Record<string, { schema?: Schema }> })?.content?.['application/json']?.schema
  if (schema?.$ref === undefined) return schema === undefined ? [] : [schema]
  const named = schemas[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)]
  return named === undefined ? [] : [named]
}

/** A reason is a comment on the line, on the line above, or the docstring of the surrounding function. */
function castsWithoutReason(tree: Tree): number {
  const files = tree.files(...source).filter((path) => !path.endsWith('.test.ts'))
  return files.reduce((sum, path) => {
    const lines = tree.text(path).split('\n')
    const bare = lines.filter(
      (line, i) => cast.test(line) && !/\/\/|\*\//.test(line) && !/^\s*(?:\/\/|\*)/.test(lines[i - 1] ?? ''),
    )
    return sum + bare.length
  }, 0)
}

function prefixed(tree: Tree): number {
  const files = tree.files('server/src/**/*.ts').filter((path) => !path.endsWith('.test.ts'))
  const families = Object.groupBy(files, (path) => /^(.*\/[a-z]+)-[^/]+$/.exec(path)?.[1] ?? '')
  return Object.entries(families).reduce(
    (sum, [prefix, named = []]) => sum + (prefix !== '' && named.length > 3 ? named.length : 0),
    0,
  )
}

function queriesWithoutSql(tree: Tree): number {
  const named = tree.files('server/src/**/queries*.ts')
  return named.filter((path) => !/\bquery\(|Query\(|selectFrom|updateTable|insertInto|deleteFrom/.test(tree.text(path)))
    .length
}

function runTimePackages(tree: Tree): number {
  const lock = JSON.parse(tree.text('package-lock.json') || '{"packages":{}}')
  const packages = Object.entries(
    lock.packages as Record<string, { dev?: boolean; optional?: boolean; link?: boolean }>,
  )
  return packages.filter(
    ([path, { dev, optional, link }]) => path.startsWith('node_modules/') && !dev && !optional && !link,
  ).length
}

/** Calls `use` with an unpacked commit. */
function withCommit<T>(commit: string, use: (tree: Tree) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-counts-'))
  try {
    const archive = execFileSync('git', ['archive', '--format=tar', commit], { cwd: root, maxBuffer: 1024 ** 3 })
    execFileSync('tar', ['-x', '-C', folder], { input: archive })
    return use(new Tree(folder))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function main(commit: string | undefined): void {
  const countAll = (tree: Tree) => counts.map(([, count]) => count(tree))
  const now = countAll(new Tree(root))
  const before = commit === undefined ? null : withCommit(commit, countAll)
  if (before !== null) process.stdout.write(`${'before'.padStart(8)}${'now'.padStart(8)}\n`)
  for (const [i, [what]] of counts.entries()) {
    const figures = before === null ? [now[i]] : [before[i], now[i]]
    process.stdout.write(`${figures.map((figure) => String(figure).padStart(8)).join('')}  ${what}\n`)
  }
}

if (import.meta.main) main(process.argv[2])

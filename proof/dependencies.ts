/**
 * The packages the product is built from, read from the lock file and the installed packages: `docs/dependencies.md` for
 * people (`node proof/dependencies.ts`, `--check` compares) and a CycloneDX 1.6 bill of materials for a release (`npm run sbom`).
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** Licences that allow use, change and sale of the product. Any other needs a reason. */
export const permissive = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
  'Zlib',
])

/** Packages with another licence, and why they are acceptable. */
export const reasons: Readonly<Record<string, string>> = {
  'axe-core': 'checks pages in tests, unchanged',
  'humanize-number': 'MIT by its text, not by its package file; logs of a test server',
  lightningcss: 'a build tool, unchanged',
}

export interface Dependency {
  readonly name: string
  readonly version: string
  readonly licence: string
  readonly integrity: string | null
  /** Installed with the product, not only for building and testing. */
  readonly runtime: boolean
}

interface Locked {
  readonly version?: string
  readonly integrity?: string
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly optional?: boolean
  readonly license?: string
  readonly link?: boolean
}

export function dependencies(): Dependency[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const found = new Map<string, Dependency>()
  for (const [path, locked] of Object.entries(lock.packages as Record<string, Locked>)) {
    const name = path.split('node_modules/').at(-1) ?? ''
    if (path === '' || locked.link === true || locked.version === undefined || !path.includes('node_modules/')) continue
    const { version, integrity = null } = locked
    const runtime = locked.dev !== true && locked.devOptional !== true
    const key = `${name}@${version}`
    const earlier = found.get(key)
    const licence = locked.license ?? licenceOf(path)
    found.set(key, { name, version, licence, integrity, runtime: runtime || earlier?.runtime === true })
  }
  return [...found.values()].sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1))
}

function licenceOf(path: string): string {
  const file = join(root, path, 'package.json')
  if (!existsSync(file)) return 'unknown'
  const { license, licenses } = JSON.parse(readFileSync(file, 'utf8'))
  const declared = license ?? licenses?.[0]
  return typeof declared === 'string' ? declared : (declared?.type ?? 'unknown')
}

/** Whether a licence is permissive or its package has a reason. */
export function isAcceptable({ name, licence }: Pick<Dependency, 'name' | 'licence'>): boolean {
  return isPermissive(licence) || Object.keys(reasons).some((known) => name === known || name.startsWith(`${known}-`))
}

/** Whether at least one alternative of a licence expression is permissive: `(MIT OR GPL-3.0)`. */
export function isPermissive(licence: string): boolean {
  const alternatives = licence.replaceAll(/[()]/g, '').split(/\s+OR\s+/)
  return alternatives.some((each) => each.split(/\s+AND\s+/).every((part) => permissive.has(part.trim())))
}

function page(all: readonly Dependency[]): string {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const direct = (names: object): string[] =>
    Object.keys(names).map((name) => {
      const { version } = lock.packages[`node_modules/${name}`] as Locked
      const found = all.find((each) => each.name === name && each.version === version)
      return `| \`${name}\` | ${version} | ${found?.licence} |`
    })
  const runtime = all.filter((each) => each.runtime)
  const others = all.filter((each) => !each.runtime)
  const exceptions = all.filter(({ licence }) => !isPermissive(licence)).map(({ name, licence }) => [name, licence])
  const head = ['', '| Package | Version | Licence |', '|---|---|---|']
  return [
    '<!-- Written by proof/dependencies.ts from package-lock.json. -->',
    '# Dependencies and their licences',
    '',
    `${runtime.length} packages are installed with the product, some of them for one platform only; ${others.length} more build and test it.`,
    'The tables list the direct ones; [decisions/libraries.md](decisions/libraries.md) says why they were chosen. `npm run sbom` writes',
    'all packages, with versions, licences and hashes, to `dist/sbom.cdx.json` (CycloneDX 1.6).',
    '',
    '## Installed with the product',
    ...head,
    ...direct(manifest.dependencies),
    '',
    '## For building and testing',
    ...head,
    ...direct(manifest.devDependencies),
    '',
    '## Licences of all packages',
    '',
    '| Licence | Installed with the product | For building and testing |',
    '|---|---|---|',
    ...[...new Set(all.map(({ licence }) => licence))].sort().map((licence) => {
      const count = (some: readonly Dependency[]) => some.filter((each) => each.licence === licence).length
      return `| ${licence} | ${count(runtime)} | ${count(others)} |`
    }),
    '',
    'Not permissive:',
    '',
    ...Object.entries(reasons).map(([name, reason]) => {
      const licence = exceptions.find(([each]) => each === name)?.[1]
      return `- \`${name}\` (${licence}): ${reason}.`
    }),
    '',
  ].join('\n')
}

export function sbom(all: readonly Dependency[]): string {
  const lock = readFileSync(join(root, 'package-lock.json'))
  const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const hash = createHash('sha256').update(lock).digest('hex')
  const parts = [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `4${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ]
  const components = all.map((each) => ({
    type: 'library',
    'bom-ref': purl(each),
    name: each.name,
    version: each.version,
    scope: each.runtime ? 'required' : 'excluded',
    purl: purl(each),
    licenses: [{ expression: each.licence }],
    ...(each.integrity?.startsWith('sha512-')
      ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(each.integrity.slice(7), 'base64').toString('hex') }] }
      : {}),
  }))
  const metadata = { component: { type: 'application', 'bom-ref': name, name, version } }
  const head = { bomFormat: 'CycloneDX', specVersion: '1.6', serialNumber: `urn:uuid:${parts.join('-')}`, version: 1 }
  return `${JSON.stringify({ ...head, metadata, components }, null, 1)}\n`
}

function purl({ name, version }: Dependency): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

const page_file = join(root, 'docs/dependencies.md')
const sbom_file = join(root, 'dist/sbom.cdx.json')

export function isPageCurrent(): boolean {
  return existsSync(page_file) && readFileSync(page_file, 'utf8') === page(dependencies())
}

if (import.meta.main) {
  if (process.argv.includes('--sbom')) {
    mkdirSync(join(root, 'dist'), { recursive: true })
    writeFileSync(sbom_file, sbom(dependencies()))
    console.log('written: dist/sbom.cdx.json')
  } else if (!process.argv.includes('--check')) {
    writeFileSync(page_file, page(dependencies()))
  } else if (!isPageCurrent()) {
    console.log('out of date (run node proof/dependencies.ts): docs/dependencies.md')
    process.exitCode = 1
  }
}

/**
 * What the product is made of besides itself, read off the lock file and the installed packages: `docs/dependencies.md` for
 * people, `docs/sbom.cdx.json` (CycloneDX 1.6) for programs. `node proof/dependencies.ts` writes both, `--check` compares.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** Licences that let the product be used, changed and sold; others need a reason. */
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

/** Not permissive, and why that is in order here. */
export const reasons: Readonly<Record<string, string>> = {
  'axe-core': 'MPL-2.0; only checks pages in tests, unchanged',
  'caniuse-lite': 'CC-BY-4.0 data of build tools',
  lightningcss: 'MPL-2.0; a build tool, unchanged',
}

export interface Dependency {
  readonly name: string
  readonly version: string
  readonly licence: string
  readonly integrity: string | null
  /** Needed to run the product, not only to build and test it. */
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
  const said = license ?? licenses?.[0]
  return typeof said === 'string' ? said : (said?.type ?? 'unknown')
}

/** Whether a licence is permissive, or there is a reason why it need not be. */
export function isInOrder({ name, licence }: Pick<Dependency, 'name' | 'licence'>): boolean {
  return isPermissive(licence) || Object.keys(reasons).some((known) => name === known || name.startsWith(`${known}-`))
}

/** Whether one of the alternatives of a licence expression is permissive: `(MIT OR GPL-3.0)`. */
export function isPermissive(licence: string): boolean {
  const alternatives = licence.replaceAll(/[()]/g, '').split(/\s+OR\s+/)
  return alternatives.some((each) => each.split(/\s+AND\s+/).every((part) => permissive.has(part.trim())))
}

function page(all: readonly Dependency[]): string {
  const rows = (some: readonly Dependency[]): string[] =>
    some.map((d) => `| \`${d.name}\` | ${d.version} | ${d.licence} |`)
  const runtime = all.filter((each) => each.runtime)
  const others = all.filter((each) => !each.runtime)
  const head = ['', '| Package | Version | Licence |', '|---|---|---|']
  return [
    '<!-- Written by proof/dependencies.ts from package-lock.json. -->',
    '# Dependencies and their licences',
    '',
    `${runtime.length} packages run with the product (some of them for one platform only); ${others.length} more build and test it. As CycloneDX: [sbom.cdx.json](sbom.cdx.json).`,
    'Why the direct ones were chosen: [decisions/libraries.md](decisions/libraries.md).',
    '',
    '## Running with the product',
    ...head,
    ...rows(runtime),
    '',
    '## Building and testing it',
    ...head,
    ...rows(others),
    '',
  ].join('\n')
}

function sbom(all: readonly Dependency[]): string {
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

/** The files that are out of date; with `write` they are brought up to date. */
export function outdated(write: boolean): string[] {
  const all = dependencies()
  const files = { 'docs/dependencies.md': page(all), 'docs/sbom.cdx.json': sbom(all) }
  return Object.entries(files)
    .filter(([path, text]) => !existsSync(join(root, path)) || readFileSync(join(root, path), 'utf8') !== text)
    .map(([path, text]) => {
      if (write) writeFileSync(join(root, path), text)
      return path
    })
}

if (import.meta.main) {
  const check = process.argv.includes('--check')
  const changed = outdated(!check)
  console.log(changed.length === 0 ? 'up to date' : `${check ? 'out of date' : 'written'}: ${changed.join(', ')}`)
  if (check && changed.length > 0) process.exitCode = 1
}

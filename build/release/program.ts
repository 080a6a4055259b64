/**
 * The package of the program: everything that `bin/atrium` reads at run time and Node itself, at the same relative paths as in
 * the repository. It has no dependencies, so npm installs it without a network, and unpacking it is an installation, too.
 */
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Plugin } from 'rolldown'
import { buildConsole } from '../../console/build.ts'
import { buildDocs, isPublished } from '../docs/site.ts'
import { buildReference } from '../reference.ts'
import { buildServer } from '../server.ts'
import { release_limits } from './limits.ts'
import { writeNode } from './node-binary.ts'
import { collectPackages, notices, packageFolder } from './notices.ts'

const root = join(import.meta.dirname, '../..')

/** What the package contains of the repository as it is. */
const copied = [
  'LICENSE',
  'SECURITY.md',
  'CHANGELOG.md',
  'bin/atrium',
  'docs',
  'examples/flows',
  'deploy',
  'sdk/python/README.md',
]

/** Documents for programs, which need no line breaks. */
const data = [
  'docs/openapi.json',
  'docs/examples.json',
  'docs/contract/operations.json',
  'docs/contract/automation-graph.schema.json',
  'docs/guides/webhook-vectors.json',
]

function compact(file: string): void {
  writeFileSync(file, `${JSON.stringify(JSON.parse(readFileSync(file, 'utf8')))}\n`)
}

/** `linux-x64`: where the package runs. */
export const platform = `${process.platform}-${process.arch}`
const codecs = `@napi-rs/image-${platform}-gnu`

/** Writes the package into a new folder. `sdk` is the built package of the SDK. */
export async function writeProgram(folder: string, version: string, sdk: string): Promise<void> {
  const packages = new Set<string>()
  await writeServer(join(folder, 'dist/build/server'), packages)
  await buildReference(join(folder, 'dist/build/reference'))
  await buildDocs(join(folder, 'dist/build/docs'))
  mkdirSync(join(folder, 'console'))
  await buildConsole(join(folder, 'console/dist'), [collectPackages(packages)])
  // The bundler's list of chunks, which only tests read.
  rmSync(join(folder, 'console/dist/.vite'), { recursive: true })
  for (const path of copied) cpSync(join(root, path), join(folder, path), { recursive: true, filter: isPublished })
  for (const path of data) compact(join(folder, path))
  cpSync(sdk, join(folder, 'sdk/typescript'), { recursive: true })
  writeRuntime(join(folder, 'runtime'))
  for (const name of ['@scalar/fastify-api-reference', '@napi-rs/image', 'minisearch'])
    packages.add(packageFolder(root, name))
  writeFileSync(join(folder, 'NOTICES.md'), notices(packages))
  writeFileSync(join(folder, 'package.json'), manifest(version))
  const readme = readFileSync(join(import.meta.dirname, 'package-readme.txt'), 'utf8')
  writeFileSync(join(folder, 'README.md'), readme.replaceAll('VERSION', version).replaceAll('PLATFORM', platform))
}

/** The server with every library in it, and the native one beside it. Adds the packages that it contains. */
export async function writeServer(folder: string, packages: Set<string> = new Set()): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true })
  await buildServer(folder, [nativeCodecs, collectPackages(packages)], [])
  copyFileSync(createRequire(import.meta.url).resolve(codecs), join(folder, 'codecs.node'))
}

/** Loads the codecs of image previews from beside the module, where no `node_modules` is. */
const nativeCodecs: Plugin = {
  name: 'native-codecs',
  resolveId: (source) => (source === '@napi-rs/image' ? '\0codecs' : null),
  load: (id) =>
    id === '\0codecs'
      ? `import { createRequire } from 'node:module'
export const { Transformer } = createRequire(import.meta.url)('./codecs.node')`
      : null,
}

function writeRuntime(folder: string): void {
  const node = packageFolder(root, 'node')
  mkdirSync(folder)
  writeNode(join(node, 'bin/node'), join(folder, 'node'))
  // Of Node 26. npm keeps no copy: the package that has it is gone after the next installation.
  copyFileSync(join(import.meta.dirname, 'node-licence.txt'), join(folder, 'LICENSE'))
}

function manifest(version: string): string {
  const { name, description, license, type, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const where = { os: [process.platform], cpu: [process.arch], libc: ['glibc'] }
  return `${JSON.stringify({ name, version, description, license, type, bin, ...where }, null, 2)}\n`
}

export interface Sizes {
  readonly unpacked: number
  /** Without Node and other native code. */
  readonly portable: number
}

/** Sizes in bytes of the package's files. Throws if one is over its bound. */
export function checkSizes(files: ReadonlyMap<string, number>): Sizes {
  const sum = (sizes: Iterable<number>) => Iterator.from(sizes).reduce((a, b) => a + b, 0)
  const portable = [...files].filter(([path]) => !path.startsWith('runtime/') && !path.endsWith('.node'))
  const sizes = { unpacked: sum(files.values()), portable: sum(portable.map(([, bytes]) => bytes)) }
  const { unpacked_bytes_max, portable_bytes_max } = release_limits
  const largest = [...files].sort(([, a], [, b]) => b - a).slice(0, 5)
  const names = largest.map(([path, bytes]) => `${path} (${inMebibytes(bytes)})`).join(', ')
  for (const [what, bytes, max] of [
    ['The package', sizes.unpacked, unpacked_bytes_max],
    ['What is not native in the package', sizes.portable, portable_bytes_max],
  ] as const) {
    if (bytes > max)
      throw new Error(`${what} has ${inMebibytes(bytes)}, over ${inMebibytes(max)}. Largest files: ${names}.`)
  }
  return sizes
}

export function inMebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`
}

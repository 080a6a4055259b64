/**
 * `npm run release [-- FOLDER]` writes the artefacts of the version in package.json into `dist/release`, or into FOLDER: the
 * packages of program and SDKs, the documents as a site, the bill of materials, the release notes and the checksums (docs/releases.md). The same commit
 * makes the same bytes. `--verify` makes them twice, the second time from a copy in another folder, and compares.
 * `--allow-dirty` accepts changes that are not committed.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { dependencies, sbom } from '../proof/dependencies.ts'
import { whyNoPython } from '../sdk/python/interpreter.ts'
import { buildPackage } from '../sdk/typescript/build.ts'
import { copySite } from './docs/site.ts'
import { replaceFolder } from './folder.ts'
import { packFolder } from './release/archive.ts'
import { checkRelease, type Release, ReleaseRefused } from './release/checks.ts'
import { checkSizes, inMebibytes, platform, writeProgram } from './release/program.ts'
import { writePython } from './release/python.ts'

const root = join(import.meta.dirname, '..')
const sums = 'SHA256SUMS'

/** The names of a version's artefacts. */
export function artefactNames(version: string) {
  return {
    program: `atrium-${version}-${platform}.tgz`,
    sdk: `atrium-sdk-${version}.tgz`,
    wheel: `atrium-${version}-py3-none-any.whl`,
    pythonSource: `atrium-${version}.tar.gz`,
    docs: `atrium-docs-${version}.tgz`,
    bill: `atrium-${version}.cdx.json`,
    notes: 'RELEASE-NOTES.md',
    sums,
  }
}

/**
 * Makes all artefacts, those of Python if `withPython`; `folder` is replaced once they are complete. Throws if a size is over
 * its bound.
 */
export async function makeRelease(folder: string, { version, section }: Release, withPython: boolean): Promise<void> {
  if (process.platform !== 'linux') throw new ReleaseRefused(`Releases are made on Linux, not on ${process.platform}.`)
  const names = artefactNames(version)
  await replaceFolder(folder, async (next) => {
    const work = `${next}.work`
    try {
      const [sdk, program] = [join(work, 'sdk/package'), join(work, 'program/package')]
      mkdirSync(next, { recursive: true })
      writeSdk(sdk)
      await writeProgram(program, version, sdk)
      checkSizes(sizesIn(program))
      copySite(join(program, 'dist/build/docs'), join(work, 'atrium-docs'))
      packFolder(join(work, 'atrium-docs'), join(next, names.docs), section.date)
      packFolder(sdk, join(next, names.sdk), section.date)
      if (withPython) writePython(next, section.date)
      packFolder(program, join(next, names.program), section.date)
      writeFileSync(join(next, names.bill), sbom(dependencies()))
      writeFileSync(join(next, names.notes), `# Atrium ${version}\n\n${section.date}\n\n${section.text}\n`)
      writeFileSync(join(next, names.sums), checksums(next))
    } finally {
      rmSync(work, { recursive: true, force: true })
    }
  })
}

/** The built package of the SDK, as npm would pack it. */
export function writeSdk(folder: string): void {
  const source = join(root, 'sdk/typescript')
  for (const name of ['src', 'package.json', 'tsconfig.json', 'README.md', 'LICENSE']) {
    cpSync(join(source, name), join(folder, name), { recursive: true })
  }
  buildPackage(folder)
  rmSync(join(folder, 'tsconfig.json'))
}

export function sizesIn(folder: string): Map<string, number> {
  const names = globSync('**', { cwd: folder }).sort()
  const files = names.map((name) => [name, statSync(join(folder, name))] as const)
  return new Map(files.flatMap(([name, stats]) => (stats.isFile() ? [[name, stats.size]] : [])))
}

/** Lines that `sha256sum --check` reads. */
function checksums(folder: string): string {
  const files = globSync('*', { cwd: folder }).sort()
  return files
    .map(
      (file) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, file)))
          .digest('hex')}  ${file}\n`,
    )
    .join('')
}

/** Makes the release from a copy of the working tree in another folder. Returns the names of the files that differ. */
function differencesOfCopy(folder: string): string[] {
  const copy = join(root, 'dist', `copy-${process.pid}`)
  try {
    const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
    for (const file of files.toString().split('\0').filter(Boolean)) cpSync(join(root, file), join(copy, file))
    // Hard links, because the packages have more than a gigabyte.
    execFileSync('cp', ['-al', join(root, 'node_modules'), join(copy, 'node_modules')])
    const again = join(copy, 'again')
    execFileSync(process.execPath, [join(copy, 'build/release.ts'), '--allow-dirty', again], { cwd: copy })
    const lines = [folder, again].map((each) => readFileSync(join(each, sums), 'utf8').split('\n'))
    const [first = [], second = []] = lines
    return first.filter((line) => !second.includes(line)).map((line) => line.slice(66))
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

async function main(): Promise<void> {
  const options = { 'allow-dirty': { type: 'boolean' }, verify: { type: 'boolean' } } as const
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const folder = resolve(positionals[0] ?? join(root, 'dist/release'))
  const release = checkRelease(root, values['allow-dirty'] === true)
  const noPython = whyNoPython()
  if (noPython !== null) throw new ReleaseRefused(`The Python SDK cannot be packed: ${noPython}.`)
  await makeRelease(folder, release, true)
  for (const [name, bytes] of sizesIn(folder)) console.log(`${inMebibytes(bytes).padStart(10)}  ${name}`)
  console.log(`written: ${relative(process.cwd(), folder) || basename(folder)}`)
  if (values.verify !== true) return
  const different = differencesOfCopy(folder)
  if (different.length > 0) throw new ReleaseRefused(`A second build made other bytes: ${different.join(', ')}.`)
  console.log('A second build, in another folder, made the same bytes.')
}

if (import.meta.main) {
  await main().catch((error) => {
    if (!(error instanceof ReleaseRefused)) throw error
    console.error(`The release is refused.\n${error.message}`)
    process.exitCode = 1
  })
}

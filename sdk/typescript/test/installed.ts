/** The package as users get it: built, packed, and installed without a network in a new project, which the README's command makes. */
import { execFile, execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { buildPackage } from '../build.ts'

const run = promisify(execFile)
export const package_folder = join(import.meta.dirname, '..')

export interface Installed {
  /** The folder that it is installed in. */
  readonly folder: string
  /** What the tarball holds. */
  readonly files: readonly string[]
  remove(): void
}

export async function installPackage(): Promise<Installed> {
  const root = mkdtempSync(join(tmpdir(), 'atrium-package-'))
  const [made, folder] = [join(root, 'package'), join(root, 'project')]
  for (const name of ['src', 'package.json', 'tsconfig.json', 'README.md', 'LICENSE']) {
    cpSync(join(package_folder, name), join(made, name), { recursive: true })
  }
  mkdirSync(folder)
  buildPackage(made)
  const packed = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', root], { cwd: made })
  const [{ filename, files }] = JSON.parse(packed.stdout) as [{ filename: string; files: { path: string }[] }]
  const [, project = 'exit 1'] =
    /^ {4}(npm init .*)$/m.exec(readFileSync(join(package_folder, 'README.md'), 'utf8')) ?? []
  await run('sh', ['-c', project], { cwd: folder })
  const install = ['install', join(root, filename), '--offline', '--ignore-scripts', '--no-audit', '--no-fund']
  await run('npm', install, { cwd: folder })
  return { folder, files: files.map(({ path }) => path), remove: () => rmSync(root, { recursive: true }) }
}

/** This Node, and another installed one if the package supports it. */
export function nodes(): readonly string[] {
  const inPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'))
  const known = new Map([[process.version, process.execPath]])
  for (const node of inPath) {
    const version = versionOf(node)
    if (version !== null && Number(version.slice(1).split('.')[0]) >= 20 && !known.has(version))
      known.set(version, node)
  }
  return [...known.values()]
}

export function versionOf(node: string): string | null {
  try {
    return execFileSync(node, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return null
  }
}

export interface Script {
  /** What it has written so far. */
  readonly lines: readonly string[]
  /** Resolves when it has written a line that begins so; rejects when it ends before. */
  said(start: string): Promise<void>
  /** Types Enter. */
  enter(): void
  end(): Promise<void>
}

export function runScript(node: string, file: string, environment: Readonly<Record<string, string>>): Script {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(node, [file], { env: { PATH, HOME, ...environment }, stdio: ['pipe', 'pipe', 'pipe'] })
  const lines: string[] = []
  const looks = new Set<() => void>()
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  for (const output of [child.stdout, child.stderr]) {
    createInterface(output).on('line', (line) => {
      lines.push(line)
      for (const look of looks) look()
    })
  }
  return {
    lines,
    said: (start) =>
      new Promise((resolve, reject) => {
        const look = () => lines.some((line) => line.startsWith(start)) && resolve()
        looks.add(look)
        look()
        void ended.then(() => reject(new Error(`it ended:\n${lines.join('\n')}`)))
      }),
    enter: () => void child.stdin.write('\n'),
    async end() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/**
 * Bundles the server's thousand modules into a few files in `dist/build/server`, which start in less than half the time.
 * `bin/atrium` runs them unless a source file is newer. They find the project's files by the same relative path as the source,
 * because both folders are three deep.
 */
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Plugin } from 'rolldown'
import { isInstalled, replaceFolder } from './folder.ts'

const root = join(import.meta.dirname, '..')
/** The folder of the build that `bin/atrium` runs. */
export const built = join(root, 'dist/build/server')
export const entry = 'index.js'

// pg loads pg-native if it is installed.
const never_bundled = ['pg-native']
/** They are loaded from `node_modules` when they are used, one with its native library. */
const loaded_when_used = ['@napi-rs/image', '@aws-sdk/client-s3']

/** Modules that run by themselves: the program, the schema compiler that it loads later, and its threads. */
const entries = [
  'cli/index.ts',
  'api/request/compile.ts',
  'db/sqlite/checkpoint-thread.ts',
  'db/sqlite/log/log-thread.ts',
  'files/preview-thread.ts',
]

/** `plugins` may transform the source, for example to plant faults. `external` packages are not bundled. */
export async function buildServer(
  folder: string,
  plugins: readonly Plugin[] = [],
  external: readonly string[] = loaded_when_used,
): Promise<void> {
  const { build } = await import('rolldown')
  const began = new Date()
  await replaceFolder(folder, async (next) => {
    await build({
      input: Object.fromEntries(entries.map((file) => [basename(file, '.ts'), join(root, 'server/src', file)])),
      // Comments name modules by their path from here.
      cwd: root,
      platform: 'node',
      plugins: [...plugins],
      external: [...never_bundled, ...external],
      logLevel: 'silent',
      // Nothing is left out: the bundler takes calls for pure that are made only to see whether they throw.
      treeshake: false,
      // A seventh of the bytes would be docstrings.
      output: { dir: next, format: 'esm', entryFileNames: '[name].js', minify: false, comments: { jsdoc: false } },
    })
    // The build counts as old as its start, so a source file that changes during the build is newer.
    utimesSync(join(next, entry), began, began)
  })
}

/** Whether `bin/atrium` runs the build: no source file is newer. */
export function isBuilt(): boolean {
  const file = join(built, entry)
  if (!existsSync(file)) return false
  const { mtimeMs } = statSync(file)
  const source = join(root, 'server/src')
  const names = readdirSync(source, { recursive: true, encoding: 'utf8' })
  const files = ['', ...names].map((name) => join(source, name))
  return [...files, join(root, 'package-lock.json')].every((each) => statSync(each).mtimeMs <= mtimeMs)
}

if (import.meta.main) {
  if (isInstalled('rolldown') || !process.argv.includes('--if-possible')) await buildServer(built)
}

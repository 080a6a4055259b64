/**
 * Puts the server's thousand modules into few files, in `dist/build/server`, which start in less than half the time.
 * `bin/atrium` runs them as long as nothing of the source is newer. They find the project's files as the source does: both
 * folders are three deep.
 */
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'rolldown'
import { isInstalled, replaceFolder } from './folder.ts'

const root = join(import.meta.dirname, '..')
/** What `bin/atrium` runs. */
export const built = join(root, 'dist/build/server')
export const entry = 'index.js'

/** `plugins` may change what is read of the source. */
export async function buildServer(folder: string, plugins: readonly Plugin[] = []): Promise<void> {
  const { build } = await import('rolldown')
  const began = new Date()
  await replaceFolder(folder, async (next) => {
    await build({
      input: { index: join(root, 'server/src/cli/index.ts'), compile: join(root, 'server/src/api/compile.ts') },
      platform: 'node',
      plugins: [...plugins],
      // pg asks for the first where it is installed; the second finds files beside itself.
      external: ['pg-native', '@scalar/fastify-api-reference'],
      logLevel: 'silent',
      output: { dir: next, format: 'esm', entryFileNames: '[name].js' },
    })
    // What is written to the source from now on is newer, also while this is built.
    utimesSync(join(next, entry), began, began)
  })
}

/** Whether `bin/atrium` runs what was built: nothing of the source is newer. */
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

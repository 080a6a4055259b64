/**
 * Builds the console into `console/dist` with a copy of each file in Brotli, which the server sends as it is.
 * With `--if-possible`, used after an installation, it builds only if the development dependencies are installed.
 */
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import type { Plugin } from 'vite'
import { isInstalled, replaceFolder } from '../build/folder.ts'

const folder = import.meta.dirname

/** What is built: the folders and files that the console is made of. */
const sources = [
  ...['src', 'public', 'service-worker', 'index.html', 'vite.config.ts', 'codemirror.ts', 'excalidraw.ts'],
  ...['../sdk/typescript/src', '../server/src/imports', '../server/src/lib', '../server/src/api/limits.ts'],
  ...['../server/src/console/shapes.ts', '../package-lock.json'],
]

const compressFile = promisify(brotliCompress)

/** The largest chunks take seconds each, so they are compressed side by side. */
async function compress(dist: string): Promise<void> {
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/\.(br|png|woff2)$/.test(name))
    .map((name) => join(dist, name))
    .filter((file) => statSync(file).isFile())
  await Promise.all(
    files.map(async (file) => {
      const bytes = readFileSync(file)
      const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
      writeFileSync(`${file}.br`, await compressFile(bytes, { params }))
    }),
  )
}

/** Builds into a folder and replaces it only when the build is complete. `plugins` are added to those of the configuration. */
export async function buildConsole(dist: string, plugins: readonly Plugin[] = []): Promise<void> {
  const { build } = await import('vite')
  const began = new Date()
  await replaceFolder(dist, async (next) => {
    const configFile = join(folder, 'vite.config.ts')
    await build({ configFile, logLevel: 'warn', plugins: [...plugins], build: { outDir: next } })
    await compress(next)
    // The build counts as old as its start, so a source file that changes during the build is newer.
    utimesSync(join(next, 'index.html'), began, began)
  })
}

/** Whether `console/dist` is the console as it is: no source file is newer. */
export function isConsoleBuilt(): boolean {
  const page = join(folder, 'dist/index.html')
  if (!existsSync(page)) return false
  const { mtimeMs } = statSync(page)
  const files = sources.flatMap((source) => {
    const path = join(folder, source)
    const isFolder = statSync(path).isDirectory()
    const names = isFolder ? readdirSync(path, { recursive: true, encoding: 'utf8' }) : []
    return [path, ...names.map((name) => join(path, name))]
  })
  return files.every((file) => statSync(file).mtimeMs <= mtimeMs)
}

if (import.meta.main) {
  if (isInstalled('vite') || !process.argv.includes('--if-possible')) await buildConsole(join(folder, 'dist'))
  else console.log('The console is not built: the development dependencies are not installed.')
}

/**
 * Builds the console into `console/dist` with a copy of each file in Brotli, which the server sends as it is.
 * With `--if-possible`, used after an installation, it builds only if the development dependencies are installed.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import type { Plugin } from 'vite'
import { isInstalled, replaceFolder } from '../build/folder.ts'

const folder = import.meta.dirname

function compress(dist: string): void {
  for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    const file = join(dist, name)
    if (!statSync(file).isFile() || /\.(br|png|woff2)$/.test(name)) continue
    const bytes = readFileSync(file)
    const size = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: size }))
  }
}

/** Builds into a folder and replaces it only when the build is complete. `plugins` are added to those of the configuration. */
export async function buildConsole(dist: string, plugins: Plugin[] = []): Promise<void> {
  const { build } = await import('vite')
  await replaceFolder(dist, async (next) => {
    const configFile = join(folder, 'vite.config.ts')
    await build({ configFile, logLevel: 'warn', plugins, build: { outDir: next } })
    compress(next)
  })
}

if (import.meta.main) {
  if (isInstalled('vite') || !process.argv.includes('--if-possible')) await buildConsole(join(folder, 'dist'))
  else console.log('The console is not built: the development dependencies are not installed.')
}

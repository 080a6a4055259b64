/**
 * Builds the console into `console/dist`, and lays a .br and a .gz beside each file, so that the server compresses nothing.
 * With `--if-possible`, as after an installation, it builds only where the tools for it are installed.
 */
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const folder = import.meta.dirname

function isPossible(): boolean {
  try {
    createRequire(import.meta.url).resolve('vite')
    return true
  } catch {
    return false
  }
}

function compress(dist: string): void {
  for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    const file = join(dist, name)
    if (!statSync(file).isFile() || /\.(br|gz|png|woff2)$/.test(name)) continue
    const bytes = readFileSync(file)
    const size = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: size }))
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
  }
}

/** Builds into a folder. What was there is replaced only when all of it is ready, for servers that read it meanwhile. */
export async function buildConsole(dist: string): Promise<void> {
  const { build } = await import('vite')
  const next = `${dist}.${process.pid}`
  try {
    await build({ configFile: join(folder, 'vite.config.ts'), logLevel: 'warn', build: { outDir: next } })
    compress(next)
    rmSync(dist, { recursive: true, force: true })
    renameSync(next, dist)
  } finally {
    rmSync(next, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  if (isPossible() || !process.argv.includes('--if-possible')) await buildConsole(join(folder, 'dist'))
  else console.log('The console is not built: the development dependencies are not installed.')
}

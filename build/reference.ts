/**
 * Puts the script of the API reference into `dist/build/reference`, compressed, for `GET /docs`. The script is a string
 * inside Scalar's Fastify plugin, which brings 68 packages; built, the server needs none of them.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { isInstalled, replaceFolder } from './folder.ts'

const built = join(import.meta.dirname, '../dist/build/reference')

/** Builds into a folder, which is replaced when the build is complete. */
export async function buildReference(folder: string): Promise<void> {
  const [{ default: Fastify }, { default: scalar }] = await Promise.all([
    import('fastify'),
    import('@scalar/fastify-api-reference'),
  ])
  const app = Fastify({ logger: false })
  await app.register(scalar, { routePrefix: '/', configuration: { url: '/' } })
  const { rawPayload } = await app.inject('/js/scalar.js')
  await app.close()
  await replaceFolder(folder, async (next) => {
    mkdirSync(next, { recursive: true })
    writeFileSync(join(next, 'scalar.js.gz'), gzipSync(rawPayload))
  })
}

if (import.meta.main) {
  const isPossible = isInstalled('fastify') && isInstalled('@scalar/fastify-api-reference')
  if (isPossible || !process.argv.includes('--if-possible')) await buildReference(built)
}

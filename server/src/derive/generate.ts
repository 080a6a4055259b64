/**
 * Writes every file that is derived from the catalogue, or with `--check` tells which of them are not what the
 * catalogue says today. Run by `npm run generate` and by the checks.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { catalogue } from '../catalogue.ts'
import { schemaTexts } from '../db/schema-text.ts'
import { operationsPage } from './operations-page.ts'

const root = join(import.meta.dirname, '../../..')

/** Path from the root → content. */
function generated(): Record<string, string> {
  const schemas = Object.entries(schemaTexts()).map(([file, text]) => [`server/src/db/${file}`, text])
  return { 'docs/operations.md': operationsPage(catalogue), ...Object.fromEntries(schemas) }
}

const checking = process.argv.includes('--check')
const stale: string[] = []
for (const [path, content] of Object.entries(generated())) {
  const file = join(root, path)
  const current = existsSync(file) ? readFileSync(file, 'utf8') : null
  if (current === content) continue
  stale.push(path)
  if (!checking) writeFileSync(file, content)
}
if (stale.length > 0) {
  process.stdout.write(`${checking ? 'out of date (run npm run generate)' : 'written'}: ${stale.join(', ')}\n`)
  if (checking) process.exitCode = 1
}

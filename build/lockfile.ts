/**
 * Removes the `engines` of dependencies from package-lock.json. npm compares them with the Node that runs npm, but
 * Atrium runs on the Node that is its dependency `node`: under Node 20, `npm ci` would print 140 lines of warnings
 * although nothing is wrong. `--check` fails if some remain.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const file = join(import.meta.dirname, '../package-lock.json')
const lockfile = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, { engines?: object }> }
const dependencies = Object.entries(lockfile.packages).filter(([path]) => path !== '')
const named = dependencies.filter(([, { engines }]) => engines !== undefined)

if (process.argv.includes('--check')) {
  if (named.length > 0) {
    console.error(`package-lock.json names the engines of ${named.length} dependencies. Run npm run fix.`)
    process.exitCode = 1
  }
} else if (named.length > 0) {
  for (const [, dependency] of named) delete dependency.engines
  writeFileSync(file, `${JSON.stringify(lockfile, null, 2)}\n`)
}

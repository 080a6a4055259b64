/**
 * Adds the people of a board to an organization with the operator's command line, and writes the file for
 * `load-board --members`. Run it on the machine with the database; run again, it resumes.
 *
 *   node examples/add-members.ts FOLDER --organization org_… --out members.json
 */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { readSource } from './load-board/files.ts'
import { Progress } from './load-board/progress.ts'
import { Report } from './load-board/report.ts'

const run = promisify(execFile)
const program = join(import.meta.dirname, '../bin/atrium')

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { organization: { type: 'string' }, out: { type: 'string', default: 'members.json' } },
})
const [folder] = positionals
const { organization, out } = values
if (folder === undefined || organization === undefined) {
  console.error('usage: node examples/add-members.ts FOLDER --organization org_… [--out members.json]')
  process.exit(2)
}

const users: Record<string, string> = existsSync(out) ? JSON.parse(readFileSync(out, 'utf8')) : {}
const { members } = readSource(folder, new Report())
const missing = members.filter((handle) => !Object.hasOwn(users, handle))
const progress = new Progress(process.stderr)
progress.start('members', missing.length)
for (const handle of missing) {
  // The source has no addresses; `.invalid` never receives mail.
  const email = `${handle.toLowerCase()}@members.invalid`
  const details = ['--organization', organization, '--email', email, '--first-name', handle, '--json']
  const { stdout } = await run(program, ['member', 'add', ...details])
  users[handle] = (JSON.parse(stdout) as { user: string }).user
  writeFileSync(out, `${JSON.stringify(users, null, 1)}\n`)
  progress.advance()
}
progress.end()
console.log(`${missing.length} members added, ${Object.keys(users).length} in ${out}`)

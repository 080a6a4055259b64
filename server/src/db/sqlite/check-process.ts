/**
 * Checks a SQLite file in a process of its own: Node cannot interrupt a statement, and a process can be killed. A killed
 * reader leaves nothing behind.
 */
import { execFile } from 'node:child_process'

/** Prints the first finding of quick_check, or SQLite's message about a malformed file. */
const program = `
  const { DatabaseSync } = require('node:sqlite')
  try {
    const database = new DatabaseSync(process.argv[1], { readOnly: true, timeout: 5000 })
    process.stdout.write(String(database.prepare('pragma quick_check(1)').get().quick_check))
  } catch (error) {
    if (![11, 26].includes(error.errcode & 0xff)) throw error
    process.stdout.write(error.message)
  }
`

/**
 * The first finding of quick_check (`ok` for a sound file); null if the time was not enough or the file could not be
 * checked.
 */
export async function checkElsewhere(path: string, limit_ms: number): Promise<string | null> {
  if (limit_ms < 1) return null
  const options = { timeout: Math.ceil(limit_ms), killSignal: 'SIGKILL', env: {} } as const
  return await new Promise((resolve) => {
    execFile(process.execPath, ['--eval', program, '--', path], options, (error, out) => {
      resolve(error === null && out !== '' ? out : null)
    })
  })
}

/** Finds the program `postgres` of the release that a cluster needs. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The server program is missing, or of another release. */
export class NoProgram extends Error {}

/** `folder`: where the operator says it is; null to look in PATH and where packages put it. Returns its path. */
export function findServerProgram(release: number, folder: string | null): string {
  if (folder !== null) {
    const path = join(folder, 'postgres')
    const found = existsSync(path) ? releaseOf(path) : null
    if (found === release) return path
    const what = found === null ? `there is no program ${path}` : `${path} is of PostgreSQL ${found}`
    throw new NoProgram(`${what}, and the backup needs PostgreSQL ${release}`)
  }
  const packaged = [
    `/usr/lib/postgresql/${release}/bin/postgres`,
    `/usr/pgsql-${release}/bin/postgres`,
    `/opt/homebrew/opt/postgresql@${release}/bin/postgres`,
  ]
  for (const path of [inPath(), ...packaged])
    if (path !== null && existsSync(path) && releaseOf(path) === release) return path
  throw new NoProgram(
    `the program postgres of PostgreSQL ${release} is not here: install that release (Debian: postgresql-${release}), or set ATRIUM_POSTGRES_PROGRAMS to the folder of the program`,
  )
}

function inPath(): string | null {
  const found = spawnSync('/bin/sh', ['-c', 'command -v postgres'], { encoding: 'utf8' }).stdout?.trim() ?? ''
  return found === '' ? null : found
}

/** Null if it cannot be run. */
function releaseOf(path: string): number | null {
  try {
    const said = execFileSync(path, ['--version'], { encoding: 'utf8', stdio: 'pipe' })
    return Number(/\(PostgreSQL\) (\d+)/.exec(said)?.[1] ?? 0)
  } catch {
    return null
  }
}

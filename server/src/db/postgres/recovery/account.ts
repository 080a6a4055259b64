/** Under which account the programs of PostgreSQL run: they refuse root. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chownSync, existsSync, lchownSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface Account {
  readonly uid: number
  readonly gid: number
}

/**
 * Null: that of this process. If that is root, the owner of `place`, or of the first folder above it that exists; if that is root,
 * too, `postgres` or `nobody`.
 */
export function accountFor(place: string): Account | null {
  if (process.getuid?.() !== 0) return null
  let folder = place
  while (!existsSync(folder)) folder = dirname(folder)
  const { uid, gid } = statSync(folder)
  if (uid !== 0) return { uid, gid }
  return named('postgres') ?? named('nobody')
}

function named(name: string): Account | null {
  const id = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' }))
  try {
    return { uid: id('-u'), gid: id('-g') }
  } catch {
    return null
  }
}

/** Whether the account may enter a folder. */
export function mayEnter(folder: string, account: Account | null): boolean {
  return account === null || spawnSync('/usr/bin/test', ['-x', folder], { ...account, cwd: '/' }).status === 0
}

/** Gives a folder and everything in it to the account. */
export function giveAll(folder: string, account: Account | null): void {
  if (account === null) return
  chownSync(folder, account.uid, account.gid)
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true }))
    lchownSync(join(entry.parentPath, entry.name), account.uid, account.gid)
}

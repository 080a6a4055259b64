/** Shared by the builds of server and console. */
import { existsSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'

/** Whether a tool is installed: an installation without development dependencies builds nothing. */
export function isInstalled(tool: string): boolean {
  try {
    createRequire(import.meta.url).resolve(tool)
    return true
  } catch {
    return false
  }
}

/** Replaces a folder by what `write` writes, in one step once all of it is written: running servers read the old one until then. */
export async function replaceFolder(folder: string, write: (next: string) => Promise<void>): Promise<void> {
  const next = `${folder}.${process.pid}`
  const last = `${next}.last`
  try {
    await write(next)
    if (existsSync(folder)) renameSync(folder, last)
    renameSync(next, folder)
  } finally {
    for (const each of [next, last]) rmSync(each, { recursive: true, force: true })
  }
}

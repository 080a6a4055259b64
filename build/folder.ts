/** What the builds share. */
import { renameSync, rmSync } from 'node:fs'
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

/** Has a folder written anew. What was there is replaced only when all of it is ready, for servers that read it meanwhile. */
export async function replaceFolder(folder: string, write: (next: string) => Promise<void>): Promise<void> {
  const next = `${folder}.${process.pid}`
  try {
    await write(next)
    rmSync(folder, { recursive: true, force: true })
    renameSync(next, folder)
  } finally {
    rmSync(next, { recursive: true, force: true })
  }
}

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The names of the files in a folder of a data directory: stored content, or uploads that are not complete. */
export function storedFiles(dataDir: string, folder: 'content' | 'incoming'): string[] {
  const root = join(dataDir, 'files', folder)
  if (!existsSync(root)) return []
  const entries = readdirSync(root, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

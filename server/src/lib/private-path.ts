/** Files and folders that only the account that runs the server may use. */
import { chmodSync, statSync } from 'node:fs'

export const file_mode = 0o600
export const folder_mode = 0o700

/** Whether other accounts can use it. A missing path is not open. */
export function isOpenToOthers(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && (found.mode & 0o077) !== 0
}

/** Gives a file mode 0600, a folder 0700, if other accounts can use it. What belongs to another account stays as it is. */
export function closeToOthers(path: string): void {
  if (!isOpenToOthers(path)) return
  try {
    chmodSync(path, statSync(path).isDirectory() ? folder_mode : file_mode)
  } catch (error) {
    // It belongs to another account, which `atrium doctor` reports, or was removed by another process.
    if (!['EPERM', 'EROFS', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

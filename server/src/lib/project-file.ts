import { join } from 'node:path'

/** The project's root, three folders above this module. The build keeps that depth (`build/server.ts`). */
const root = join(import.meta.dirname, '../../..')

/** The absolute path of a file or folder, given relative to the project's root. */
export function projectFile(path: string): string {
  return join(root, path)
}

import { join } from 'node:path'

/** The project's folder, three above this module: the build puts it into a folder as deep as this one (`build/server.ts`). */
const root = join(import.meta.dirname, '../../..')

/** The absolute path of a file or folder of the project, which is named from its root. */
export function projectFile(path: string): string {
  return join(root, path)
}

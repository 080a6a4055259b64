import { basename, join } from 'node:path'

/** The project's root, three folders above this module. The build keeps that depth (`build/server.ts`). */
const root = join(import.meta.dirname, '../../..')

/** The absolute path of a file or folder, given relative to the project's root. */
export function projectFile(path: string): string {
  return join(root, path)
}

const isBuild = import.meta.filename.endsWith('.js')

/** The file of a worker thread, given like a project file: the source, or in the build the module of that name beside this one. */
export function threadFile(path: string): string {
  return isBuild ? join(import.meta.dirname, `${basename(path, '.ts')}.js`) : projectFile(path)
}

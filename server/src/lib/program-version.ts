import { readFileSync } from 'node:fs'
import { projectFile } from './project-file.ts'

let version: string | null = null

/** The release of this program. */
export function programVersion(): string {
  version ??= (JSON.parse(readFileSync(projectFile('package.json'), 'utf8')) as { version: string }).version
  return version
}

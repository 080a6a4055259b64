/** The repository's own files, as text; what is installed, built or written while running does not count. */
import { globSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { root } from './page.ts'

const excluded = /(^|\/)(\.git|\.cache|\.work|node_modules|coverage|dist[^/]*)$|^data$/

/** Paths from the root of the files with one of these extensions, or of all files; sorted. */
export function repositoryFiles(...extensions: readonly string[]): string[] {
  const paths = globSync('**/*.*', { cwd: root, exclude: (path) => excluded.test(path) }).sort()
  return extensions.length === 0 ? paths : paths.filter((path) => extensions.includes(extname(path)))
}

export interface Line {
  /** From the root. */
  readonly path: string
  /** From 1. */
  readonly line: number
  readonly text: string
}

export function linesOf(path: string): Line[] {
  const lines = readFileSync(join(root, path), 'utf8').split('\n')
  return lines.map((text, index) => ({ path, line: index + 1, text }))
}

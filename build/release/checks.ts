/** What a release is made from, and why it may be refused. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ChangelogSection, changelogSection } from './changelog.ts'

/** A reason that the person who makes the release can act on. */
export class ReleaseRefused extends Error {}

export interface Release {
  readonly version: string
  readonly section: ChangelogSection
}

/** Checks the tree at `root`. Throws `ReleaseRefused` with every reason found. */
export function checkRelease(root: string, isDirtyAllowed: boolean): Release {
  const version = versionIn(join(root, 'package.json'))
  const sdk = versionIn(join(root, 'sdk/typescript/package.json'))
  const python = pythonVersionIn(join(root, 'sdk/python/pyproject.toml'))
  const file = join(root, 'CHANGELOG.md')
  const section = changelogSection(existsSync(file) ? readFileSync(file, 'utf8') : '', version)
  const reasons: string[] = []
  if (sdk !== version)
    reasons.push(
      `package.json has version ${version}, sdk/typescript/package.json has ${sdk}. Set both to the same one.`,
    )
  if (python !== version)
    reasons.push(
      `package.json has version ${version}, sdk/python/pyproject.toml has ${python}. Set both to the same one.`,
    )
  if (section === null)
    reasons.push(
      `CHANGELOG.md has no section "## [${version}] - YYYY-MM-DD" with a text. Write what the version changes.`,
    )
  if (!isDirtyAllowed) reasons.push(...changesIn(root))
  if (section === null || reasons.length > 0) throw new ReleaseRefused(reasons.join('\n'))
  return { version, section }
}

function versionIn(file: string): string {
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

function pythonVersionIn(file: string): string | undefined {
  return /^version = "(.+)"$/m.exec(readFileSync(file, 'utf8'))?.[1]
}

/** At most this many changed files are named. */
const named_max = 5

function changesIn(root: string): string[] {
  const changed = status(root)
  if (changed === null) return [`${root} is no git working tree. Make the release in a clone, or pass --allow-dirty.`]
  if (changed.length === 0) return []
  const more = changed.length > named_max ? ` and ${changed.length - named_max} more` : ''
  const names = changed.slice(0, named_max).join(', ')
  return [`The working tree has changes that no commit has: ${names}${more}. Commit them, or pass --allow-dirty.`]
}

function status(root: string): string[] | null {
  try {
    const stdio = ['ignore', 'pipe', 'ignore'] as const
    const text = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8', stdio: [...stdio] })
    return text.split('\n').flatMap((line) => (line === '' ? [] : [line.slice(3)]))
  } catch {
    return null
  }
}

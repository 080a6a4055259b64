/** Reads `CHANGELOG.md`, which has the form of Keep a Changelog: one section per version, the newest first. */

export interface ChangelogSection {
  /** The day of the release: `2027-01-31`. */
  readonly date: string
  /** Markdown below the heading. */
  readonly text: string
}

/** The section of a version, or null if it has none with a date and a text. */
export function changelogSection(changelog: string, version: string): ChangelogSection | null {
  const lines = changelog.split('\n')
  const start = lines.findIndex((line) => line.startsWith(`## [${version}]`))
  const date = lines[start]?.match(/^## \[[^\]]+\] - (\d{4}-\d{2}-\d{2})$/)?.[1]
  if (date === undefined) return null
  const after = lines.slice(start + 1)
  const end = after.findIndex((line) => /^## |^\[[^\]]+\]: /.test(line))
  const text = after
    .slice(0, end === -1 ? after.length : end)
    .join('\n')
    .trim()
  return text === '' ? null : { date, text }
}

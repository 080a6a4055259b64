import type { TimeEntry } from '@atrium/sdk'

/**
 * The entries of a list, newest first, back to a moment in seconds, and at most `max`. An entry that was created before it
 * was logged for an earlier time.
 */
export async function entriesSince<T extends Pick<TimeEntry, 'created'>>(
  listed: AsyncIterable<T>,
  begin: number,
  max: number,
): Promise<T[]> {
  const entries: T[] = []
  for await (const entry of listed) {
    if (entry.created < begin) break
    entries.push(entry)
    if (entries.length === max) break
  }
  return entries
}

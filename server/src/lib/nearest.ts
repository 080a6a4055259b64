/**
 * The name that a mistyped word most likely means: the one with the fewest edits, or null if all are too different. A word of
 * up to three letters that is as near to several (`6xx` to `2xx` and `4xx`) means none of them.
 */
export function nearest(text: string, names: Iterable<string>): string | null {
  const word = text.slice(0, 80)
  let found: string | null = null
  let best = Math.max(1, Math.floor(word.length / 3)) + 1
  let isAmbiguous = false
  for (const name of names) {
    const distance = distanceOf(word, name)
    if (distance < best) [best, found, isAmbiguous] = [distance, name, false]
    else if (distance === best && found !== null) isAmbiguous = true
  }
  return isAmbiguous && word.length <= 3 ? null : found
}

/** The edit distance: letters inserted, removed, changed or swapped with the next one. */
function distanceOf(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (last[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      let least = Math.min((last[j] as number) + 1, (row[j - 1] as number) + 1, change)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, (before[j - 2] as number) + 1)
      }
      row.push(least)
    }
    before = last
    last = row
  }
  return last[b.length] as number
}

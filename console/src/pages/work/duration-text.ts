/**
 * The minutes of a typed duration: `45` is 45; `1:30`, `1.5 h`, `1,5`, and `1 h 30 min` are 90. Only hours have a fraction.
 * `null` for anything else.
 */
export function minutesOf(text: string): number | null {
  const given = text.trim().toLowerCase().replace(',', '.')
  const clock = /^(\d{1,3}):([0-5]\d)$/.exec(given)
  if (clock) return positive(Number(clock[1]) * 60 + Number(clock[2]))
  const isFraction = given.includes('.') && !Number.isNaN(Number(given))
  if (isFraction) return positive(Math.round(Number(given) * 60))
  const units = /^(?:(\d+(?:\.\d+)?)\s*h)?\s*(?:(\d+)\s*(?:min|m)?)?$/.exec(given)
  if (given === '' || units === null) return null
  return positive(Math.round(Number(units[1] ?? 0) * 60 + Number(units[2] ?? 0)))
}

function positive(minutes: number): number | null {
  return minutes > 0 ? minutes : null
}

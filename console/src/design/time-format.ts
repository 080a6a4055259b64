/** How dates and numbers are written for the person: language, time zone, and first day of the week. */
import { textLanguage } from '../language/index.ts'

/** What the person has chosen; null: as the browser has it. */
export interface TimeFormat {
  readonly timeZone: string | null
  readonly language: string | null
  /** 1 is Monday, 7 is Sunday. */
  readonly weekStartsOn: number | null
}

let chosen: TimeFormat = { timeZone: null, language: null, weekStartsOn: null }

/** Sets how all dates are written from now on. Equal choices cost nothing. */
export function setTimeFormat(next: TimeFormat): void {
  const isSame = (['timeZone', 'language', 'weekStartsOn'] as const).every((name) => next[name] === chosen[name])
  if (!isSame) chosen = next
}

/** The language of the person's dates, amounts and numbers. Counts within a text are in the language of the text. */
export function formatLanguage(): string {
  return chosen.language ?? textLanguage()
}

/** The first day of the person's week: 1 is Monday, 7 is Sunday. */
export function weekStartsOn(): number {
  return chosen.weekStartsOn ?? 1
}

/** The time zone that the person has chosen; null: the one of the browser. */
export function chosenTimeZone(): string | null {
  return chosen.timeZone
}

/** The person's time zone. */
export function timeZone(): string {
  return chosen.timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone
}

type Options = Intl.DateTimeFormatOptions

/** Writes moments in the person's language and time zone. A constant of a module follows what the person chooses later. */
export function dateFormat(options: Options): () => Intl.DateTimeFormat {
  return following(({ timeZone }) => (timeZone === null ? options : { ...options, timeZone }))
}

/** Writes wall times (`wall-time.ts`) in the person's language. */
export function wallFormat(options: Options): () => Intl.DateTimeFormat {
  return following(() => ({ ...options, timeZone: 'UTC' }))
}

function following(optionsOf: (choice: TimeFormat) => Options): () => Intl.DateTimeFormat {
  let of: TimeFormat | null = null
  let format: Intl.DateTimeFormat
  return () => {
    if (of !== chosen) {
      of = chosen
      format = new Intl.DateTimeFormat(formatLanguage(), optionsOf(chosen))
    }
    return format
  }
}

/** A span of days or moments, as short as possible: `Nov 23 – 29, 2026`. */
export function rangeText(format: Intl.DateTimeFormat, from: Date, to: Date): string {
  return format.formatRange(from, to).replaceAll('\u2009', ' ')
}

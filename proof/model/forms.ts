/**
 * The forms of input values by the contract: for each, valid and invalid values, and where a value is wrong. Every body field
 * and query parameter of an operation has one.
 */
import type { Json } from './names.ts'
import type { Numbers } from './numbers.ts'

/** Finds ids, mostly of existing objects. */
export interface Finder {
  readonly now: number
  reference(kind: string, n: Numbers): string
}

export interface Form {
  /** A value of this form, which may name what does not exist. */
  readonly good: (n: Numbers, finder: Finder) => Json
  /** Values that are always refused. */
  readonly bad: readonly Json[]
  /** The paths of a value's faults. */
  readonly faults: (value: Json, path: string) => string[]
}

const chars = (count: number) => 'x'.repeat(count)
const at =
  (fits: (value: Json) => boolean): Form['faults'] =>
  (value, path) =>
    fits(value) ? [] : [path]

export const isUnicode = (value: string): boolean => !value.includes('\0') && value.isWellFormed()

const isText = (least: number, most: number) => (value: Json) =>
  typeof value === 'string' && isUnicode(value) && value.length >= least && value.length <= most

const samples = [
  'Plan',
  'Ship it',
  'Größe ☃',
  'a "quoted" \\ back',
  'é',
  '  spaced ',
  '𝒜stral',
  '<b>&amp;</b>',
  'x'.repeat(80),
]

/** A text of `least` to `most` characters. */
export function text(least: number, most: number): Form {
  const words = least === 0 ? [...samples, ''] : samples
  return {
    good: (n) => (n.chance(3) ? chars(Math.min(most, 600)) : n.pick(words.filter((word) => word.length <= most))),
    bad: [5, {}, ['a'], 'a\0b', '\ud800', chars(most + 1), ...(least > 0 ? [''] : [])],
    faults: at(isText(least, most)),
  }
}

export const title = text(1, 500)
export const long = text(0, 65_536)
export const note = text(0, 2000)

export function nullable(form: Form): Form {
  return {
    good: (n, finder) => (n.chance(20) ? null : form.good(n, finder)),
    bad: form.bad.filter((value) => value !== null),
    faults: (value, path) => (value === null ? [] : form.faults(value, path)),
  }
}

export function integer(least: number, most: number, some: readonly number[]): Form {
  return {
    good: (n) => n.pick(some),
    bad: ['1', 1.5, true, {}, -1, most + 1].filter(
      (value) => typeof value !== 'number' || value < least || value > most || !Number.isInteger(value),
    ),
    faults: at((value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most),
  }
}

const safe_max = Number.MAX_SAFE_INTEGER
/** Times set by clients; the bound is JavaScript's last date. */
export const moment: Form = {
  good: (n, { now }) => n.pick([now + 3600, now, now - 86_400, now + 86_400 * 30, 1_700_000_000, 0]),
  bad: ['2026-08-03', 1.5, -1, true, {}],
  faults: at((value) => Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= 8_640_000_000_000),
}
export const amount = integer(0, safe_max, [100, 0, 1, 250, 99_999, safe_max])
export const duration = integer(0, safe_max, [60_000, 0, 1, 1500, 3_600_000, 86_400_000])
export const basis_points = integer(0, 100_000, [1900, 0, 700, 100_000])
export const flag: Form = {
  good: (n) => n.below(2) === 1,
  bad: ['true', 1, {}],
  faults: at((value) => typeof value === 'boolean'),
}
export const number: Form = {
  good: (n) => n.pick([1, 0, 2.5, 1024, -3, 1e6]),
  bad: ['1', {}, true],
  faults: at((value) => typeof value === 'number' && Math.abs(value) <= 1e15),
}

export function oneOf(...words: readonly string[]): Form {
  return {
    good: (n) => n.pick(words),
    bad: [5, {}, 'Nonsense', '', (words[0] as string).toUpperCase()],
    faults: at((value) => typeof value === 'string' && words.includes(value)),
  }
}

export const isId = (value: Json) => typeof value === 'string' && /^[A-Za-z0-9][A-Za-z0-9:_~-]{0,159}$/.test(value)

/** The id of an object. */
export function id(kind: string): Form {
  return {
    good: (n, finder) => finder.reference(kind, n),
    bad: ['', 'a b', 5, {}, ['x'], `x${chars(160)}`, '_x'],
    faults: at(isId),
  }
}

export const colour: Form = {
  good: (n) => n.pick(['#aabbcc', '#000000', '#FFaa01']),
  bad: ['red', '#12345', '#GGGGGG', '', 5],
  faults: at((value) => typeof value === 'string' && /^#[0-9a-fA-F]{6}$/.test(value)),
}

/** Some real currencies, and words of the same form that are not. */
export const currency: Form = {
  good: (n) => n.pick(['EUR', 'USD', 'CHF', 'JPY']),
  bad: ['eur', 'EURO', 'XQZ', '', 5],
  faults: at((value) => typeof value === 'string' && /^[A-Z]{3}$/.test(value)),
}

/** Whether a word in the form of a currency is one of those sent here. */
export const isCurrency = (value: Json): boolean => ['EUR', 'USD', 'CHF', 'JPY'].includes(value as string)

export const date: Form = {
  good: (n) => n.pick(['2026-08-03', '2024-02-29', '1999-12-31']),
  bad: ['2026-02-30', '03.08.2026', '2026-8-3', 1, '', '2025-02-29'],
  faults: at((value) => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value)),
}

/** Whether a word in the form of a date is a calendar day. */
export function isDay(value: Json): boolean {
  const [year, month, day] = String(value).split('-').map(Number) as [number, number, number]
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
}

/** A list of distinct items. */
export function list(item: Form, least: number, most: number, isSet = true): Form {
  return {
    good: (n, finder) => {
      const count = Math.max(least, n.below(4))
      const items = Array.from({ length: count }, () => item.good(n, finder))
      return isSet ? [...new Map(items.map((each) => [JSON.stringify(each), each])).values()] : items
    },
    bad: ['x', {}, 5, ...(least > 0 ? [[]] : []), ...item.bad.map((value) => [value])],
    faults: (value, path) => {
      if (!Array.isArray(value)) return [path]
      const each = value.flatMap((inner, i) => item.faults(inner, `${path}[${i}]`))
      const repeats = isSet && new Set(value.map((inner) => JSON.stringify(inner))).size < value.length
      return [...each, ...(repeats || value.length < least || value.length > most ? [path] : [])]
    },
  }
}

const label: Form = {
  ...text(1, 80),
  good: (n) => n.pick(['bug', 'q3', 'Größe', 'a b']),
}
export const labels = list(label, 0, 50)

const isCustom = (value: Json): boolean =>
  value === null ||
  typeof value === 'boolean' ||
  typeof value === 'number' ||
  isText(0, 2000)(value) ||
  (Array.isArray(value) && value.length <= 50 && value.every(isText(0, 2000)))

/** `custom_fields` and `extra_fields`. */
export const custom: Form = {
  good: (n) => {
    const fields: Record<string, Json> = {}
    for (let count = n.below(3); count > 0; count--) {
      fields[n.pick(['points', 'team', 'tags'])] = n.pick([3, 'red', true, null, ['a', 'b'], 2.5, ''])
    }
    return fields
  },
  bad: [[], 'x', 5, { 'Bad-Key': 1 }, { a: {} }, { a: [1] }, { a: chars(2001) }, { [chars(41)]: 1 }],
  faults: (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path]
    const entries = Object.entries(value)
    const wrong = entries.filter(([key, inner]) => !/^[a-z][a-z0-9_]{0,39}$/.test(key) || !isCustom(inner as Json))
    return [...wrong.map(([key]) => `${path}.${key}`), ...(entries.length > 50 ? [path] : [])]
  },
}

/** Query parameters are always texts. */
export const query_moment: Form = {
  good: (n, { now }) => String(n.pick([now + 1, now, now - 86_400, now + 86_400 * 40, 0])),
  bad: ['tomorrow', '-5', '1.5', '', '99999999999999999'],
  faults: at((value) => /^(0|[1-9]\d{0,15})$/.test(String(value)) && Number(value) <= safe_max),
}
export const query_flag: Form = {
  good: (n) => n.pick(['true', 'false']),
  bad: ['yes', '', 'TRUE', '1'],
  faults: at((value) => value === 'true' || value === 'false'),
}

/** Words that a filter compares with; others match nothing. */
export function query_word(...words: readonly string[]): Form {
  return {
    good: (n) => n.pick(words),
    bad: ['', chars(161)],
    faults: at((value) => typeof value === 'string' && value.length >= 1 && value.length <= 160),
  }
}

export const limit: Form = {
  good: (n) => n.pick(['2', '1', '3', '20', '100']),
  bad: ['0', '101', '-1', '1.5', 'x', '', '1e1', '+1', ' 1'],
  faults: at((value) => /^[1-9]\d{0,2}$/.test(String(value)) && Number(value) <= 100),
}

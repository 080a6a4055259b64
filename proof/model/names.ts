/**
 * The model's own names for values that servers generate: ids, secrets, cursors, tags. One model can so be compared with several
 * servers. A name is bound to the first value seen in its place, and from then on stands for exactly that value.
 */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }
export type Fields = Record<string, Json>
export type Name = string

const pattern = /\b[a-z]+~\d{6}\b/g
const whole = /^[a-z]+~\d{6}$/

const crockford = '[0-7][0-9A-HJKMNP-TV-Z]{25}'

/** The form of values for names that are not ids. */
const forms: Readonly<Record<string, RegExp>> = {
  wkey: /^[A-Z]{2,6}$/,
  tkey: /^[A-Z]{2,6}$/,
  secret: /^atr_(live|test)_[0-9A-Za-z]{36}$/,
  whsec: /^whsec_[A-Za-z0-9+/]{43}=$/,
  cursor: /^[A-Za-z0-9_-]{1,1024}$/,
  prv: /^\S{1,200}$/,
  hash: /^\S{16,200}$/,
  reason: /^[A-Z].{3,}\.$/,
  hint: /^atr_(live|test)_[0-9A-Za-z]{4}$/,
  tail: /^[0-9A-Za-z]{4}$/,
  etag: /^"[^"]+"$/,
  commit: /^\S{1,160}$/,
}

/** A value that the model does not know. */
export const unknown_value = '?'

/** Any value that a check accepts, where the contract leaves it open. */
export class Any {
  readonly what: string
  readonly fits: (value: unknown) => boolean

  constructor(what: string, fits: (value: unknown) => boolean) {
    this.what = what
    this.fits = fits
  }
}

/** One of several values in any order: each occurs once in a list among those with the same `key`. */
export class OneOf {
  readonly key: object
  readonly group: readonly Expected[]

  constructor(key: object, group: readonly Expected[]) {
    this.key = key
    this.group = group
  }
}

export type Expected =
  | null
  | boolean
  | number
  | string
  | Any
  | OneOf
  | readonly Expected[]
  | { readonly [name: string]: Expected }

export const anything = new Any('anything', () => true)
export const anyCount = new Any('a whole number', (value) => Number.isSafeInteger(value) && Number(value) >= 0)
export const anyText = new Any('a text', (value) => typeof value === 'string' && value !== '')
export const maybeTime = new Any('a time or null', (value) => value === null || Number.isSafeInteger(value))

const kindOf = (name: Name): string => name.slice(0, name.indexOf('~'))

/** Kinds of which two names may have the same value. */
const repeated: ReadonlySet<string> = new Set(['hint', 'tail', 'reason', 'cursor'])

export class Names {
  private readonly values = new Map<Name, string>()
  private readonly owners = new Map<string, Name>()
  /** Bound by the current comparison. */
  private tried: Name[] = []

  bind(name: Name, value: string): void {
    this.values.set(name, value)
    this.owners.set(`${kindOf(name)} ${value}`, name)
  }

  knows(name: Name): boolean {
    return this.values.has(name)
  }

  /** Replaces bound names by this server's values; unbound names stay. */
  translate(text: string): string {
    return text.replaceAll(pattern, (name) => this.values.get(name) ?? name)
  }

  /** The first difference from the expected value; `null` if none. Binds names if everything matches, unless `isPassing`. */
  differs(expected: Expected, actual: unknown, isPassing = false): string | null {
    this.tried = []
    const found = this.compare(expected, actual, '')
    if (found !== null || isPassing) this.forget(0)
    return found
  }

  private forget(from: number): void {
    for (const name of this.tried.splice(from)) {
      this.owners.delete(`${kindOf(name)} ${this.values.get(name)}`)
      this.values.delete(name)
    }
  }

  private compare(expected: Expected, actual: unknown, path: string): string | null {
    if (expected instanceof Any) return expected.fits(actual) ? null : differ(path, expected.what, actual)
    if (expected === unknown_value) return null
    if (typeof expected === 'string') return this.compareText(expected, actual, path)
    if (expected === null || typeof expected !== 'object') {
      return actual === expected ? null : differ(path, expected, actual)
    }
    if (Array.isArray(expected)) return this.compareLists(expected, actual, path)
    if (expected instanceof OneOf) throw new Error('one of several is allowed in lists only')
    return this.compareObjects(expected as Readonly<Record<string, Expected>>, actual, path)
  }

  private compareText(expected: string, actual: unknown, path: string): string | null {
    if (typeof actual === 'string' && whole.test(expected) && !this.values.has(expected)) {
      const kind = kindOf(expected)
      const form = forms[kind] ?? new RegExp(`^${kind}_${crockford}$`)
      if (!form.test(actual)) return differ(path, `a new ${kind}`, actual)
      const owner = this.owners.get(`${kind} ${actual}`)
      if (owner !== undefined && !repeated.has(kind))
        return differ(path, `a new ${kind} (${expected})`, `${actual} (${owner})`)
      this.bind(expected, actual)
      this.tried.push(expected)
      return null
    }
    const value = this.translate(expected)
    return value === actual ? null : differ(path, value, actual)
  }

  private compareLists(expected: readonly Expected[], actual: unknown, path: string): string | null {
    if (!Array.isArray(actual)) return differ(path, 'a list', actual)
    if (actual.length !== expected.length) {
      return `${path} has ${actual.length} items, not ${expected.length}: ${short(actual)} is not ${short(expected)}`
    }
    const taken = new Map<object, Set<number>>()
    for (const [i, item] of expected.entries()) {
      const found =
        item instanceof OneOf
          ? this.compareOne(item, actual[i], `${path}[${i}]`, taken)
          : this.compare(item, actual[i], `${path}[${i}]`)
      if (found !== null) return `${found} in ${short(actual[i])}`
    }
    return null
  }

  private compareOne(one: OneOf, actual: unknown, path: string, taken: Map<object, Set<number>>): string | null {
    const used = taken.get(one.key) ?? new Set()
    taken.set(one.key, used)
    let first: string | null = null
    for (const [i, candidate] of one.group.entries()) {
      if (used.has(i)) continue
      const from = this.tried.length
      const found = this.compare(candidate, actual, path)
      if (found === null) {
        used.add(i)
        return null
      }
      this.forget(from)
      first ??= found
    }
    return first ?? differ(path, 'nothing more', actual)
  }

  private compareObjects(expected: Readonly<Record<string, Expected>>, actual: unknown, path: string): string | null {
    if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) return differ(path, expected, actual)
    const names = Object.keys(actual).join()
    const wanted = Object.keys(expected).join()
    if (names !== wanted) return `${path} has the fields ${names}, not ${wanted}`
    for (const [name, inner] of Object.entries(expected)) {
      const found = this.compare(inner, (actual as Readonly<Record<string, unknown>>)[name], `${path}.${name}`)
      if (found !== null) return found
    }
    return null
  }
}

const short = (value: unknown): string => JSON.stringify(value)?.slice(0, 300) ?? String(value)

function differ(path: string, expected: unknown, actual: unknown): string {
  return `${path || 'the answer'} is ${short(actual)}, not ${short(expected)}`
}

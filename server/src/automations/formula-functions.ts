/** The functions of expressions as people read them: a signature each (contract/16#expressions). */

export interface FormulaFunction {
  readonly name: string
  /** Parameters with their types, and the type of the result: `(text: string): int`. */
  readonly signature: string
  /** `method`: called on a value, as in `task.title.trim()`. */
  readonly kind: 'function' | 'method'
}

const of = (kind: FormulaFunction['kind'], signatures: Readonly<Record<string, string>>): FormulaFunction[] =>
  Object.entries(signatures).map(([name, signature]) => ({ name, signature, kind }))

/** In the order in which they are offered. */
export const formula_functions: readonly FormulaFunction[] = [
  ...of('function', {
    size: '(value: string | list | map): int',
    string: '(value): string',
    int: '(value): int',
    double: '(value): double',
    bool: '(value: string): bool',
    dyn: '(value): dyn',
    has: '(field): bool',
    timestamp: '(seconds: int): timestamp',
    rematch: '(text: string, pattern: string): bool',
  }),
  ...of('method', {
    contains: '(part: string): bool',
    startsWith: '(start: string): bool',
    endsWith: '(end: string): bool',
    size: '(): int',
    indexOf: '(part: string, from?: int): int',
    substring: '(from: int, to?: int): string',
    split: '(separator: string, count?: int): list<string>',
    join: '(separator?: string): string',
    lowerAscii: '(): string',
    upperAscii: '(): string',
    trim: '(): string',
    all: '(item, condition: bool): bool',
    exists: '(item, condition: bool): bool',
    exists_one: '(item, condition: bool): bool',
    map: '(item, value): list',
    filter: '(item, condition: bool): list',
    getFullYear: '(): int',
    getMonth: '(): int',
    getDate: '(): int',
    getDayOfMonth: '(): int',
    getDayOfWeek: '(): int',
    getHours: '(): int',
    getMinutes: '(): int',
    getSeconds: '(): int',
  }),
]

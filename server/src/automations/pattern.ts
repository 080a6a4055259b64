/** Patterns of rematch(): regular expressions matched in linear time (re2js), small enough to be compiled at once. */
import { RE2JS } from 're2js'
import { BoundedMap } from '../lib/bounded-map.ts'
import { limits } from '../lib/limits.ts'

interface Pattern {
  readonly states: number
  test(text: string): boolean
}

const compiled = new BoundedMap<string, Pattern>(200)

/** Why a pattern is not let in; `undefined` when it is. */
export function checkPattern(source: string): string | undefined {
  const { automation_pattern_chars_max, automation_pattern_states_max } = limits
  if (source.length > automation_pattern_chars_max) return 'The pattern is too long'
  if (statesOf(source) > 4 * automation_pattern_states_max) return 'The pattern repeats too much'
  try {
    return patternOf(source).states > automation_pattern_states_max ? 'The pattern repeats too much' : undefined
  } catch (error) {
    return error instanceof Error ? `The pattern is wrong: ${error.message}` : 'The pattern is wrong'
  }
}

/** The pattern, compiled once for several expressions. */
export function patternOf(source: string): Pattern {
  const known = compiled.get(source)
  if (known !== undefined) return known
  const machine = RE2JS.compile(source)
  const { prog } = machine.re2() as unknown as { prog: { inst: readonly unknown[] } }
  const pattern = { states: prog.inst.length, test: (text: string) => machine.test(text) }
  compiled.set(source, pattern)
  return pattern
}

const tokens = /\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{\d+(?:,\d*)?\}|./gsu

/** About how many states a pattern becomes: its atoms, times the counts that stand behind them or behind their groups. */
function statesOf(source: string): number {
  const open = [0]
  let last = 0
  const add = (states: number): number => {
    open.push((open.pop() ?? 0) + states)
    return states
  }
  for (const [token] of source.matchAll(tokens)) {
    if (token === '(') open.push(0)
    else if (token === ')') last = open.length > 1 ? add(open.pop() ?? 0) : 0
    else if (/^\{\d/.test(token)) last += add(last * (countIn(token) - 1))
    else last = add(1)
  }
  return open.reduce((sum, states) => sum + states, 0)
}

/** The most that `{3}`, `{3,}` or `{3,5}` repeats. */
function countIn(token: string): number {
  return Math.max(1, ...token.slice(1, -1).split(',').map(Number))
}

/**
 * Patterns of rematch(): regular expressions that match in linear time (re2js) and are small enough to compile
 * immediately.
 */
import { RE2JS } from 're2js'
import { BoundedMap } from '../lib/bounded-map.ts'
import { automation_limits } from './limits.ts'

interface Pattern {
  readonly states: number
  test(text: string): boolean
}

const compiled = new BoundedMap<string, Pattern>(200)

/** Why a pattern is refused; undefined if it is accepted. */
export function checkPattern(source: string): string | undefined {
  const { automation_pattern_chars_max, automation_pattern_states_max } = automation_limits
  if (source.length > automation_pattern_chars_max) return 'The pattern is too long'
  if (statesOf(source) > 4 * automation_pattern_states_max) return 'The pattern repeats too much'
  try {
    return patternOf(source).states > automation_pattern_states_max ? 'The pattern repeats too much' : undefined
  } catch (error) {
    return error instanceof Error ? `The pattern is wrong: ${error.message}` : 'The pattern is wrong'
  }
}

/** The compiled pattern, from a cache shared by all expressions. */
export function patternOf(source: string): Pattern {
  const known = compiled.get(source)
  if (known !== undefined) return known
  const machine = RE2JS.compile(source)
  // The package types no instructions; their number bounds the work of a match.
  const { prog } = machine.re2() as unknown as { prog: { inst: readonly unknown[] } }
  const pattern = { states: prog.inst.length, test: (text: string) => machine.test(text) }
  compiled.set(source, pattern)
  return pattern
}

const tokens = /\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{\d+(?:,\d*)?\}|./gsu

/** An estimate of a pattern's states: its atoms times the repetition counts of the atoms and their groups. */
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

/** The maximum count of `{3}`, `{3,}` or `{3,5}`. */
function countIn(token: string): number {
  return Math.max(1, ...token.slice(1, -1).split(',').map(Number))
}

/**
 * Meters the cost of an evaluation while it runs. Every node of the library's syntax tree is wrapped: each visit, each
 * value that a node creates or reads, and each failure is charged before the next node runs.
 */

import { automation_limits } from '../limits.ts'
import { ExpressionFailure } from './failure.ts'
import { callOf, partsOf, type Tree } from './syntax.ts'

const failure_cost = 100
const chars_a_unit = 32

export class Meter {
  #left = 0
  #over: ExpressionFailure | undefined
  #failed: unknown
  #sizes = new WeakMap<object, number>()

  start(): void {
    this.#left = automation_limits.automation_evaluation_cost_max
    this.#over = undefined
    this.#failed = undefined
    this.#sizes = new WeakMap()
  }

  /** Rethrows an exceeded limit, which comprehensions and logical operators would swallow. */
  end(): void {
    if (this.#over !== undefined) throw this.#over
  }

  spend(cost: number): void {
    this.#left -= cost
    if (this.#left < 0) throw this.#stop('too_costly', 'The expression does too much work on this data')
    if (this.#over !== undefined) throw this.#over
  }

  failed(error: unknown): void {
    if (error === this.#failed) return
    this.#failed = error
    this.#left -= failure_cost
  }

  /** Charges for a value that is read completely. */
  read(value: unknown): void {
    this.spend(this.#sizeOf(value))
  }

  /** Charges for a new value and limits its size. */
  make(value: unknown): void {
    if (typeof value === 'string' && value.length > automation_limits.automation_value_chars_max) {
      throw this.#stop('too_large', 'A text gets too long')
    }
    const size = this.#sizeOf(value)
    if (size > automation_limits.automation_value_size_max) throw this.#stop('too_large', 'A value gets too large')
    this.spend(size)
  }

  needle(value: unknown): void {
    if (typeof value !== 'string' || value.length <= automation_limits.automation_search_chars_max) return
    throw this.#stop(
      'too_large',
      `Only texts of ${automation_limits.automation_search_chars_max} characters are searched for`,
    )
  }

  /** Limits a text before it is split, because the parts are charged only after they exist. */
  splits(value: unknown): void {
    if (typeof value !== 'string' || value.length <= automation_limits.automation_value_size_max) return
    throw this.#stop('too_large', 'The text is too long to be split')
  }

  #stop(code: 'too_costly' | 'too_large', message: string): ExpressionFailure {
    this.#over ??= new ExpressionFailure(code, message)
    return this.#over
  }

  /** A value that occurs several times is counted each time but measured once. */
  #sizeOf(value: unknown): number {
    if (typeof value === 'string') return 1 + Math.floor(value.length / chars_a_unit)
    if (typeof value !== 'object' || value === null) return 1
    const known = this.#sizes.get(value)
    if (known !== undefined) return known
    let size = 1
    for (const part of partsIn(value)) size += this.#sizeOf(part)
    this.#sizes.set(value, size)
    return size
  }
}

function partsIn(value: object): Iterable<unknown> {
  if (Array.isArray(value)) return value
  return value instanceof Map ? value.values() : Object.values(value)
}

type Evaluate = (this: unknown, evaluator: unknown, tree: unknown, context: unknown) => unknown

/** Operators that only reach into their left operand, or choose between existing values. */
const reaching = new Set(['.', '[]', '?:'])
const searching = new Set(['startsWith', 'endsWith', 'contains', 'indexOf', 'split', 'join'])

/** Wraps every node of a tree so that its evaluation is charged to the meter. */
export function meterTree(root: Tree, meter: Meter): void {
  const visit = (tree: Tree, part: Part): void => {
    meterNode(tree, meter, { ...part, made: makes(tree) })
    const name = tree.op === 'rcall' ? callOf(tree).name : ''
    for (const [i, inner] of partsOf(tree).entries()) {
      const needle = searching.has(name) && i === 1
      visit(inner, { read: !reaching.has(tree.op), needle, split: name === 'split' && i === 0 })
    }
  }
  visit(root, { read: true, needle: false, split: false })
}

function makes(tree: Tree): boolean {
  return tree.op === '+' || tree.op === 'list' || tree.op === 'map' || tree.op === 'call' || tree.op === 'rcall'
}

/** How the parent node uses a value: reads it completely, searches for it, splits it. */
interface Part {
  readonly read: boolean
  readonly needle: boolean
  readonly split: boolean
}

interface Pays extends Part {
  readonly made: boolean
}

function meterNode(tree: Tree, meter: Meter, pays: Pays): void {
  const node = tree as Tree & { evaluate: Evaluate }
  let inner = node.evaluate
  const metered: Evaluate = (evaluator, _tree, context) => {
    meter.spend(1)
    let value: unknown
    try {
      value = inner.call(node, evaluator, node, context)
    } catch (error) {
      meter.failed(error)
      throw error
    }
    if (pays.made) meter.make(value)
    else if (pays.read) meter.read(value)
    if (pays.needle) meter.needle(value)
    if (pays.split) meter.splits(value)
    return value
  }
  // On its first visit, a node of the library replaces `evaluate` with the method chosen for it.
  Object.defineProperty(node, 'evaluate', {
    get: () => metered,
    set: (settled: Evaluate) => {
      inner = settled
    },
  })
}

/**
 * Admits or refuses an expression by its syntax tree, before any evaluation. Limits: size, depth, known names and
 * functions, no nested comprehensions, and patterns only as small literals (contract/16#expressions).
 */
import { automation_limits } from '../limits.ts'
import { checkPattern } from '../pattern.ts'

/** A node of the library's tree: the fields used here. */
export interface Tree {
  readonly op: string
  readonly args: unknown
  readonly start: number
  readonly checkedType?: { readonly name: string }
}

/** Names with their accepted numbers of arguments, without the receiver. */
type Functions = Readonly<Record<string, readonly number[]>>

const functions: Functions = {
  size: [1],
  string: [1],
  int: [1],
  double: [1],
  bool: [1],
  dyn: [1],
  has: [1],
  timestamp: [1],
  rematch: [2],
}

/** `matches` is left out because it backtracks. */
const methods: Functions = {
  size: [0],
  startsWith: [1],
  endsWith: [1],
  contains: [1],
  indexOf: [1, 2],
  substring: [1, 2],
  split: [1, 2],
  join: [0, 1],
  lowerAscii: [0],
  upperAscii: [0],
  trim: [0],
  getFullYear: [0],
  getMonth: [0],
  getDate: [0],
  getDayOfMonth: [0],
  getDayOfWeek: [0],
  getHours: [0],
  getMinutes: [0],
  getSeconds: [0],
}

const comprehensions: Functions = { all: [2], exists: [2], exists_one: [2], map: [2, 3], filter: [2] }

/** The names that are accepted as functions, and as methods with the comprehensions. */
export const callable = {
  function: Object.keys(functions),
  method: [...Object.keys(methods), ...Object.keys(comprehensions)],
} as const

/** The names that an expression uses. */
export interface Names {
  /** Variables with the position of their first use, without those that comprehensions declare. */
  readonly variables: ReadonlyMap<string, number>
  /** The ids in `steps.<id>`, with the position of their first use. */
  readonly steps: ReadonlyMap<string, number>
}

/** Why and where an expression is refused. `start` counts UTF-16 units from 0. */
export class Misuse extends Error {
  readonly start: number

  constructor(message: string, start: number) {
    super(message)
    this.start = start
  }
}

interface TreePosition {
  readonly depth: number
  readonly made: ReadonlySet<string>
  readonly inside: boolean
}

/** Checks a tree and collects the names it uses; throws Misuse. */
export function readTree(root: Tree, known: ReadonlySet<string>): Names {
  const reader = new TreeReader(known)
  reader.read(root, { depth: 1, made: new Set(), inside: false })
  return { variables: reader.variables, steps: reader.steps }
}

/** Reads a tree from its root, and counts its nodes. */
class TreeReader {
  readonly variables = new Map<string, number>()
  readonly steps = new Map<string, number>()
  readonly #known: ReadonlySet<string>
  #count = 0

  constructor(known: ReadonlySet<string>) {
    this.#known = known
  }

  read(tree: Tree, position: TreePosition): void {
    if (++this.#count > automation_limits.automation_expression_nodes_max)
      throw new Misuse('The expression is too large', tree.start)
    if (position.depth > automation_limits.automation_expression_depth_max)
      throw new Misuse('The expression is nested too deeply', tree.start)
    const step = stepOf(tree, position)
    if (tree.op === 'value') checkLiteral(tree)
    else if (tree.op === 'id') this.#readName(tree, position)
    else if (step !== undefined) {
      addFirstUse(this.variables, 'steps', tree.start)
      addFirstUse(this.steps, step, tree.start)
    } else this.#readParts(tree, { ...position, depth: position.depth + 1 })
  }

  #readParts(tree: Tree, inner: TreePosition): void {
    if (tree.op === 'call' || tree.op === 'rcall') this.#readCall(tree, inner)
    else for (const part of partsOf(tree)) this.read(part, inner)
  }

  #readName(tree: Tree, position: TreePosition): void {
    const name = tree.args as string
    if (position.made.has(name)) return
    if (name === 'steps') throw new Misuse('steps must be followed by the id of a step', tree.start)
    if (!this.#known.has(name)) throw new Misuse(`Unknown variable ${name}`, tree.start)
    addFirstUse(this.variables, name, tree.start)
  }

  #readCall(tree: Tree, inner: TreePosition): void {
    const { name, receiver, given } = callOf(tree)
    const loop = receiver !== undefined && Object.hasOwn(comprehensions, name)
    checkCall(tree, loop ? comprehensions : receiver === undefined ? functions : methods)
    if (receiver !== undefined) this.read(receiver, inner)
    if (loop) this.#readLoop(tree, inner)
    else for (const part of given) this.read(part, inner)
  }

  #readLoop(tree: Tree, inner: TreePosition): void {
    const { name, given } = callOf(tree)
    if (inner.inside) throw new Misuse(`${name}() must not be inside another comprehension`, tree.start)
    const [variable, ...body] = given as [Tree, ...Tree[]]
    if (variable.op !== 'id') throw new Misuse(`${name}() requires the name of a variable first`, variable.start)
    const made = new Set([...inner.made, variable.args as string])
    for (const part of body) this.read(part, { ...inner, made, inside: true })
  }
}

function addFirstUse(places: Map<string, number>, name: string, start: number): void {
  if (!places.has(name)) places.set(name, start)
}

/** The child nodes of a node. */
export function partsOf(tree: Tree): readonly Tree[] {
  const { op, args } = tree
  if (op === 'value' || op === 'id') return []
  if (op === '.') return [(args as [Tree, string])[0]]
  if (op === 'call') return (args as [string, Tree[]])[1]
  if (op === 'rcall') return [(args as [string, Tree, Tree[]])[1], ...(args as [string, Tree, Tree[]])[2]]
  const parts = op === 'map' ? (args as Tree[][]).flat() : Array.isArray(args) ? (args as Tree[]) : [args as Tree]
  if ((op === 'list' || op === 'map') && parts.length > automation_limits.automation_literal_items_max) {
    throw new Misuse('The list or map literal is too long', tree.start)
  }
  return parts
}

/** A call's name, receiver and arguments. */
export function callOf(tree: Tree): { name: string; receiver: Tree | undefined; given: readonly Tree[] } {
  if (tree.op === 'call') {
    const [name, given] = tree.args as [string, Tree[]]
    return { name, receiver: undefined, given }
  }
  const [name, receiver, given] = tree.args as [string, Tree, Tree[]]
  return { name, receiver, given }
}

function checkCall(tree: Tree, known: Functions): void {
  const { name, given } = callOf(tree)
  const counts = Object.hasOwn(known, name) ? known[name] : undefined
  if (counts === undefined) throw new Misuse(`Unknown function ${name}()`, tree.start)
  if (!counts.includes(given.length)) {
    throw new Misuse(`${name}() takes ${counts.join(' or ')} argument${counts.join() === '1' ? '' : 's'}`, tree.start)
  }
  if (name !== 'rematch') return
  const pattern = given[1] as Tree
  if (pattern.op !== 'value' || typeof pattern.args !== 'string') {
    throw new Misuse('The pattern of rematch() must be a literal', pattern.start)
  }
  const wrong = checkPattern(pattern.args)
  if (wrong !== undefined) throw new Misuse(wrong, pattern.start)
}

const int_max = 2n ** 63n - 1n

function checkLiteral(tree: Tree): void {
  const value = tree.args
  if (typeof value === 'object' && value !== null)
    throw new Misuse('Bytes and unsigned numbers are not supported', tree.start)
  if (typeof value === 'bigint' && value > int_max) throw new Misuse('The number is too large', tree.start)
}

/** The id in `steps.<id>` or `steps["<id>"]`. */
function stepOf(tree: Tree, position: TreePosition): string | undefined {
  if (tree.op !== '.' && tree.op !== '[]') return undefined
  const [left, right] = tree.args as [Tree, Tree | string]
  if (left.op !== 'id' || left.args !== 'steps' || position.made.has('steps')) return undefined
  const name = typeof right === 'string' ? right : right.op === 'value' ? right.args : undefined
  if (typeof name === 'string') return name
  throw new Misuse('steps must be followed by the id of a step as a literal', left.start)
}

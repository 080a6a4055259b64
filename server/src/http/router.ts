/**
 * Finds what serves a method and a path. Each method has a tree of path segments. Where several patterns fit, a fixed
 * segment wins over a parameter and a parameter over the rest of a path; the search backtracks, because a fixed word can
 * stand where another pattern has an id. Time grows with the path's length, not with the number of routes.
 */
interface Node<T> {
  /** Children by the text of their segment. */
  readonly fixed: Map<string, Node<T>>
  /** The child for any other segment. */
  parameter: Node<T> | null
  /** What serves a path that ends here. */
  end: Leaf<T> | null
  /** What serves every longer path. */
  rest: Leaf<T> | null
}

interface Leaf<T> {
  readonly value: T
  /** The names of the pattern's parameters, from left to right. */
  readonly names: readonly string[]
}

export interface Route<T> {
  readonly value: T
  /** Decoded. */
  readonly params: Readonly<Record<string, string>>
}

function newNode<T>(): Node<T> {
  return { fixed: new Map(), parameter: null, end: null, rest: null }
}

export class Router<T> {
  private readonly trees = new Map<string, Node<T>>()

  /** Adds a route. A pattern holds parameters (`/v1/tasks/{id}`) and may end in `*`, which stands for one segment or more. */
  add(method: string, pattern: string, value: T): void {
    let node = this.trees.get(method) ?? newNode<T>()
    this.trees.set(method, node)
    const names: string[] = []
    for (const segment of pattern.slice(1).split('/')) {
      if (segment === '*') {
        node.rest = { value, names }
        return
      }
      let child: Node<T> | null | undefined
      if (segment.startsWith('{')) {
        names.push(segment.slice(1, -1))
        child = node.parameter ??= newNode()
      } else {
        child = node.fixed.get(segment) ?? newNode()
        node.fixed.set(segment, child)
      }
      node = child
    }
    node.end = { value, names }
  }

  /** The route of a path as sent, without its query; `null` if no route fits or the path is malformed. */
  find(method: string, path: string): Route<T> | null {
    const tree = this.trees.get(method)
    const readable = tree === undefined ? null : readablePath(path)
    if (tree === undefined || readable === null) return null
    const values: string[] = []
    const leaf = descend(tree, readable, 1, values)
    if (leaf === null) return null
    const params: Record<string, string> = {}
    for (let i = 0; i < leaf.names.length; i++) params[leaf.names[i] as string] = values[i] as string
    return { value: leaf.value, params }
  }
}

interface ReadablePath {
  readonly text: string
  readonly isEscaped: boolean
}

/** Each segment is cut out when it is needed: a list of all costs a plain path more than the search. */
function descend<T>(node: Node<T>, path: ReadablePath, start: number, values: string[]): Leaf<T> | null {
  const { text, isEscaped } = path
  if (start > text.length) return node.end
  const slash = text.indexOf('/', start)
  const end = slash < 0 ? text.length : slash
  const sent = text.slice(start, end)
  const segment = isEscaped ? decodeURIComponent(sent) : sent
  const fixed = node.fixed.get(segment)
  if (fixed !== undefined) {
    const leaf = descend(fixed, path, end + 1, values)
    if (leaf !== null) return leaf
  }
  if (node.parameter !== null) {
    values.push(segment)
    const leaf = descend(node.parameter, path, end + 1, values)
    if (leaf !== null) return leaf
    values.pop()
  }
  return node.rest
}

/** The path without a fragment. No route ends in a slash; an escape that is not UTF-8 fits no route. */
function readablePath(sent: string): ReadablePath | null {
  const fragment = sent.indexOf('#')
  const text = fragment < 0 ? sent : sent.slice(0, fragment)
  if (!text.startsWith('/') || (text.endsWith('/') && text !== '/')) return null
  const isEscaped = text.includes('%')
  return isEscaped && brokenEscape(text) !== null ? null : { text, isEscaped }
}

/** The first escape in a path that is not percent-encoded UTF-8, or null. */
export function brokenEscape(path: string): string | null {
  for (const [sent] of path.matchAll(/(?:%[0-9a-f]{2})+|%[^%/]{0,2}/gi)) {
    try {
      decodeURIComponent(sent)
    } catch {
      return sent.slice(0, 12)
    }
  }
  return null
}

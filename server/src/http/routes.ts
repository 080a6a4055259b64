/**
 * The operation of a plain path, found without Fastify, which costs a request nearly as much as all rules together.
 * Only a short cut: a path with an escape, one that ends in a slash, or one that fits no operation is left to Fastify,
 * where the same operations are routes too.
 */
import type { Operation } from '../api/operation.ts'

interface Place {
  /** What follows, by the segment's text. */
  readonly fixed: Map<string, Place>
  /** What follows any segment that is not one of those. */
  any: Place | null
  readonly operations: Map<string, Routed>
}

interface Routed {
  readonly operation: Operation
  /** The names of the path's places, from left to right. */
  readonly names: readonly string[]
}

export interface Route {
  readonly operation: Operation
  readonly params: Readonly<Record<string, string>>
}

function newPlace(): Place {
  return { fixed: new Map(), any: null, operations: new Map() }
}

export class Routes {
  private readonly root = newPlace()

  constructor(catalogue: readonly Operation[]) {
    for (const operation of catalogue) {
      const names: string[] = []
      let place: Place = this.root
      for (const part of operation.path.slice(1).split('/')) {
        let next: Place
        if (part.startsWith('{')) {
          names.push(part.slice(1, -1))
          next = place.any ?? newPlace()
          place.any = next
        } else {
          next = place.fixed.get(part) ?? newPlace()
          place.fixed.set(part, next)
        }
        place = next
      }
      place.operations.set(operation.method, { operation, names })
    }
  }

  /** Null where Fastify has to look. */
  find(method: string, url: string): Route | null {
    const query = url.indexOf('?')
    const end = query < 0 ? url.length : query
    if (url.charCodeAt(0) !== 0x2f || has(url, '%', end) || has(url, '#', end)) return null
    const texts: string[] = []
    let place: Place | null = this.root
    for (let at = 1; ; ) {
      const slash = url.indexOf('/', at)
      const stop = slash < 0 || slash > end ? end : slash
      if (stop === at) return null
      const part = url.slice(at, stop)
      const next: Place | undefined = place.fixed.get(part)
      if (next === undefined) texts.push(part)
      place = next ?? place.any
      if (place === null) return null
      if (stop === end) break
      at = stop + 1
    }
    const routed = place.operations.get(method)
    // A fixed word can stand where another method has an id.
    if (routed === undefined || routed.names.length !== texts.length) return null
    const params: Record<string, string> = {}
    for (let i = 0; i < texts.length; i++) params[routed.names[i] as string] = texts[i] as string
    return { operation: routed.operation, params }
  }
}

function has(url: string, character: string, end: number): boolean {
  const at = url.indexOf(character)
  return at >= 0 && at < end
}

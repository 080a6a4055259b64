import type { Spoiled } from '../good-graph.ts'

type Spoil = (graph: Spoiled) => unknown

/** A good graph, spoiled in one way, and all that is said of it. */
export interface Bad {
  readonly name: string
  readonly spoil: Spoil
  /** Path, and what is said of it. */
  readonly faults: readonly (readonly [string, string])[]
}

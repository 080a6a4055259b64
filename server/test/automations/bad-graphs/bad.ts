import type { Spoiled } from '../good-graph.ts'

type Spoil = (graph: Spoiled) => unknown

/** A valid graph, made invalid in one way, with all its faults. */
export interface Bad {
  readonly name: string
  readonly spoil: Spoil
  /** The path and the message of each fault. */
  readonly faults: readonly (readonly [string, string])[]
}

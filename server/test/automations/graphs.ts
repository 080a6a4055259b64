/** Short notations of graphs for tests. */

export type Node = Readonly<Record<string, unknown>> & { readonly id: string }

interface Edge {
  readonly source: string
  readonly target: string
  readonly port?: string
}

export interface Chain {
  readonly schema_version: 1
  readonly nodes: Node[]
  readonly edges: Edge[]
  settings?: object
}

/** A chain of steps, started by hand. */
export function chain(...steps: readonly Node[]): Chain {
  const ids = ['by_hand', ...steps.map(({ id }) => id)]
  const edges = steps.map(({ id }, i) => ({ source: ids[i] as string, target: id }))
  return { schema_version: 1, nodes: [{ id: 'by_hand', type: 'trigger.manual', config: {} }, ...steps], edges }
}

export function comment(id: string, body: unknown = id): Node {
  return { id, type: 'task.comment', config: { body } }
}

export function delay(id: string, seconds: number): Node {
  return { id, type: 'delay', config: { seconds } }
}

/** Nodes of a graph as people call them. */
import { inWords } from '../../design/index.ts'
import { describeTrigger } from './trigger-text.ts'

/** A graph as the API has it, or a draft of one. */
export interface NamedNodes {
  readonly nodes: readonly {
    readonly id: string
    readonly name?: string | null
    readonly type: string
    readonly config: object
  }[]
}

/** The name that a person gave the step, else its id in words; also while the graph is being read, and after it was removed. */
export function stepName(graph: NamedNodes | undefined, id: string): string {
  return graph?.nodes.find((node) => node.id === id)?.name ?? inWords(id)
}

/** The name of a trigger, else when it starts runs: its id stays when that is changed. */
export function triggerName(graph: NamedNodes | undefined, id: string): string {
  const node = graph?.nodes.find((each) => each.id === id)
  if (node === undefined || node.name) return stepName(graph, id)
  const text = describeTrigger(node)
  return text.charAt(0).toUpperCase() + text.slice(1)
}

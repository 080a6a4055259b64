/** Where the formulas below are: the flow, its draft and a node of it, and the task whose value is shown beside them. */
import { createContext, type ReactNode, use, useMemo } from 'react'
import type { GraphDraft } from '../editor/graph.ts'

/** The task that formulas are evaluated for: one for the whole page. */
export interface ExampleTask {
  readonly id: string | null
  readonly select: (task: string | null) => void
  /** Inputs of a call that a person gave to try formulas with, by key. */
  readonly call?: Readonly<Record<string, unknown>>
  readonly give?: (call: Readonly<Record<string, unknown>>) => void
}

export interface FormulaPlace {
  readonly flow: string
  readonly workspace: string
  readonly graph: GraphDraft
  readonly node: string
  readonly example: ExampleTask
}

const Place = createContext<FormulaPlace | null>(null)

/** Null where formulas belong to no draft. */
export function useFormulaPlace(): FormulaPlace | null {
  return use(Place)
}

export function FormulaPlaceProvider(props: FormulaPlace & { readonly children: ReactNode }) {
  const { flow, workspace, graph, node, example, children } = props
  const { id, select, call, give } = example
  const place = useMemo(
    () => ({ flow, workspace, graph, node, example: { id, select, ...(call && { call }), ...(give && { give }) } }),
    [flow, workspace, graph, node, id, select, call, give],
  )
  return <Place value={place}>{children}</Place>
}
